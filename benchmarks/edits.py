"""edits: twenty blocks of apply_diff on a large file, against the same with plain difflib."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path
from statistics import median

from benchmarks.endpoint import Endpoint
from benchmarks.places import scratch
from benchmarks.report import Column, Table
from roo_code.builtin_tools.apply_diff import ApplyDiff, ApplyDiffInput, apply_blocks
from roo_code.builtin_tools.apply_diff_blocks import Block
from roo_code.builtin_tools.apply_diff_matching import MatchRules
from roo_code.errors import ToolError
from roo_code.tools import ToolContext
from roo_code.workspace.workspace import Workspace

_LINES, _BLOCKS, _HEIGHT = 50_000, 20, 8
_ROUNDS = 5
_FLOOR = "difflib, windows within 40 lines"


def measure(endpoint: Endpoint) -> list[Table]:
    lines = [
        f"    value_{number} = compute(alpha={number}, beta={number % 7})"
        for number in range(_LINES)
    ]
    text = "\n".join(lines) + "\n"
    exact, typos = _blocks(lines), _blocks(lines, lambda line: line.replace("compute", "conpute"))
    loose = _blocks(lines, lambda line: line.strip().replace(", ", ",  "))
    table = Table(
        f"edits: apply_diff of {_BLOCKS} blocks on {_LINES:,} lines",
        (Column("how", "how"), Column("ms", "ms", 1), Column("ratio", f"/ {_FLOOR}", 4)),
        notes=[
            f"median of {_ROUNDS}; blocks of {_HEIGHT} lines; start lines are off by 3 if given",
            "difflib: the most similar window by SequenceMatcher without junk, on joined lines",
            "the whole call reads, decodes, encodes, syncs and replaces the file too",
        ],
    )
    assert _with_difflib(lines, exact) == apply_blocks(text, exact, MatchRules())[0]
    table.add(_FLOOR, ms=_time(lambda: _with_difflib(lines, exact), rounds=1))
    for name, blocks, rules in (
        ("text as it is", exact, MatchRules()),
        ("other blanks", loose, MatchRules()),
        ("typos, 90% alike", typos, MatchRules(threshold=0.9)),
    ):
        unplaced = [block._replace(start_line=0) for block in blocks]
        table.add(name, ms=_time(lambda b=blocks, r=rules: apply_blocks(text, b, r)))
        table.add(
            f"{name}, no start lines",
            ms=_time(lambda b=unplaced, r=rules: apply_blocks(text, b, r)),
        )
    nowhere = [block._replace(start_line=0) for block in typos]
    table.add("refused: not there, nearest text told", ms=_time(lambda: _refused(text, nowhere)))
    with scratch() as folder:
        table.add("the whole call, text as it is", ms=_time_calls(folder, text, exact))
    table.add_ratio("ratio", "ms", _FLOOR)
    return [table]


def _blocks(lines: list[str], written: Callable[[str], str] = str) -> list[Block]:
    """Blocks all over the file, each with one line changed, as a model would write them."""
    blocks: list[Block] = []
    for number in range(_BLOCKS):
        start = 1000 + number * (_LINES // _BLOCKS - 60)
        search = tuple(written(line) for line in lines[start : start + _HEIGHT])
        replace = (*search[:3], f"    changed_{number} = True", *search[4:])
        blocks.append(Block(1, search, replace, start + 4))
    return blocks


def _with_difflib(lines: list[str], blocks: list[Block]) -> str:
    changed = list(lines)
    for block in blocks:
        wanted = "\n".join(block.search)
        first = max(0, block.start_line - 41)
        last = min(len(lines), block.start_line + len(block.search) + 40) - len(block.search)
        scored = [
            (_ratio("\n".join(changed[start : start + len(block.search)]), wanted), start)
            for start in range(first, last + 1)
        ]
        _, start = max(scored)
        changed[start : start + len(block.search)] = block.replace
    return "\n".join(changed) + "\n"


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _refused(text: str, blocks: list[Block]) -> None:
    try:
        apply_blocks(text, blocks, MatchRules())
    except ToolError:
        return
    raise AssertionError("the blocks fit")


def _time(work: Callable[[], object], rounds: int = _ROUNDS) -> float:
    taken: list[float] = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return median(taken) * 1000


def _time_calls(folder: Path, text: str, blocks: list[Block]) -> float:
    diff = "\n".join(
        f"<<<<<<< SEARCH\n:start_line:{block.start_line}\n-------\n"
        + "\n".join([*block.search, "=======", *block.replace, ">>>>>>> REPLACE"])
        for block in blocks
    )
    context = ToolContext(workspace=Workspace(folder))
    arguments = ApplyDiffInput(path="large.py", diff=diff)
    taken: list[float] = []
    for _ in range(_ROUNDS):
        (folder / "large.py").write_text(text, encoding="utf-8")
        started = time.perf_counter()
        asyncio.run(ApplyDiff().execute(arguments, context))
        taken.append(time.perf_counter() - started)
    return median(taken) * 1000
