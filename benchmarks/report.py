"""Tables of figures, for people and as JSON."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

Cell: TypeAlias = str | float | None
Row: TypeAlias = dict[str, Cell]


@dataclass(frozen=True)
class Column:
    key: str
    title: str
    digits: int = 2


@dataclass
class Table:
    title: str
    columns: tuple[Column, ...]
    rows: list[Row] = field(default_factory=list[Row])
    notes: list[str] = field(default_factory=list[str])

    def add(self, name: str, **cells: Cell) -> None:
        self.rows.append({self.columns[0].key: name, **cells})

    def add_ratio(self, key: str, of: str, to: str | None) -> None:
        """Fill `key` with the row's figure `of` over that of the row named `to`, if it has one."""
        base = next((r.get(of) for r in self.rows if r[self.columns[0].key] == to), None)
        for row in self.rows:
            value = row.get(of)
            if isinstance(value, float | int) and isinstance(base, float | int) and base:
                row[key] = value / base

    def text(self) -> str:
        """A Markdown table with its columns in line."""
        cells = [[column.title for column in self.columns]]
        cells += [[_shown(row.get(c.key), c.digits) for c in self.columns] for row in self.rows]
        widths = [max(len(line[i]) for line in cells) for i in range(len(self.columns))]
        lines = [_line(line, widths) for line in cells]
        lines.insert(1, _line(["-" * width for width in widths], widths))
        notes = [f"- {note}" for note in self.notes]
        return "\n".join([f"### {self.title}", "", *lines, *([""] if notes else []), *notes, ""])

    def as_json(self) -> dict[str, Any]:
        return {"title": self.title, "rows": self.rows, "notes": self.notes}


def _shown(cell: Cell, digits: int) -> str:
    if cell is None:
        return "-"
    return cell if isinstance(cell, str) else f"{cell:,.{digits}f}"


def _line(cells: Iterable[str], widths: list[int]) -> str:
    padded = [
        cell.ljust(width) if i == 0 else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return f"| {' | '.join(padded)} |"


def machine() -> str:
    """What a reader must know of where the figures come from."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, {_processor()}, {os.cpu_count()} cores, "
        f"{platform.system()} {platform.machine()}, Python {sys.version.split()[0]}, "
        f"load {load:.2f} at the start"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"
