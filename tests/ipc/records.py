"""Records of a task in which everything happens."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from roo_code.events import (
    ApprovalDecided,
    ApprovalRequested,
    ContextCondensed,
    Event,
    EventRecord,
    MessageAdded,
    ModeSwitched,
    ProviderSwitched,
    QuestionAnswered,
    QuestionAsked,
    ReachedLimit,
    ReasoningDelta,
    ReplyRestarted,
    RequestRetried,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunParked,
    SubtaskEnded,
    SubtaskStarted,
    Suggestion,
    TaskCreated,
    TaskSpec,
    TextDelta,
    ToolFinished,
    ToolInputDelta,
    ToolOutput,
    ToolStarted,
    TurnStarted,
    Waiting,
)
from roo_code.json_text import to_json
from roo_code.messages import (
    ImageContent,
    Message,
    ReasoningContent,
    TextContent,
    ToolResult,
    ToolUseContent,
    Usage,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
IMAGE = ImageContent(media_type="image/png", data="iVBORw0KGgo=")
SPEC = TaskSpec(
    prompt="Go.", images=(IMAGE,), workspace="/w", provider={"api_provider": "anthropic"}
)
USAGE = Usage(input_tokens=10, output_tokens=5, cache_read_tokens=3, cost=0.01)
CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("read_file", {"path": "a.py", "offset": 3}),
    ("execute_command", {"command": "make"}),
    ("write_to_file", {"path": "b.py", "content": "x"}),
    ("apply_diff", {"path": "b.py", "diff": "<<<"}),
    ("apply_patch", {"patch": "*** Begin"}),
    ("edit", {"file_path": "b.py", "old_string": "x", "new_string": "y"}),
    ("list_files", {"path": ".", "recursive": True}),
    ("search_files", {"path": ".", "regex": "x", "file_pattern": None}),
    ("use_mcp_tool", {"server_name": "s", "tool_name": "t", "arguments": {"q": 1}}),
    ("access_mcp_resource", {"server_name": "s", "uri": "u://x"}),
    ("mcp--files--read", {"path": "x"}),
    ("update_todo_list", {"todos": "[ ] one"}),
    ("switch_mode", {"mode_slug": "ask", "reason": "to ask"}),
    ("generate_image", {"prompt": "a cat", "path": "cat.png"}),
    ("web_fetch", {"url": "https://example.org"}),
)


def records(events: Iterable[Event], task_id: str = "t") -> list[EventRecord]:
    """Numbered, and a second apart."""
    return [
        EventRecord(task_id=task_id, seq=place, at=START + timedelta(seconds=place), event=event)
        for place, event in enumerate(events, 1)
    ]


def tool_call(name: str, id: str, input: dict[str, object]) -> ToolUseContent:
    return ToolUseContent.from_dict({"type": "tool_use", "id": id, "name": name, "input": input})


def reply(*calls: ToolUseContent, text: str = "") -> MessageAdded:
    words = (TextContent(text=text),) if text else ()
    message = Message(role="assistant", content=(*words, *calls), usage=USAGE)
    return MessageAdded(message=message)


def made(name: str, input: dict[str, object], *, fails: bool = False) -> list[Event]:
    """A turn that makes one call, as the loop tells of it."""
    call = tool_call(name, f"id-{name}-{fails}", input)
    written = to_json(input).decode()
    result = ToolResult(
        tool_use_id=call.id, content="what came of it", is_error=fails, images=(IMAGE,)
    )
    return [
        TurnStarted(turn=1),
        ToolInputDelta(tool_use_id=call.id, name=name, partial_json=written[:7]),
        ToolInputDelta(tool_use_id=call.id, name=name, partial_json=written[7:]),
        reply(call),
        ApprovalDecided(tool_use_id=call.id, approved=True, by="policy"),
        ToolStarted(call=call),
        ToolOutput(tool_use_id=call.id, text="what came of it"),
        ToolFinished(result=result),
    ]


def everything() -> list[Event]:
    refused = tool_call("execute_command", "refused", {"command": "rm -rf x"})
    spoken = Message(
        role="assistant",
        content=(ReasoningContent(text="Hm, well."), TextContent(text="I say it so.")),
        usage=USAGE,
    )
    return [
        TaskCreated(spec=SPEC),
        TurnStarted(turn=1),
        ReasoningDelta(text="Hm, "),
        TextDelta(text="I say"),
        RequestRetried(attempt=1, delay=2.4, error="429 slow down", kind="RateLimited"),
        ReplyRestarted(),
        ProviderSwitched(previous="a", current="b", error="down", kind="ServerFailed"),
        TextDelta(text="I say "),
        TextDelta(text="it so."),
        MessageAdded(message=spoken),
        *(event for name, input in CALLS for event in made(name, input)),
        *made("apply_diff", {"path": "b.py", "diff": "<<<"}, fails=True),
        *made("web_fetch", {"url": "x"}, fails=True),
        TurnStarted(turn=2),
        reply(refused),
        ApprovalRequested(call=refused),
        RunParked(waiting_for=(Waiting(kind="approval", tool_use_id="refused"),)),
        ApprovalDecided(tool_use_id="refused", approved=False, by="user", reason="Not that."),
        ToolFinished(result=ToolResult(tool_use_id="refused", content="Denied.", is_error=True)),
        QuestionAsked(
            tool_use_id="q", question="Which?", suggestions=(Suggestion(text="a", mode="code"),)
        ),
        RunParked(waiting_for=(Waiting(kind="question", tool_use_id="q"),)),
        QuestionAnswered(tool_use_id="q", answer="a", images=(IMAGE,)),
        QuestionAsked(tool_use_id="l", question="", limit=ReachedLimit(kind="requests", count=3)),
        ApprovalDecided(tool_use_id="l", approved=True, by="user"),
        ModeSwitched(mode="ask", previous="code"),
        SubtaskStarted(tool_use_id="s", subtask_id="child", prompt="Do."),
        SubtaskEnded(tool_use_id="s", subtask_id="child", result="Done."),
        ContextCondensed(summary="So far", kept=2, tokens_before=90, tokens_after=9, usage=USAGE),
        ContextCondensed(summary="", kept=2, tokens_before=90, tokens_after=50),
        ContextCondensed(summary="", kept=2, tokens_before=9, tokens_after=9, error="It failed."),
        TurnStarted(turn=3),
        TextDelta(text="half a"),
        RunFailed(error="No more money.", hint="Pay.", kind="QuotaExceeded"),
        RunFailed(error="Too many mistakes.", kind="MistakeLimitReached"),
        TurnStarted(turn=4),
        ToolInputDelta(tool_use_id="c", name="read_file", partial_json='{"pa'),
        RunCancelled(reason="Enough."),
        MessageAdded(message=Message.from_user("Go on.", (IMAGE,))),
        *made("attempt_completion", {"result": "All done."}),
        RunCompleted(result="All done."),
    ]
