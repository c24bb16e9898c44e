"""What a server may ask of us while it works: the user's word, a model's, the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import mcp_types
from mcp.client import ClientRequestContext

from roo_code.mcp_client.user import McpUser, Question, SampleRequest, with_defaults

_NO_TEXT = mcp_types.ErrorData(
    code=mcp_types.INVALID_PARAMS, message="Only text can be sampled from here."
)


class ClientCallbacks:
    def __init__(self, server: str, workspace: Path, user: McpUser) -> None:
        self._server = server
        self._workspace = workspace
        self._user = user

    def offered(self) -> dict[str, Any]:
        """For the SDK's client: only what somebody can answer."""
        offered: dict[str, Any] = {"list_roots_callback": self._roots}
        if self._user.answer is not None:
            offered["elicitation_callback"] = self._elicit
        if self._user.sample is not None:
            offered["sampling_callback"] = self._sample
        return offered

    async def _roots(self, _: ClientRequestContext) -> mcp_types.ListRootsResult:
        root = mcp_types.Root.model_validate(
            {"uri": self._workspace.as_uri(), "name": self._workspace.name}
        )
        return mcp_types.ListRootsResult(roots=[root])

    async def _elicit(
        self, _: ClientRequestContext, params: mcp_types.ElicitRequestParams
    ) -> mcp_types.ElicitResult:
        assert self._user.answer is not None
        if isinstance(params, mcp_types.ElicitRequestURLParams):
            question = Question(self._server, params.message, {}, params.url)
        else:
            schema: Mapping[str, Any] = dict(params.requested_schema)
            question = Question(self._server, params.message, schema)
        reply = await self._user.answer(question)
        if reply.action != "accept" or question.url:
            return mcp_types.ElicitResult(action=reply.action)
        return mcp_types.ElicitResult(action="accept", content=with_defaults(reply, question))

    async def _sample(
        self, _: ClientRequestContext, params: mcp_types.CreateMessageRequestParams
    ) -> mcp_types.CreateMessageResult | mcp_types.ErrorData:
        assert self._user.sample is not None
        messages: list[tuple[Literal["user", "assistant"], str]] = [
            (message.role, block.text)
            for message in params.messages
            for block in message.content_as_list
            if isinstance(block, mcp_types.TextContent)
        ]
        if not messages:
            return _NO_TEXT
        request = SampleRequest(
            self._server,
            tuple(messages),
            params.max_tokens,
            params.system_prompt or "",
            params.temperature,
        )
        written = await self._user.sample(request)
        return mcp_types.CreateMessageResult(
            role="assistant",
            content=mcp_types.TextContent(type="text", text=written.text),
            model=written.model,
        )
