"""Where a replay leaves its recording: the first request that is not the recorded one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from hashlib import sha256
from itertools import islice, zip_longest

from roo_code.messages import (
    ContentBlock,
    ImageContent,
    Message,
    ReasoningContent,
    TextContent,
    ToolUseContent,
)
from roo_code.providers.base import ModelRequest
from roo_code.providers.places import Places
from roo_code.providers.translation import Translation
from roo_code.redaction import Redactor

_MOST_LINES = 40
_LONGEST_LINE = 200


@dataclass(frozen=True)
class Divergence:
    turn: int
    """Which model call of the task, counted from 1."""
    diff: str
    """From what was asked when it was recorded to what was asked now; unified, and short."""

    def __str__(self) -> str:
        return f"At model call {self.turn} the replay left the recording.\n{self.diff}"


class Comparison:
    """Holds requests against recorded ones and tells of the first that differs, once.

    What it finds alike teaches the translation which names stand for which.
    """

    def __init__(
        self,
        recorded: Places,
        here: Places,
        translation: Translation,
        tell: Callable[[Divergence], None],
    ) -> None:
        self._recorded = recorded
        self._here = here
        self._translation = translation
        self._tell = tell
        self._scrub = Redactor()
        self._alike: list[tuple[Message, Message]] = []
        self._prompts = ("", "")
        self._has_told = False

    def hide(self, secrets: Iterable[str]) -> None:
        """Values that stand in no recording and must not count as a difference."""
        self._scrub.add(secrets)

    def check(self, index: int, recorded: ModelRequest, asked: ModelRequest) -> None:
        if self._has_told or self._is_alike(recorded, asked):
            return
        self._has_told = True
        before = {k: self._recorded.neutral(v) for k, v in _parts(recorded)}
        now = {k: self._here.neutral(self._scrub(v)) for k, v in _parts(asked)}
        self._tell(Divergence(index + 1, _diff(before, now)))

    def _is_alike(self, recorded: ModelRequest, asked: ModelRequest) -> bool:
        return (
            self._has_same_prompt(recorded, asked)
            and (recorded.tools == asked.tools or _tools(recorded) == _tools(asked))
            and self._has_same_messages(recorded, asked)
        )

    def _has_same_prompt(self, recorded: ModelRequest, asked: ModelRequest) -> bool:
        prompts = (recorded.system_prompt, asked.system_prompt)
        if prompts == self._prompts:
            return True
        self._prompts = prompts
        return self._is_same(*prompts)

    def _has_same_messages(self, recorded: ModelRequest, asked: ModelRequest) -> bool:
        known = self._alike
        # Messages seen before are the same objects: a long history costs nothing but a look.
        for number, (old, new) in enumerate(zip_longest(recorded.messages, asked.messages)):
            if number < len(known) and known[number][0] is old and known[number][1] is new:
                continue
            del known[number:]
            if old is None or new is None or not self._is_same(_text_of(old), _text_of(new)):
                return False
            known.append((old, new))
        return True

    def _is_same(self, recorded: str, asked: str) -> bool:
        """Line by line: mostly few differ, and what is volatile ends with its line."""
        if recorded == asked:
            return True
        old, new = recorded.split("\n"), self._scrub(asked).split("\n")
        if len(old) != len(new):
            return False
        for before, now in zip(old, new, strict=True):
            if before != now:
                if self._recorded.neutral(before) != self._here.neutral(now):
                    return False
                self._translation.learn(before, now)
        return True


def _parts(request: ModelRequest) -> Iterator[tuple[str, str]]:
    yield "system prompt", request.system_prompt
    yield from _tools(request)
    for number, message in enumerate(request.messages, 1):
        yield f"message {number}, {message.role}", _text_of(message)


def _tools(request: ModelRequest) -> list[tuple[str, str]]:
    return [
        (f"tool {tool.name}", f"{tool.description}\n{_shown_json(tool.input_schema)}")
        for tool in request.tools
    ]


def _shown_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _text_of(message: Message) -> str:
    """What the model reads of a message; counts and the like are not asked."""
    return "\n".join([message.role, *map(_block_text, message.content)])


def _block_text(block: ContentBlock) -> str:
    if isinstance(block, TextContent):
        return block.text
    if isinstance(block, ReasoningContent):
        return f"(thinks) {block.text}"
    if isinstance(block, ImageContent):
        digest = sha256(block.data.encode()).hexdigest()[:12]
        return f"({block.media_type}, {len(block.data)} characters, {digest})"
    if isinstance(block, ToolUseContent):
        given = block.invalid_input or _shown_json(block.input)
        return f"(calls {block.name}, {block.id}) {given}"
    failed = ", failed" if block.is_error else ""
    shown = [f"(result of {block.tool_use_id}{failed}) {block.content}"]
    return "\n".join([*shown, *map(_block_text, block.images)])


def _diff(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Only of the parts that differ, each under its name."""
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    lines: list[str] = []
    for name in names:
        old, new = before.get(name, "").splitlines(), now.get(name, "").splitlines()
        lines += unified_diff(old, new, f"recorded: {name}", f"asked: {name}", n=2, lineterm="")
    shown = [line[:_LONGEST_LINE] for line in islice(lines, _MOST_LINES)]
    if len(lines) > len(shown):
        shown.append(f"[{len(lines) - len(shown)} more lines]")
    return "\n".join(shown)
