"""reading: what the reading tools cost over the bare work that they do."""

from __future__ import annotations

import asyncio
import random
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.endpoint import Endpoint
from benchmarks.places import ROOT, clean_environment, scratch
from benchmarks.process import run
from benchmarks.report import Column, Table
from roo_code.builtin_tools.registry import create_registry
from roo_code.messages import ToolUseContent
from roo_code.tools import ToolContext
from roo_code.workspace.ripgrep import ripgrep
from roo_code.workspace.workspace import Workspace

_FOLDERS, _FILES = 1_000, 100
_MATCHES = 60
_ROUNDS = 15
_SOURCES = 200
_QUERIES = ROOT / "roo_code" / "builtin_tools" / "definitions_queries"
_LINE = b"A line of a log file with some words in it, and the number %010d at its end.\n"
_COLUMNS = (Column("how", "how"), Column("ms", "ms", 1), Column("ratio", "/ floor"))


def measure(endpoint: Endpoint) -> list[Table]:
    with scratch() as folder:
        tables = [*_tree(folder / "tree"), _definitions(folder / "sources")]
    with scratch() as folder:
        return [*tables, _slice(folder)]


def _tree(folder: Path) -> list[Table]:
    _make_tree(folder)
    notes = [f"{_FOLDERS * _FILES:,} files in {_FOLDERS:,} folders, median of {_ROUNDS}"]
    rg = [str(ripgrep()), "--no-config"]
    search = Table("reading: search_files for what stands in few files", _COLUMNS, notes=[*notes])
    floor = "rg, its output read"
    _compare(
        search,
        {
            floor: _bare([*rg, "-n", "-C1", "-e", "needle_[0-9]+", "./"], folder),
            "search_files": _tool(folder, "search_files", regex="needle_[0-9]+"),
        },
        floor,
    )
    search.notes.append("ignore rules, the order by file and the bounds are ours")
    listing = Table("reading: list_files, recursive", _COLUMNS, notes=[*notes])
    floor = "rg --files, its output read"
    _compare(
        listing,
        {
            floor: _bare([*rg, "--files", "--hidden", "./"], folder),
            "list_files": _tool(folder, "list_files", recursive=True),
            "list_files, one level": _tool(folder, "list_files"),
        },
        floor,
    )
    listing.notes.append("it goes down level by level and stops at 200 entries; rg lists all")
    return [search, listing]


def _definitions(folder: Path) -> Table:
    table = Table(
        "reading: list_code_definition_names",
        (
            Column("how", "how"),
            Column("ms", "ms", 1),
            Column("rate", "files/s", 0),
            Column("ratio", "/ floor"),
        ),
        notes=[f"{_SOURCES} modules of the standard library, in processes that start for the call"],
    )
    folder.mkdir()
    library = Path(sysconfig.get_path("stdlib"))
    modules = sorted(library.glob("*.py"), key=lambda path: path.stat().st_size)
    for path in [path for path in modules if path.stat().st_size < 1_000_000][-_SOURCES:]:
        shutil.copy(path, folder)
    (folder / "one").mkdir()
    shutil.copy(library / "ast.py", folder / "one")
    floor = "tree-sitter, parsing alone"
    call = partial(_tool, folder, "list_code_definition_names")
    query = (_QUERIES / "python.scm").read_text(encoding="utf-8")
    ways = {
        floor: lambda: _parse(folder),
        "tree-sitter, parsing and querying": lambda: _parse(folder, query=query),
        "list_code_definition_names": call(),
    }
    _compare(table, ways, floor)
    for row in table.rows:
        milliseconds = row["ms"]
        assert isinstance(milliseconds, float)
        row["rate"] = _SOURCES / milliseconds * 1000
    one = call(path="one")
    table.add("the same for 1 file", ms=_middle(one), rate=None)
    return table


def _slice(folder: Path) -> Table:
    table = Table(
        "reading: read_file, 100 lines from the middle of a file",
        (*_COLUMNS, Column("mb", "MB more at the peak", 1)),
        notes=["the floor counts the lines in chunks of 256 KB; each in a process of its own"],
    )
    floor = "counting the lines of 1 GB"
    for name, size in (("1 MB", 1 << 20), ("1 GB", 1 << 30)):
        file = folder / f"{size}.txt"
        _make_lines(file, size)
        if size == 1 << 30:
            _add_run(table, floor, "count", file)
        _add_run(table, f"read_file of {name}", "slice", file)
    table.add_ratio("ratio", "ms", floor)
    return table


def _add_run(table: Table, name: str, what: str, file: Path) -> None:
    command = (sys.executable, "-m", "benchmarks.reading", what, file)
    runs = [run(command, cwd=ROOT, env=clean_environment()).output.split() for _ in range(3)]
    table.add(name, ms=min(float(ms) for ms, _ in runs), mb=max(float(mb) for _, mb in runs))


def _compare(table: Table, ways: dict[str, Callable[[], object]], floor: str) -> None:
    """In turns, so that what else the machine does falls on all alike."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(_ROUNDS + 1):
        for name, work in ways.items():
            started = time.perf_counter()
            work()
            if turn:
                taken[name].append(time.perf_counter() - started)
    for name, seconds in taken.items():
        table.add(name, ms=median(seconds) * 1000)
    table.add_ratio("ratio", "ms", floor)


def _middle(work: Callable[[], object]) -> float:
    taken: list[float] = []
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return median(taken) * 1000


def _bare(command: list[str], folder: Path) -> Callable[[], object]:
    return lambda: subprocess.run(command, cwd=folder, capture_output=True, check=True)


def _tool(folder: Path, name: str, **input: Any) -> Callable[[], object]:
    loop = asyncio.new_event_loop()
    registry = create_registry()
    registry.recovery = None  # which would remark that a call is made again and again
    context = ToolContext(workspace=Workspace(folder))

    def call() -> None:
        use = ToolUseContent(id="1", name=name, input=input)
        result = loop.run_until_complete(registry.execute(use, context))
        if result.is_error or result.content.startswith("No "):
            raise RuntimeError(result.content)

    return call


def _parse(folder: Path, *, query: str = "") -> None:
    from semble_grammars import (  # pyright: ignore[reportMissingTypeStubs]
        get_language,
        get_parser,
    )
    from tree_sitter import Query, QueryCursor

    parser = get_parser("python")
    cursor = QueryCursor(Query(get_language("python"), query)) if query else None
    for path in folder.glob("*.py"):
        tree = parser.parse(path.read_bytes())
        if cursor is not None:
            cursor.matches(tree.root_node)


def _make_tree(folder: Path) -> None:
    chance = random.Random(1)
    text = (ROOT / "roo_code" / "tools.py").read_text(encoding="utf-8").splitlines()
    with_match = {chance.randrange(_FOLDERS * _FILES) for _ in range(_MATCHES)}
    for number in range(_FOLDERS):
        place = folder / f"part{number % 10}" / f"group{number // 10 % 10}" / f"folder{number}"
        place.mkdir(parents=True)
        for index in range(_FILES):
            start = chance.randrange(len(text) - 20)
            lines = text[start : start + 20]
            if number * _FILES + index in with_match:
                lines.append(f"needle_{index}")
            (place / f"file{index}.py").write_text("\n".join(lines), encoding="utf-8")


def _make_lines(file: Path, size: int) -> None:
    block = 10_000
    with file.open("wb") as target:
        for first in range(0, size // len(_LINE % 0) + 1, block):
            target.write(b"".join(_LINE % number for number in range(first, first + block)))


def _count(file: Path) -> None:
    with file.open("rb", buffering=0) as opened:
        while chunk := opened.read(1 << 18):
            chunk.count(b"\n")


def _report(what: str, file: Path) -> None:
    """Milliseconds, and megabytes that the process held at most beyond what it had before."""
    middle = file.stat().st_size // len(_LINE % 0) // 2
    work = partial(_count, file)
    if what == "slice":
        work = _tool(file.parent, "read_file", path=file.name, offset=middle, limit=100)
        _make_lines(file.parent / "small", 1)
        _tool(file.parent, "read_file", path="small")()  # what the first call loads is not counted
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before, started = _peak(), time.perf_counter()
    work()
    print((time.perf_counter() - started) * 1000, (_peak() - before) / 1000)


def _peak() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


if __name__ == "__main__":
    _report(sys.argv[1], Path(sys.argv[2]))
