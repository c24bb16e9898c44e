"""Tasks, their records and what they wait for, as plain text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from roo_code.cli.calls import describe as describe_call
from roo_code.cli.rule_words import choices, time_left
from roo_code.cli.style import Style
from roo_code.events import (
    ApprovalDecided,
    ApprovalRequested,
    CondenseRequested,
    ContextCondensed,
    EnvironmentTold,
    Event,
    EventRecord,
    MentionsRead,
    MessageAdded,
    ModeSwitched,
    ProviderSwitched,
    QuestionAnswered,
    QuestionAsked,
    RequestRetried,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunParked,
    SideRequestEnded,
    SideRequestStarted,
    SpecChanged,
    SubtaskEnded,
    SubtaskStarted,
    TaskCreated,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from roo_code.messages import Message
from roo_code.task.asks import Ask
from roo_code.task.store import TaskSummary

_MOST_LINES = 12
_INDENT = " " * 28


def when(timestamp: float) -> str:
    return datetime.fromtimestamp(timestamp, UTC).astimezone().strftime("%Y-%m-%d %H:%M")


def short_ids(ids: Iterable[str]) -> Mapping[str, str]:
    """Each id's first 8 characters, or all of it where two begin alike."""
    ids = list(ids)
    heads = [id[:8] for id in ids]
    return {id: id[:8] if heads.count(id[:8]) == 1 else id for id in ids}


def task_table(tasks: Sequence[TaskSummary], stopped: set[str], style: Style) -> str:
    """One line a task; `stopped` are the running ones that no process drives."""
    ids = short_ids(task.id for task in tasks)
    width = max((len(id) for id in ids.values()), default=2)
    lines = [f"{'ID':<{width}}  {'STATUS':<9}  {'WHEN':<16}  {'TURNS':>5}  {'COST':>8}  TITLE"]
    for task in tasks:
        status = "stopped" if task.id in stopped else task.status
        lines.append(
            f"{ids[task.id]:<{width}}  {status:<9}  {when(task.updated_at)}  {task.turns:>5}"
            f"  {f'${task.cost:.4f}':>8}  {style.cut(task.title, width + 48) or '(untitled)'}"
        )
    return "\n".join(lines)


def task_lines(task: TaskSummary, style: Style, *, stopped: bool) -> str:
    model = "/".join(part for part in (task.provider, task.model) if part)
    status = "stopped: no process drives it" if stopped else task.status
    lines = [
        ("task", task.id),
        ("title", task.title or "(untitled)"),
        ("status", status),
        ("started", when(task.created_at)),
        ("last", when(task.updated_at)),
        ("folder", task.workspace),
        ("mode", task.mode),
        ("model", model),
        ("used", f"{task.turns} turns, {task.tokens_in:,} tokens in, {task.tokens_out:,} out, "
                 f"${task.cost:.4f}"),
    ]  # fmt: skip
    if task.parent_id:
        lines.append(("part of", task.parent_id))
    return "\n".join(f"{name + ':':<9}{style.clean(text)}" for name, text in lines if text)


def record_lines(record: EventRecord, style: Style, most: int = _MOST_LINES) -> str:
    """The record's number, time, kind and what it says, long texts cut."""
    label, text = describe(record.event)
    lines = style.clean(text).splitlines() or [""]
    if len(lines) > most:
        lines[most - 1 :] = [f"[{len(lines) - most + 1} more lines]"]
    clock = record.at.astimezone().strftime("%H:%M:%S")
    head = f"{record.seq:>5}  {clock}  {label:<10} "
    return (head + f"\n{_INDENT}".join(lines)).rstrip()


def describe(event: Event) -> tuple[str, str]:
    """What kind of thing happened, in a word, and what it says."""
    match event:
        case TaskCreated(spec=spec):
            return "task", spec.prompt
        case MessageAdded(message=message):
            return ("model" if message.role == "assistant" else "user"), _said(message)
        case TurnStarted(turn=turn):
            return "turn", str(turn)
        case RequestRetried():
            return "retry", f"{event.error} (attempt {event.attempt}, after {event.delay:.1f} s)"
        case ProviderSwitched():
            why = f" ({event.error})" if event.error else ""
            return "provider", f"{event.current} after {event.previous}{why}"
        case RunParked(waiting_for=waiting_for):
            return "parked", "waits for " + ", ".join(waiting.kind for waiting in waiting_for)
        case RunCompleted() | RunFailed() | RunCancelled():
            return _describe_end(event)
        case _:
            return _describe_context(event) or _describe_call(event)


def _describe_context(event: Event) -> tuple[str, str] | None:
    """What changes how the task goes on, or what the model is told besides."""
    match event:
        case SpecChanged(spec=spec):
            return "settings", json.dumps(spec.provider | {"mode": spec.mode})
        case MentionsRead(names=names):
            return "mentioned", ", ".join(names)
        case EnvironmentTold(text=text):
            return "told", text
        case ModeSwitched():
            why = f" ({event.reason})" if event.reason else ""
            return "mode", f"{event.mode} after {event.previous}{why}"
        case SideRequestStarted(purpose=purpose):
            return "aside", f"the model is asked for {purpose}"
        case SideRequestEnded(usage=usage, error=error):
            return "aside", error or f"{usage.total_tokens if usage else 0:,} tokens"
        case CondenseRequested():
            return "condense", "asked for"
        case ContextCondensed():
            told = f"{event.tokens_before:,} tokens to {event.tokens_after:,}"
            return "condensed", f"{told}\n{event.summary or event.error}".rstrip()
        case _:
            return None


def _describe_end(event: RunCompleted | RunFailed | RunCancelled) -> tuple[str, str]:
    match event:
        case RunCompleted(result=result):
            return "completed", result
        case RunFailed(error=error, hint=hint):
            return "failed", f"{error}\n{hint}".strip()
        case RunCancelled(reason=reason):
            return "cancelled", reason


def _describe_call(event: Event) -> tuple[str, str]:
    match event:
        case ApprovalRequested(call=call, reason=reason):
            return "approve?", "\n".join(filter(None, (describe_call(call), reason)))
        case ApprovalDecided(approved=approved, by=by, reason=reason):
            return (
                "approved" if approved else "refused"
            ), f"by {by}{': ' if reason else ''}{reason}"
        case ToolStarted(call=call):
            return "started", describe_call(call)
        case ToolFinished(result=result):
            return ("error" if result.is_error else "result"), result.content
        case QuestionAsked(question=question):
            return "question", question
        case QuestionAnswered(answer=answer, withdrawn=withdrawn):
            return "answer", "(no longer asked)" if withdrawn else answer
        case SubtaskStarted():
            return "subtask", f"{event.subtask_id} started: {event.prompt}"
        case SubtaskEnded():
            return "subtask", event.result
        case _:
            return event.type, ""


def _said(message: Message) -> str:
    calls = [f"-> {describe_call(call)}" for call in message.tool_uses]
    return "\n".join(filter(None, (message.text.strip(), *calls)))


def ask_lines(ask: Ask, task_id: str, style: Style) -> str:
    """What is waited for, and the command that answers it."""
    about = ask.about
    answer = f"roo tasks answer {task_id[:8]}"
    match about:
        case ApprovalRequested(call=call, reason=reason):
            lines = [f"waits for approval of {ask.id}: {describe_call(call)}", reason]
            lines.append(f"{answer} --approve --call {ask.id}    (or --refuse)")
            flags = zip(("--task", "--always"), choices(about.rule).values(), strict=False)
            lines += [f"{answer} {flag} --call {ask.id}    ({told})" for flag, told in flags]
        case QuestionAsked(question=question, limit=limit) if limit is not None:
            lines = [question, f"{answer} --approve    (or --refuse, which ends it)"]
        case QuestionAsked(question=question):
            lines = ["waits for an answer:", question]
            lines += [f"- {suggestion.text}" for suggestion in about.suggestions]
            lines += [told] if (told := time_left(about)) else []
            lines.append(f'{answer} "your answer"')
        case SubtaskStarted():
            lines = [f"waits for its subtask {about.subtask_id}: {about.prompt}"]
            lines.append(f"roo tasks show {about.subtask_id}")
    shown = style.clean("\n".join(lines)).splitlines()
    return "\n  ".join(line for line in shown if line.strip())
