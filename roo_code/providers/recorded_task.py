"""One task of a recording: what it asked, was told, and heard from the user."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roo_code.errors import ConfigError
from roo_code.events import ApprovalDecided
from roo_code.messages import ENVIRONMENT_TAG, ImageContent, Message, TextContent, ToolResult
from roo_code.providers.base import ModelRequest
from roo_code.providers.recording import Recording, ReplyLine, RequestLine, ToolResultLine

_ANSWER = re.compile(r"<user_message>\n(.*)\n</user_message>", re.DOTALL)


@dataclass(frozen=True)
class RecordedTask:
    requests: Mapping[int, ModelRequest]
    """By the place of the call; of one that was made again, the last."""
    replies: Mapping[int, ReplyLine]
    results: Mapping[str, ToolResult]
    """By the id of the call."""
    decisions: Mapping[str, ApprovalDecided]

    @property
    def opening(self) -> Message | None:
        """What the user said first."""
        for index in sorted(self.requests):
            if messages := self.requests[index].messages:
                return messages[0]
        return None

    def message_before(self, index: int) -> str | None:
        """What the user said between this model call and the one before."""
        request = self.requests.get(index)
        if request is None or not request.messages or request.messages[-1].role != "user":
            return None
        return words_of(request.messages[-1]) or None

    def environment_before(self, index: int) -> list[str]:
        """What the program told of the surroundings before this model call."""
        request = self.requests.get(index)
        if request is None or not request.messages or request.messages[-1].role != "user":
            return []
        return [text for text in _texts(request.messages[-1]) if text.startswith(ENVIRONMENT_TAG)]

    def answer(self, call_id: str) -> str | None:
        """What the user answered to a question."""
        result = self.results.get(call_id)
        found = _ANSWER.fullmatch(result.content) if result else None
        return found.group(1) if found else None


def recorded_task(recording: Recording, task: str | None = None) -> RecordedTask:
    lines = list(recording.of_task(task))
    results = [line for line in lines if isinstance(line, ToolResultLine)]
    return RecordedTask(
        requests=dict(recording.requests(task)),
        replies={line.index: line for line in lines if isinstance(line, ReplyLine)},
        # A process that died between a result and its line told it with the next request.
        results={
            **_results_in(lines),
            **{line.result.tool_use_id: line.result for line in results},
        },
        decisions={
            line.result.tool_use_id: line.decision for line in results if line.decision is not None
        },
    )


def prompt_of(task: RecordedTask, recording: Recording) -> tuple[str, tuple[ImageContent, ...]]:
    if task.opening is None:
        raise ConfigError(
            f"The recording {str(recording.path)!r} holds no request, so there is no prompt in it.",
            hint='Give one: roo --replay FILE "PROMPT", or record the task again.',
        )
    images = (block for block in task.opening.content if isinstance(block, ImageContent))
    return words_of(task.opening), tuple(images)


def words_of(message: Message) -> str:
    """What the user said in it, with what the words point at."""
    return "\n".join(text for text in _texts(message) if not text.startswith(ENVIRONMENT_TAG))


def _texts(message: Message) -> list[str]:
    return [block.text for block in message.content if isinstance(block, TextContent)]


def _results_in(lines: Sequence[object]) -> dict[str, ToolResult]:
    requests = (line for line in lines if isinstance(line, RequestLine))
    messages = (message for line in requests for message in line.messages)
    blocks = (block for message in messages for block in message.content)
    return {block.tool_use_id: block for block in blocks if isinstance(block, ToolResult)}
