"""A reply that was recorded elsewhere, with the paths and names that hold here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from roo_code.messages import ToolResult
from roo_code.providers.places import AFTER_PATH, BEFORE_PATH, CARRIED, NEW_NAME, Places
from roo_code.providers.text_edits import Edit, edited


class Translation:
    """From the places of a recording to those of the replay, and what is learnt on the way.

    Where a result says the same in both but for the name of a new file, later replies that name
    the recorded file mean the one that is here.
    """

    def __init__(self, recorded: Places, here: Places) -> None:
        self._recorded = recorded
        self._here = here
        names = [name for name in recorded.folders if name in here.folders]
        # Two names may have one path: the first of them means it.
        self._paths = {recorded.folders[name]: here.folders[name] for name in reversed(names)}
        self._learnt: dict[str, str] = {}
        self._processes: dict[str, str] = {}
        self._compile()

    def learn(self, recorded: str, here: str) -> None:
        """From two texts that are the same when neutral."""
        pairs = zip(self._recorded.volatile(recorded), self._here.volatile(here), strict=False)
        is_news = False
        for (kind, old), (_, new) in pairs:
            names = self._processes if kind == "process" else self._learnt
            if kind in CARRIED and names.get(old, old) != new:
                names[old] = new
                is_news = True
        if is_news:
            self._compile()

    def text(self, text: str) -> str:
        return edited(text, self.find(text))

    def result(self, result: ToolResult) -> ToolResult:
        return result.replace(content=self.text(result.content))

    def find(self, text: str) -> list[Edit]:
        return [Edit(*m.span(), self._meaning(m)) for m in self._pattern.finditer(text)]

    def find_in_json(self, text: str) -> list[Edit]:
        """Of a text that is JSON, in which some characters are spelt another way."""
        return [edit._replace(text=_json(edit.text)) for edit in self.find(text)]

    def _meaning(self, match: re.Match[str]) -> str:
        return self._here.folders["temp"] if match.lastgroup else self._meanings[match.group()]

    def _compile(self) -> None:
        known = {**self._processes, **self._learnt, **self._paths}
        self._meanings = {spelt: new for old, new in known.items() for spelt in _spellings(old)}
        paths = map(_any_spelling, _longest_first(self._paths))
        patterns = list(map(_any_spelling, _longest_first(self._learnt)))
        if "temp" in self._recorded.folders and "temp" in self._here.folders:
            temp = _any_spelling(self._recorded.folders["temp"])
            patterns.append(f"(?P<temp>{BEFORE_PATH}{temp}(?={NEW_NAME}))")
        patterns += [f"{BEFORE_PATH}{path}{AFTER_PATH}" for path in paths]
        # A number only where it is killed: elsewhere it may be anything.
        patterns += [rf"(?:(?<=kill )|(?<=-- -)){pid}(?!\d)" for pid in self._processes]
        self._pattern = re.compile("|".join(patterns) or r"(?!)")


def _longest_first(texts: Iterable[str]) -> list[str]:
    return sorted(texts, key=len, reverse=True)


def _any_spelling(text: str) -> str:
    return f"(?:{'|'.join(map(re.escape, _spellings(text)))})"


def _spellings(text: str) -> list[str]:
    return sorted({text, _json(text), json.dumps(text)[1:-1]})


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
