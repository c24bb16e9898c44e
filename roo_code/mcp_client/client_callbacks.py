"""What a server may ask of us while it works: the user's word, a model's, the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import mcp_types
from mcp.client import ClientRequestContext

from roo_code.errors import ToolError
from roo_code.mcp_access import McpUser, Question, SampleRequest
from roo_code.mcp_client.calls_under_way import CallsUnderWay, CallUnderWay
from roo_code.mcp_client.form_fields import presets

_REFUSED = -1
"""The protocol's code for what the user does not want."""
_NO_TEXT = mcp_types.ErrorData(
    code=mcp_types.INVALID_PARAMS, message="Only text can be sampled from here."
)
_NOBODY = mcp_types.ErrorData(
    code=_REFUSED,
    message="It is not clear which of the requests under way this is for, so nobody was asked.",
)


class ClientCallbacks:
    def __init__(self, server: str, workspace: Path, user: McpUser) -> None:
        self._server = server
        self._workspace = workspace
        self.calls = CallsUnderWay(user)
        """Whoever sends a request notes it here, so that the right user is asked."""

    def offered(self) -> dict[str, Any]:
        """For the SDK's client: only what somebody can answer."""
        offered: dict[str, Any] = {"list_roots_callback": self._roots}
        if self.calls.otherwise.answer is not None:
            offered["elicitation_callback"] = self._elicit
        if self.calls.otherwise.sample is not None:
            offered["sampling_callback"] = self._sample
        return offered

    def _meant(self) -> CallUnderWay | None:
        call = self.calls.meant()
        if call is None:
            self.calls.note(
                f"[MCP server {self._server} asked for something while it worked for several "
                "tasks at once. It is not known for which, so nobody was asked.]"
            )
        return call

    async def _roots(self, _: ClientRequestContext) -> mcp_types.ListRootsResult:
        root = mcp_types.Root.model_validate(
            {"uri": self._workspace.as_uri(), "name": self._workspace.name}
        )
        return mcp_types.ListRootsResult(roots=[root])

    async def _elicit(
        self, _: ClientRequestContext, params: mcp_types.ElicitRequestParams
    ) -> mcp_types.ElicitResult:
        call = self._meant()
        if call is None or call.user.answer is None:
            return mcp_types.ElicitResult(action="decline")
        if isinstance(params, mcp_types.ElicitRequestURLParams):
            question = Question(self._server, params.message, {}, params.url)
        else:
            schema: Mapping[str, Any] = dict(params.requested_schema)
            question = Question(self._server, params.message, schema)
        with call.asking():
            reply = await call.user.answer(question)
        if reply.action != "accept" or question.url:
            return mcp_types.ElicitResult(action=reply.action)
        content = {**presets(question.schema), **reply.content}
        return mcp_types.ElicitResult(action="accept", content=content)

    async def _sample(
        self, _: ClientRequestContext, params: mcp_types.CreateMessageRequestParams
    ) -> mcp_types.CreateMessageResult | mcp_types.ErrorData:
        messages: list[tuple[Literal["user", "assistant"], str]] = [
            (message.role, block.text)
            for message in params.messages
            for block in message.content_as_list
            if isinstance(block, mcp_types.TextContent)
        ]
        if not messages:
            return _NO_TEXT
        call = self._meant()
        if call is None or call.user.sample is None:
            return _NOBODY
        request = SampleRequest(
            self._server,
            tuple(messages),
            params.max_tokens,
            params.system_prompt or "",
            params.temperature,
        )
        try:
            with call.asking():
                written = await call.user.sample(request)
        except ToolError as error:
            return mcp_types.ErrorData(code=_REFUSED, message=str(error))
        return mcp_types.CreateMessageResult(
            role="assistant",
            content=mcp_types.TextContent(type="text", text=written.text),
            model=written.model,
        )
