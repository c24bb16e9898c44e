"""Records as the events of `roo-cli-stream`, schema version 1, as the original CLI names them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeAlias

from roo_code.cli.calls import command_output, exit_code, speaks_to_user, tool_name
from roo_code.cli.report import RunReport
from roo_code.errors import UserFacingError
from roo_code.events import (
    ApprovalDecided,
    ApprovalRequested,
    EventRecord,
    MessageAdded,
    ProviderSwitched,
    QuestionAnswered,
    QuestionAsked,
    ReasoningDelta,
    ReplyRestarted,
    RunCompleted,
    RunFailed,
    TaskCreated,
    TextDelta,
    ToolFinished,
    ToolInputDelta,
    ToolOutput,
    TurnStarted,
)
from roo_code.json_text import partial_json
from roo_code.messages import Message, ReasoningContent, ToolResult, ToolUseContent, Usage

JsonEvent: TypeAlias = dict[str, Any]
CAPABILITIES = ("stdin:start", "stdin:message", "stdin:cancel", "stdin:ping", "stdin:shutdown")
_SUBTYPES = {"execute_command": "command", "use_mcp_tool": "mcp", "access_mcp_resource": "mcp"}


class StreamEvents:
    """An event has the same numeric id from its first piece to the one marked `done`."""

    def __init__(self, *, partial: bool) -> None:
        self._partial = partial
        """Whether pieces are wanted, or only what is complete."""
        self._last_id = 0
        self._ids: dict[str, int] = {}
        self._calls: dict[str, ToolUseContent] = {}
        self._inputs: dict[str, str] = {}
        self._output: set[str] = set()

    def begin(self, task_id: str) -> JsonEvent:
        event: JsonEvent = {
            "type": "system",
            "subtype": "init",
            "content": "Task started",
            "schemaVersion": 1,
            "protocol": "roo-cli-stream",
            "capabilities": list(CAPABILITIES),
        }
        return {**event, "taskId": task_id} if task_id else event

    def remember(self, record: EventRecord) -> None:
        if isinstance(record.event, MessageAdded):
            self._calls.update((call.id, call) for call in record.event.message.tool_uses)

    def show(self, record: EventRecord) -> Iterator[JsonEvent]:
        now = round(record.at.timestamp() * 1000)
        match record.event:
            case TurnStarted() | ReplyRestarted():
                self._ids.pop("assistant", None)
                self._ids.pop("thinking", None)
            case TextDelta(text=text):
                yield from self._piece("assistant", now, text)
            case ReasoningDelta(text=text):
                yield from self._piece("thinking", now, text)
            case ToolInputDelta() as delta:
                yield from self._input_piece(delta, now)
            case ToolOutput(tool_use_id=id, text=text):
                yield from self._output_piece(id, now, text)
            case TaskCreated(spec=spec):
                yield self._said(now, spec.prompt)
            case MessageAdded(message=message) if message.role == "user":
                yield self._said(now, message.text)
            case MessageAdded(message=message):
                yield from self._reply(message, now)
            case _:
                yield from self._later(record, now)

    def _later(self, record: EventRecord, now: int) -> Iterator[JsonEvent]:
        """What comes of a reply. All that is not named here is bookkeeping, and not sent."""
        match record.event:
            case ToolFinished(result=result):
                yield from self._finished(result, now)
            case QuestionAsked() as asked:
                yield self._question(asked, now)
            case QuestionAnswered(answer=answer, withdrawn=False):
                yield self._said(now, answer)
            case ApprovalDecided(by="user", reason=reason) if reason:
                yield self._said(now, reason)
            case ProviderSwitched() as switch:
                content = f"{switch.previous} -> {switch.current}"
                content += f": {switch.error}" if switch.error else ""
                id = self._new_id(now)
                yield {
                    "type": "system",
                    "subtype": "provider_switched",
                    "id": id,
                    "content": content,
                }
            case RunFailed(error=error, hint=hint):
                told = f"{error}\n{hint}" if hint else error
                yield {"type": "error", "id": self._new_id(now), "content": told}
            case _:
                pass

    def still_asked(self, asked: ApprovalRequested | QuestionAsked) -> Iterator[JsonEvent]:
        """What a task waits for, for whoever was not there when it was asked."""
        now = self._last_id + 1
        if isinstance(asked, ApprovalRequested):
            self._calls[asked.call.id] = asked.call
            yield {**self._call(asked.call, now), "done": True}
        else:
            yield self._question(asked, now)

    def fail(self, error: UserFacingError) -> JsonEvent:
        return {"type": "error", "id": self._new_id(0), "content": str(error)}

    def result(self, report: RunReport) -> JsonEvent:
        """How it ended; `cost` is that of the last request, as ever, and `total` of all."""
        ended = report.ended
        content = ended.result if isinstance(ended, RunCompleted) else report.last_text
        event: JsonEvent = {
            "type": "result",
            "id": self._new_id(0),
            "content": content,
            "done": True,
            "success": isinstance(ended, RunCompleted),
        }
        if report.last_usage is not None:
            event["cost"] = cost(report.last_usage)
            event["total"] = {**cost(report.usage), "turns": report.turns}
        if report.refusals:
            event["refused"] = [{"call": r.call, "reason": r.reason} for r in report.refusals]
        if report.task_id:
            event["taskId"] = report.task_id
        return event

    def _question(self, asked: QuestionAsked, now: int) -> JsonEvent:
        if asked.limit is not None:
            content = json.dumps({"count": asked.limit.count, "type": asked.limit.kind})
            return self._whole("assistant", now, content, subtype="auto_approval_max_req_reached")
        suggest = [
            {"answer": s.text, **({"mode": s.mode} if s.mode else {})} for s in asked.suggestions
        ]
        content = json.dumps({"question": asked.question, "suggest": suggest}, ensure_ascii=False)
        return self._whole("assistant", now, content, subtype="followup")

    def _piece(self, type: str, now: int, text: str) -> Iterator[JsonEvent]:
        if self._partial and text:
            yield {"type": type, "id": self._id(type, now), "content": text}

    def _said(self, now: int, text: str) -> JsonEvent:
        return self._whole("user", now, text)

    def _whole(self, type: str, now: int, content: str, subtype: str | None = None) -> JsonEvent:
        id = self._ids.pop(type, None) if subtype is None else None
        event: JsonEvent = {"type": type, "id": id or self._new_id(now), "content": content}
        if subtype is not None:
            event["subtype"] = subtype
        return {**event, "done": True}

    def _reply(self, message: Message, now: int) -> Iterator[JsonEvent]:
        thoughts = [block.text for block in message.content if isinstance(block, ReasoningContent)]
        if thinking := "".join(thoughts):
            yield self._whole("thinking", now, thinking)
        if message.text:
            yield self._whole("assistant", now, message.text)
        for call in message.tool_uses:
            self._calls[call.id] = call
            self._inputs.pop(call.id, None)
            if not speaks_to_user(call):
                yield {**self._call(call, now), "done": True}

    def _call(self, call: ToolUseContent, now: int) -> JsonEvent:
        name = tool_name(call)
        return {
            "type": "tool_use",
            "id": self._id(call.id, now),
            "subtype": _SUBTYPES.get(name, "tool"),
            "tool_use": {"name": name, "input": call.input},
        }

    def _input_piece(self, delta: ToolInputDelta, now: int) -> Iterator[JsonEvent]:
        call = ToolUseContent(id=delta.tool_use_id, name=delta.name)
        if not self._partial or speaks_to_user(call):
            return
        before = self._inputs.get(call.id, "")
        self._inputs[call.id] = before + delta.partial_json
        content = delta.partial_json
        if tool_name(call) == "execute_command":
            content = _command(before + content)[len(_command(before)) :]
        if content:
            event = self._call(call, now)
            yield {**event, "tool_use": {"name": tool_name(call)}, "content": content}

    def _output_piece(self, call_id: str, now: int, text: str) -> Iterator[JsonEvent]:
        call = self._calls.get(call_id)
        if self._partial and call is not None and text:
            self._output.add(call_id)
            yield self._result(call, now, {"output": text})

    def _finished(self, result: ToolResult, now: int) -> Iterator[JsonEvent]:
        call = self._calls.pop(result.tool_use_id, None)
        if call is None or (speaks_to_user(call) and not result.is_error):
            return
        event = self._result(call, now, {})
        if event["subtype"] != "tool":
            if call.id not in self._output:
                event["tool_result"]["output"] = command_output(result)
            if (code := exit_code(result)) is not None:
                event["tool_result"]["exitCode"] = code
        elif not result.is_error:
            return  # the original says nothing of them
        if result.is_error:
            event["tool_result"]["error"] = result.content
        yield {**event, "done": True}

    def _result(self, call: ToolUseContent, now: int, parts: dict[str, Any]) -> JsonEvent:
        name = tool_name(call)
        return {
            "type": "tool_result",
            "id": self._id(call.id, now),
            "subtype": _SUBTYPES.get(name, "tool"),
            "tool_result": {"name": name, **parts},
        }

    def _id(self, what: str, now: int) -> int:
        if what not in self._ids:
            self._ids[what] = self._new_id(now)
        return self._ids[what]

    def _new_id(self, now: int) -> int:
        """The time in milliseconds, or the next number if that is taken."""
        self._last_id = max(now, self._last_id + 1)
        return self._last_id


def cost(usage: Usage) -> dict[str, float]:
    """Roo's names; its input tokens count those of the cache too."""
    named: dict[str, float] = {
        "inputTokens": usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
        "outputTokens": usage.output_tokens,
        "cacheWrites": usage.cache_write_tokens,
        "cacheReads": usage.cache_read_tokens,
    }
    return named if usage.cost is None else {"totalCost": usage.cost, **named}


def _command(written: str) -> str:
    """As much of the command as has been written."""
    value = partial_json(written)
    command = value.get("command") if isinstance(value, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return command if isinstance(command, str) else ""
