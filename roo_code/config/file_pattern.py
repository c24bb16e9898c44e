"""Patterns for paths, of people we need not know: matched in bounded time, whatever they say.

`re` goes back and forth for ever on some patterns, and cannot be stopped. So a pattern is read by
its parser, and then followed along all its ways at once, step by counted step. It means what it
means to Roo: `$` is the very end, `\\d` and `\\w` are ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

_MOST_CHARACTERS = 2_000
_MOST_STEPS_LONG = 4_000
_FUEL = 1_000_000
_NAMED_GROUP = re.compile(r"\(\?<(?=[A-Za-z_])")  # as JavaScript writes it
_WORD = re.compile(r"\w", re.ASCII)

_Test: TypeAlias = Callable[[str], bool]


class BadPattern(ValueError):
    """What is wrong with a pattern, for its author."""


class _Char(NamedTuple):
    is_it: _Test


class _Fork(NamedTuple):
    ways: tuple[int, ...]


class _At(NamedTuple):
    place: str


class _Look(NamedTuple):
    steps: tuple[_Step, ...]
    behind: int | None
    """How many characters to go back; None to look ahead."""
    negated: bool


class _Done(NamedTuple):
    pass


_Step: TypeAlias = "_Char | _Fork | _At | _Look | _Done"


class FilePattern:
    """A regular expression that some part of a path has to match."""

    def __init__(self, text: str) -> None:
        self._steps = _compiled(text)

    def matches(self, path: str) -> bool:
        """False as well where it would take too long to find out."""
        try:
            return _Run(path).finds(self._steps)
        except _OutOfFuel:
            return False


@lru_cache(maxsize=256)
def file_pattern(text: str) -> FilePattern:
    return FilePattern(text)


class _OutOfFuel(Exception):
    pass


class _Run:
    """One path, followed along every way that a pattern leaves open."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._fuel = _FUEL
        self._looked: dict[tuple[int, int], bool] = {}

    def finds(self, steps: tuple[_Step, ...], start: int | None = None) -> bool:
        """Whether they match from anywhere on, or from the start given."""
        threads: set[int] = set()
        for index in range(start or 0, len(self._path) + 1):
            if start is None or index == start:
                threads.add(0)
            here = self._reached(steps, threads, index)
            if any(isinstance(steps[at], _Done) for at in here):
                return True
            if index == len(self._path):
                break
            threads = set()
            for at in here:
                step = steps[at]
                if isinstance(step, _Char) and step.is_it(self._path[index]):
                    threads.add(at + 1)
            if start is not None and not threads:
                break
        return False

    def _reached(self, steps: tuple[_Step, ...], threads: Iterable[int], index: int) -> set[int]:
        """All that can be come to without a further character."""
        reached: set[int] = set()
        left = list(threads)
        while left:
            at = left.pop()
            if at in reached:
                continue
            reached.add(at)
            self._fuel -= 1
            if self._fuel < 0:
                raise _OutOfFuel
            match steps[at]:
                case _Fork(ways):
                    left += ways
                case _At(place) if self._is_at(place, index):
                    left.append(at + 1)
                case _Look() as look if self._sees(look, index):
                    left.append(at + 1)
                case _:
                    pass
        return reached

    def _is_at(self, place: str, index: int) -> bool:
        if place in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
            return index == 0
        if place in ("AT_END", "AT_END_STRING"):
            return index == len(self._path)
        around = (self._path[max(index - 1, 0) : index], self._path[index : index + 1])
        before, after = (bool(_WORD.match(character)) for character in around)
        return (before != after) == (place == "AT_BOUNDARY")

    def _sees(self, look: _Look, index: int) -> bool:
        key = id(look), index
        if key not in self._looked:
            start = index - (look.behind or 0)
            found = start >= 0 and self.finds(look.steps, start)
            self._looked[key] = found != look.negated
        return self._looked[key]


def _compiled(text: str) -> tuple[_Step, ...]:
    if len(text) > _MOST_CHARACTERS:
        raise BadPattern(f"it is longer than {_MOST_CHARACTERS:,} characters")
    parser: Any = import_module("re._parser")
    try:
        tree = parser.parse(_NAMED_GROUP.sub("(?P<", text), re.ASCII)
    except (re.error, OverflowError) as error:
        raise BadPattern(f"it is no regular expression: {error}") from None
    except RecursionError:
        raise BadPattern("it is nested too deeply") from None
    if tree.state.flags & ~re.ASCII:
        raise BadPattern("flags such as (?i) are not supported")
    compiler = _Compiler()
    compiler.add_all(tree)
    return (*compiler.steps, _Done())


class _Compiler:
    """Turns what `re` has parsed into steps."""

    def __init__(self) -> None:
        self.steps: list[_Step] = []

    def add_all(self, tree: Iterable[tuple[Any, Any]]) -> None:
        for operator, argument in tree:
            self._add(str(operator), argument)
            if len(self.steps) > _MOST_STEPS_LONG:
                raise BadPattern("its repeats are too large")

    def _add(self, operator: str, argument: Any) -> None:
        match operator:
            case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN" | "CATEGORY" | "RANGE":
                self.steps.append(_Char(_test(operator, argument)))
            case "AT":
                self.steps.append(_At(str(argument)))
            case "SUBPATTERN":
                if argument[1] or argument[2]:
                    raise BadPattern("flags such as (?i) are not supported")
                self.add_all(argument[3])
            case "BRANCH":
                self._branch(argument[1])
            case "MAX_REPEAT" | "MIN_REPEAT":
                self._repeat(*argument)
            case "ASSERT" | "ASSERT_NOT":
                self._look(*argument, negated=operator == "ASSERT_NOT")
            case _:
                raise BadPattern("references to groups and the like are not supported")

    def _branch(self, branches: list[Any]) -> None:
        fork = len(self.steps)
        self.steps.append(_Fork(()))
        starts: list[int] = []
        ends: list[int] = []
        for branch in branches:
            starts.append(len(self.steps))
            self.add_all(branch)
            ends.append(len(self.steps))
            self.steps.append(_Fork(()))
        self.steps[fork] = _Fork(tuple(starts))
        for end in ends:
            self.steps[end] = _Fork((len(self.steps),))

    def _repeat(self, least: int, most: Any, body: Any) -> None:
        endless = str(most) == "MAXREPEAT"
        if max(least, 0 if endless else most) > _MOST_STEPS_LONG:
            raise BadPattern("its repeats are too large")
        for _ in range(least):
            self.add_all(body)
        for _ in range(1 if endless else most - least):
            fork = len(self.steps)
            self.steps.append(_Fork(()))
            self.add_all(body)
            if endless:
                self.steps.append(_Fork((fork,)))
            self.steps[fork] = _Fork((fork + 1, len(self.steps)))

    def _look(self, direction: int, body: Any, *, negated: bool) -> None:
        inner = _Compiler()
        inner.add_all(body)
        least, most = body.getwidth()
        behind = None
        if direction < 0:
            if least != most:
                raise BadPattern("what is looked for behind must be of one length")
            behind = least
        self.steps.append(_Look((*inner.steps, _Done()), behind, negated))


def _test(operator: str, argument: Any) -> _Test:
    match operator:
        case "LITERAL":
            return chr(argument).__eq__
        case "NOT_LITERAL":
            return chr(argument).__ne__
        case "ANY":
            return lambda character: character != "\n"
        case "RANGE":
            low, high = argument
            return lambda character: low <= ord(character) <= high
        case "CATEGORY":
            return _category(str(argument))
        case _:
            negated = str(argument[0][0]) == "NEGATE"
            tests = [_test(str(kind), value) for kind, value in argument[negated:]]
            return lambda character: any(test(character) for test in tests) != negated


def _category(name: str) -> _Test:
    letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[name.rpartition("_")[2]]
    pattern = re.compile(f"\\{letter.upper() if '_NOT_' in name else letter}", re.ASCII)
    return lambda character: pattern.match(character) is not None
