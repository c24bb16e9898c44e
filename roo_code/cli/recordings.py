"""The recording a run takes from, and the one it is written to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from roo_code.cli.answers import Answers, RecordedAnswers
from roo_code.cli.compose import open_recorder, open_replay
from roo_code.cli.compose_provider import choose_provider
from roo_code.cli.options import RunOptions
from roo_code.cli.screen import Screen
from roo_code.cli.session import Opener, workspace
from roo_code.events import TaskSpec


class Recordings:
    def __init__(self, options: RunOptions, screen: Screen) -> None:
        self._screen = screen
        self.replay = open_replay(options, self._warn, speed=1 if screen.style.terminal else 0)
        self.record = open_recorder(options)

    def _warn(self, divergence: str) -> None:
        self._screen.notice(self._screen.error_style.ask("Warning: ") + divergence)

    def choose_provider(self, options: RunOptions, stored: dict[str, Any] | None) -> dict[str, Any]:
        """A replayed task keeps the settings it has or had: nobody is asked with them."""
        if self.replay is None:
            return choose_provider(options, stored)
        return stored or self.replay.settings

    def spec(self, opener: Opener, *, shown: bool) -> TaskSpec | None:
        """The task that was recorded, if there is one; a person is shown its prompt."""
        if self.replay is None:
            return None
        prompt, images = self.replay.opening(Path(workspace(opener.options.workspace)))
        if shown:
            self._screen.write([self._screen.style.bold("> "), prompt, "\n"])
        return opener.new_spec(prompt).replace(images=images)

    def next_message(self, task_id: str) -> str | None:
        """What the user said next when the task was recorded."""
        task = self.replay.known(task_id) if self.replay else None
        return task.next_message() if task else None

    def answers(self, otherwise: Answers) -> Answers:
        return RecordedAnswers(self._answer, otherwise) if self.replay else otherwise

    def _answer(self, task_id: str, call_id: str) -> str | None:
        task = self.replay.known(task_id) if self.replay else None
        return task.answer(call_id) if task else None
