"""OpenAI's side of the Responses format, as its documentation describes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import count, groupby
from typing import Any

from roo_code.json_text import to_json
from roo_code.testing.model_replies import ScriptedCall, ScriptedReply
from roo_code.testing.openai_service import OpenAiService
from roo_code.testing.responses_checks import find_problem, is_of_model

Json = dict[str, Any]
_INCOMPLETE = {"max_tokens": "max_output_tokens", "refusal": "content_filter"}


class ResponsesService:
    path = "/v1/responses"
    media_type = "text/event-stream"

    def __init__(self, extra_fields: Set[str] = frozenset()) -> None:
        self._extra_fields = extra_fields
        self._chat = OpenAiService()

    def key(self, headers: Mapping[str, str]) -> str:
        return self._chat.key(headers)

    def problem(self, body: Json, headers: Mapping[str, str]) -> str | None:
        return find_problem(body, self._extra_fields)

    def messages(self, body: Json) -> Sequence[Mapping[str, Any]]:
        """What the model said in one reply is one message here, though it is several items."""
        groups = groupby(body["input"], key=is_of_model)
        roles = {True: "assistant", False: "user"}
        return [{"role": roles[mine], "items": list(items)} for mine, items in groups]

    def error(self, status: int, message: str) -> bytes:
        return self._chat.error(status, message)

    def events(self, reply: ScriptedReply, body: Json) -> Iterator[bytes]:
        """The reply, one event after the other."""
        numbers = count()
        output: list[Json] = []
        for event in _events(reply, body, output):
            name = event["type"].encode()
            numbered = to_json({**event, "sequence_number": next(numbers)})
            yield b"event: " + name + b"\ndata: " + numbered + b"\n\n"


def _events(reply: ScriptedReply, body: Json, output: list[Json]) -> Iterator[Json]:
    yield {"type": "response.created", "response": _response(body, "in_progress", output)}
    for place, (start, deltas, end) in enumerate(_items(reply)):
        yield {"type": "response.output_item.added", "output_index": place, "item": start}
        for delta in deltas:
            yield {**delta, "item_id": start["id"], "output_index": place}
        whole = {**start, **end}
        output.append(whole)
        yield {"type": "response.output_item.done", "output_index": place, "item": whole}
    reason = _INCOMPLETE.get(reply.reason)
    status = "incomplete" if reason else "completed"
    response = {**_response(body, status, output), "usage": _usage(reply)}
    if reason:
        response["incomplete_details"] = {"reason": reason}
    yield {"type": f"response.{status}", "response": response}


def _items(reply: ScriptedReply) -> Iterator[tuple[Json, list[Json], Json]]:
    """Each as it begins, its pieces, and what its end adds."""
    if reply.reasoning:
        deltas = [_summary("part.added", part={"type": "summary_text", "text": ""})]
        deltas += [_summary("text.delta", delta=text) for text in reply.pieces(reply.reasoning)]
        summary = [{"type": "summary_text", "text": reply.reasoning}]
        start: Json = {"type": "reasoning", "id": "rs_scripted", "summary": []}
        yield start, deltas, {"summary": summary, "encrypted_content": "c2VjcmV0"}
    if reply.text:
        deltas = [
            {"type": "response.output_text.delta", "content_index": 0, "delta": text}
            for text in reply.pieces(reply.text)
        ]
        start = {"type": "message", "id": "msg_scripted", "role": "assistant", "content": []}
        content: list[Json] = [{"type": "output_text", "text": reply.text, "annotations": []}]
        yield {**start, "status": "in_progress"}, deltas, {"content": content, **_DONE}
    for call in reply.tool_calls:
        yield _call(reply, call)


_DONE = {"status": "completed"}


def _summary(event: str, **fields: Any) -> Json:
    return {"type": f"response.reasoning_summary_{event}", "summary_index": 0, **fields}


def _call(reply: ScriptedReply, call: ScriptedCall) -> tuple[Json, list[Json], Json]:
    start = {"type": "function_call", "id": f"fc_{call.id}", "call_id": call.id, "name": call.name}
    deltas = [
        {"type": "response.function_call_arguments.delta", "delta": text}
        for text in reply.pieces(call.arguments)
    ]
    begun = {**start, "status": "in_progress", "arguments": ""}
    return begun, deltas, {"arguments": call.arguments, **_DONE}


def _response(body: Json, status: str, output: Sequence[Json]) -> Json:
    return {
        "id": "resp_scripted",
        "object": "response",
        "created_at": 1,
        "status": status,
        "model": body.get("model"),
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _usage(reply: ScriptedReply) -> Json:
    usage = reply.usage
    prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    return {
        "input_tokens": prompt,
        "input_tokens_details": {
            "cached_tokens": usage.cache_read_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
        },
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "total_tokens": prompt + usage.output_tokens,
    }
