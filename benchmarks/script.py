"""What the scripted model says: some steps with the agent's own tool, then the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FILE = "hello.txt"
TEXT = "Hello from the benchmark.\n"
PROMPT = f"Write a short greeting to {FILE}, then finish."

SAID = "I take the next step now and then look at what came of it. "
STEP_TEXT = "One line of notes, about as long as a trivial call of a trivial tool would be."


@dataclass(frozen=True)
class Call:
    """A tool call; arguments that are a text go to a tool without a schema."""

    name: str
    arguments: dict[str, Any] | str


@dataclass(frozen=True)
class Script:
    step: Call
    end: Call | str
    """A call that finishes, or plain text where that is how the agent's runs end."""

    def reply(self, turn: int, turns: int) -> Reply:
        """What is said to request number `turn`, after `turns` of which the end comes."""
        if turn <= turns:
            return Reply(turn, SAID, self.step)
        if isinstance(self.end, Call):
            return Reply(turn, SAID, self.end)
        return Reply(turn, self.end, None)


@dataclass(frozen=True)
class Reply:
    turn: int
    text: str
    call: Call | None

    @property
    def call_id(self) -> str:
        return f"call_{self.turn}"


_PATCH = f"*** Begin Patch\n*** Add File: {FILE}\n+{TEXT}*** End Patch\n"
_SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_NOTE = Call("take_note", {"text": STEP_TEXT})

SCRIPTS = {
    "roo": Script(
        Call("write_to_file", {"path": FILE, "content": TEXT}),
        Call("attempt_completion", {"result": "The greeting is written."}),
    ),
    "codex": Script(Call("apply_patch", _PATCH), "The greeting is written."),
    "mini": Script(
        Call("bash", {"command": f"printf '%s' '{TEXT}' > {FILE}"}),
        Call("bash", {"command": _SUBMIT}),
    ),
    "pydantic-ai": Script(
        Call("write_file", {"path": FILE, "content": TEXT}), "The greeting is written."
    ),
    "turns": Script(_NOTE, "All steps are taken."),
    "turns-mini": Script(Call("bash", {"command": STEP_TEXT}), Call("bash", {"command": _SUBMIT})),
}
