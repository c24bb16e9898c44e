"""The block of code around a line, found by its indentation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_TAB = 4
_HEADERS = ("#", "//", "--", "/*", "*", "'''", '"""', "@")
_CLOSER = re.compile(r"[)\]}]|</|(?:end|fi|done|esac)\b", re.IGNORECASE)


@dataclass(frozen=True)
class BlockRules:
    max_levels: int = 0
    """How many levels to go out from the anchor; 0 goes to the outermost."""
    include_siblings: bool = False
    include_header: bool = True
    most: int = 2000


def block_around(lines: Sequence[str], anchor: int, rules: BlockRules) -> tuple[int, int]:
    """First and last index of the block that holds the line at `anchor`.

    It grows one line up and one line down in turn, so that a limit cuts both ends alike.
    """
    edge = _Edge(lines, anchor, rules)
    top = bottom = anchor
    up = down = True
    while (up or down) and bottom - top + 1 < rules.most:
        up = up and top > 0 and edge.goes_up_to(top - 1)
        top -= up
        if bottom - top + 1 < rules.most:
            down = down and bottom + 1 < len(lines) and edge.goes_down_to(bottom + 1)
            bottom += down
    while top < anchor and not lines[top].strip():
        top += 1
    while bottom > anchor and not lines[bottom].strip():
        bottom -= 1
    return top, bottom


class _Edge:
    """Decides, line by line, whether the block reaches that far."""

    def __init__(self, lines: Sequence[str], anchor: int, rules: BlockRules) -> None:
        self._lines = lines
        self._levels = _levels(lines)
        self._rules = rules
        level = self._levels[anchor]
        self._lowest = max(0, level - rules.max_levels) if rules.max_levels else 0
        # Above the line that opens the block only its header may stand.
        self._opened = level == self._lowest and not _CLOSER.match(lines[anchor].strip())
        self._closed = False

    def goes_up_to(self, index: int) -> bool:
        text, level = self._lines[index].strip(), self._levels[index]
        if level < self._lowest:
            return False
        if self._rules.include_siblings:
            return True
        if self._opened:
            return self._rules.include_header and text.startswith(_HEADERS)
        self._opened = level == self._lowest and bool(text) and not _CLOSER.match(text)
        return True

    def goes_down_to(self, index: int) -> bool:
        text, level = self._lines[index].strip(), self._levels[index]
        if level < self._lowest or self._closed:
            return False
        if self._rules.include_siblings or level > self._lowest or not text:
            return True
        closer = _CLOSER.match(text) is not None
        self._closed = closer and not text.endswith((":", "{", "("))  # `) -> int:` goes on
        return closer


def _levels(lines: Sequence[str]) -> list[int]:
    """Depth of each line; a blank one is as deep as the line before it."""
    widths = [_width(line) if line.strip() else None for line in lines]
    unit = min((width for width in widths if width is not None and width > 1), default=_TAB)
    levels: list[int] = []
    for width in widths:
        inherited = levels[-1] if levels else 0
        levels.append(inherited if width is None else width // unit)
    return levels


def _width(line: str) -> int:
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    return indent.count(" ") + _TAB * indent.count("\t")
