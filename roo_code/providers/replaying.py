"""Replay: a recording in the parts of a run, each task and its subtasks with what is theirs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from roo_code.errors import ReplayDiverged
from roo_code.json_text import JsonValue
from roo_code.messages import ImageContent
from roo_code.policy.approval import Approver
from roo_code.providers.divergence import Comparison, Divergence
from roo_code.providers.places import Places
from roo_code.providers.recorded_task import RecordedTask, prompt_of, recorded_task, words_of
from roo_code.providers.recorded_tools import RecordedDecisions, RecordedResults
from roo_code.providers.recording import read_recording
from roo_code.providers.replay import ReplayProvider
from roo_code.providers.translation import Translation
from roo_code.redaction import named_secrets


def refuse(divergence: Divergence) -> None:
    """For `tell`: ends the run."""
    raise ReplayDiverged(str(divergence))


class ReplayedTask:
    """What one task of the run takes from the recording."""

    def __init__(self, replay: Replay, recorded: RecordedTask, here: Places) -> None:
        self._recorded = recorded
        there = Places(replay.recording.header.places)
        self._translation = Translation(there, here)
        comparison = Comparison(there, here, self._translation, replay.tell)
        comparison.hide(named_secrets(os.environ))
        self.provider = ReplayProvider(
            replay.recording,
            speed=replay.speed,
            task=recorded,
            translation=self._translation,
            comparison=comparison,
        )
        self.recovery = RecordedResults(recorded, self._translation) if replay.tools else None
        self._tools = replay.tools

    def approver(self, otherwise: Approver) -> Approver:
        return RecordedDecisions(self._recorded, None if self._tools else otherwise)

    def next_message(self) -> str | None:
        """What the user said after the last reply, if that ended the run."""
        said = self._recorded.message_before(self.provider.last_place + 1)
        is_first = self.provider.last_place < 0
        return None if said is None or is_first else self._translation.text(said)

    def environment(self, index: int) -> list[str]:
        """What was told of the surroundings before a model call: those of the recording."""
        return [self._translation.text(told) for told in self._recorded.environment_before(index)]

    def answer(self, call_id: str) -> str | None:
        """What the user answered to this question."""
        said = self._recorded.answer(call_id)
        return None if said is None else self._translation.text(said)


class Replay:
    def __init__(
        self,
        path: Path,
        *,
        speed: float = 1,
        tools: bool = False,
        tell: Callable[[Divergence], None] = lambda divergence: None,
    ) -> None:
        self.recording = read_recording(path)
        self.speed = speed
        self.tools = tools
        """Whether the results of tools come from the recording too."""
        self.tell = tell
        self._main = recorded_task(self.recording)
        self._tasks: dict[str, ReplayedTask] = {}
        self._unclaimed = list(self.recording.subtasks)

    @property
    def settings(self) -> dict[str, JsonValue]:
        """Of the provider that was recorded, without its key: a task may go on with it later."""
        header = self.recording.header
        named = {"api_provider": header.provider, "api_model_id": header.model.id}
        return header.settings or dict[str, JsonValue](named)

    def opening(self, workspace: Path) -> tuple[str, tuple[ImageContent, ...]]:
        """The prompt, with the paths it has here, and the images with it."""
        text, images = prompt_of(self._main, self.recording)
        there = Places(self.recording.header.places)
        return Translation(there, Places.here(workspace)).text(text), images

    def task(self, task_id: str, prompt: str, here: Places, *, is_subtask: bool) -> ReplayedTask:
        """The part of a task; the same each time it is driven."""
        if task_id not in self._tasks:
            recorded = self._claim(prompt, here) if is_subtask else self._main
            self._tasks[task_id] = ReplayedTask(self, recorded, here)
        return self._tasks[task_id]

    def known(self, task_id: str) -> ReplayedTask | None:
        return self._tasks.get(task_id)

    def _claim(self, prompt: str, here: Places) -> RecordedTask:
        """The first recorded subtask with these orders that no other task has taken."""
        there = Places(self.recording.header.places)
        for label in self._unclaimed:
            recorded = recorded_task(self.recording, label)
            said = words_of(recorded.opening) if recorded.opening else None
            if said is not None and there.neutral(said) == here.neutral(prompt):
                self._unclaimed.remove(label)
                return recorded
        return RecordedTask({}, {}, {}, {})
