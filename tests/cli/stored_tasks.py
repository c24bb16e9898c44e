"""Tasks put into a store without running them."""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from roo_code.events import (
    ApprovalRequested,
    Event,
    EventRecord,
    MessageAdded,
    QuestionAsked,
    RunParked,
    SubtaskStarted,
    Suggestion,
    TaskSpec,
    TurnStarted,
    Waiting,
)
from roo_code.messages import Message, TextContent, ToolUseContent
from roo_code.task import rows
from roo_code.task.schema import connect

BEGIN = datetime(2026, 1, 1, tzinfo=UTC).timestamp()


def spec(prompt: str = "Fix it.", workspace: str = "/w", **fields: object) -> TaskSpec:
    made = TaskSpec(
        prompt=prompt,
        workspace=workspace,
        provider={"api_provider": "anthropic", "api_model_id": "claude"},
    )
    return made.replace(**fields)


def database(home: Path) -> sqlite3.Connection:
    return connect(home / "state" / "tasks.sqlite3", write=True)


def store_tasks(home: Path, tasks: Iterable[tuple[str, TaskSpec, Sequence[Event]]]) -> None:
    """Each a second after the one before, with its events behind `task_created`."""
    with closing(database(home)) as db:
        db.execute("BEGIN")
        for number, (task_id, task_spec, events) in enumerate(tasks):
            now = BEGIN + number
            rows.create(db, task_id, task_spec, now)
            at = datetime.fromtimestamp(now, UTC)
            rows.append(
                db,
                task_id,
                [
                    EventRecord(task_id=task_id, seq=seq, at=at, event=event)
                    for seq, event in enumerate(events, 2)
                ],
            )
        db.execute("COMMIT")


def call(id: str, command: str) -> ToolUseContent:
    return ToolUseContent(id=id, name="execute_command", input={"command": command})


def asks_approval(*calls: ToolUseContent) -> list[Event]:
    """A turn that parks on the approval of each call."""
    return [
        TurnStarted(turn=1),
        MessageAdded(
            message=Message(
                role="assistant", content=(TextContent(text="I must run this."), *calls)
            )
        ),
        *(ApprovalRequested(call=one, reason="it is not on the list") for one in calls),
        RunParked(waiting_for=tuple(Waiting(kind="approval", tool_use_id=one.id) for one in calls)),
    ]


def asks_question() -> list[Event]:
    asked = ToolUseContent(id="q-1", name="ask_followup_question", input={"question": "Which one?"})
    return [
        TurnStarted(turn=1),
        MessageAdded(message=Message(role="assistant", content=(asked,))),
        QuestionAsked(
            tool_use_id="q-1",
            question="Which one?",
            suggestions=(Suggestion(text="the first"), Suggestion(text="the second")),
        ),
        RunParked(waiting_for=(Waiting(kind="question", tool_use_id="q-1"),)),
    ]


def waits_for_subtask(subtask_id: str) -> list[Event]:
    asked = ToolUseContent(id="n-1", name="new_task", input={"message": "Do a part."})
    return [
        TurnStarted(turn=1),
        MessageAdded(message=Message(role="assistant", content=(asked,))),
        SubtaskStarted(tool_use_id="n-1", subtask_id=subtask_id, prompt="Do a part."),
        RunParked(waiting_for=(Waiting(kind="subtask", tool_use_id="n-1"),)),
    ]
