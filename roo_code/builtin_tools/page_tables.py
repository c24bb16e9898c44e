"""The tables of a page: rows of cells, unless they only lay the page out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from roo_code.builtin_tools.page_lines import PageLines


@dataclass
class _Table:
    cells: list[str] | None = None
    """Of the row that is being read; None between rows, and where cells are only for layout."""
    rows: list[list[str]] = field(default_factory=list[list[str]])
    is_layout: bool = False


class TabledLines(PageLines):
    def __init__(self) -> None:
        super().__init__()
        self._tables: list[_Table] = []

    def finished(self) -> Iterator[str]:
        while self._tables:
            self.close_table()
        return super().finished()

    def open_code(self) -> None:
        if self._table is not None and self._is_in_cell:  # as beside its line numbers
            self._become_layout(self._table)
        super().open_code()

    def open_table(self) -> None:
        if (around := self._table) is not None:  # tables in tables are how pages were laid out
            self._become_layout(around)
        self.break_line(apart=True)
        self._tables.append(_Table())

    def open_row(self) -> None:
        if (table := self._table) is None:
            self.break_line()
        else:
            self.close_row()
            table.cells = None if table.is_layout else []

    def open_cell(self) -> None:
        table = self._table
        if table is None or table.is_layout:
            self.break_line()
            return
        if table.cells is None:
            table.cells = []
        if table.cells:
            self._fill_cell(table.cells)
        self._line = ""
        table.cells.append("")

    def close_row(self) -> None:
        table = self._table
        if table is None or not table.cells:
            return
        self._fill_cell(table.cells)
        table.rows.append(table.cells)
        table.cells = None

    def close_table(self) -> None:
        if (table := self._table) is None:
            return
        self.close_row()
        self._tables.pop()
        rows = [row for row in table.rows if any(row)]
        width = max(map(len, rows), default=0)
        for number, row in enumerate(rows):
            self._put(row[0] if width == 1 else _row(row, width))
            if number == 0 and width > 1:
                self._put(_row(["---"] * width, width))
        self.break_line(apart=True)

    @property
    def _table(self) -> _Table | None:
        return self._tables[-1] if self._tables else None

    @property
    def _is_in_cell(self) -> bool:
        return self._table is not None and bool(self._table.cells)

    def _fill_cell(self, cells: list[str]) -> None:
        cells[-1] = self._line.strip().replace("|", "\\|").replace("\n", " ")
        self._line, self._prefix = "", ""

    def _become_layout(self, table: _Table) -> None:
        self.close_row()
        table.is_layout, table.cells = True, None
        rows, table.rows = table.rows, []
        for row in rows:
            if text := " ".join(filter(None, row)):
                self._put(text)


def _row(cells: list[str], width: int) -> str:
    return f"| {' | '.join([*cells, *[''] * (width - len(cells))])} |"
