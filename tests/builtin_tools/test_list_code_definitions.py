import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from roo_code.builtin_tools import definition_parsing, list_code_definitions
from roo_code.builtin_tools.definition_languages import LANGUAGES, language_of
from roo_code.builtin_tools.definition_parsing import Source, outline
from roo_code.workspace.short_process import short_process
from tests.builtin_tools.calls import Caller, eventually, is_alive

DATA = Path(__file__).parent / "data" / "definitions"
SAMPLES = {path.name.removesuffix(".txt"): path for path in sorted(DATA.glob("*.txt"))}
"""Sources in every language, with a suffix that keeps our own checks away from them."""
EXPECTED = (DATA / "expected").read_text(encoding="utf-8").rstrip("\n").split("\n\n")


def put_samples(caller: Caller) -> None:
    for name, path in SAMPLES.items():
        (caller.folder / name).write_bytes(path.read_bytes())


@pytest.mark.requirement("tools:list-code-definitions:symbols")
async def test_the_definitions_of_every_language_are_listed_with_their_lines(
    caller: Caller,
) -> None:
    put_samples(caller)
    result = await caller.call("list_code_definition_names", path=".")
    assert not result.is_error
    assert result.content.split("\n\n") == EXPECTED
    assert {language_of(name) for name in SAMPLES} == {*LANGUAGES}


async def test_a_file_with_errors_still_tells_what_it_defines(caller: Caller) -> None:
    names: dict[str, str] = {}
    for block in EXPECTED:
        heading, first, *_ = block.splitlines()
        name, line = heading[2:], first.partition(" | ")[2]
        lines = SAMPLES[name].read_text(encoding="utf-8").splitlines()
        broken = [*lines, "", ")}] %% <<< ((", "", *lines[: len(lines) // 2], "", "\x01 ]"]
        (caller.folder / name).write_text("\n".join(broken), encoding="utf-8")
        names[name] = line.strip()
    found = (await caller.call("list_code_definition_names")).content
    blocks = {block.splitlines()[0][2:]: block for block in found.split("\n\n")}
    assert {name for name, line in names.items() if line not in blocks.get(name, "")} == set()


@pytest.mark.parametrize("data", [b"", b"\0" * 1000, b"\xff\xfe\xfd", b"(" * 2000, b"def f(:\n"])
async def test_anything_may_stand_in_a_file(caller: Caller, data: bytes) -> None:
    for name in SAMPLES:
        (caller.folder / name).write_bytes(data)
    result = await caller.call("list_code_definition_names")
    assert not result.is_error
    assert "cannot be parsed" not in result.content


async def test_one_file_may_be_asked_for(caller: Caller) -> None:
    (caller.folder / "src").mkdir()
    (caller.folder / "src" / "a.py").write_text("class A:\n    x = 1\n", encoding="utf-8")
    result = await caller.call("list_code_definition_names", path="src/a.py")
    assert result.content == "# src/a.py\n1--2 | class A:"


async def test_files_further_below_and_ignored_ones_are_left_out(caller: Caller) -> None:
    for name in ("a.py", "secret.py", "below/b.py", "../outside.py"):
        path = caller.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("def f(): pass\n", encoding="utf-8")
    (caller.folder / "link.py").symlink_to("../outside.py")
    (caller.folder / "folder.py").mkdir()
    os.mkfifo(caller.folder / "pipe.py")
    (caller.folder / ".rooignore").write_text("secret*\n", encoding="utf-8")
    result = await caller.call("list_code_definition_names")
    assert result.content == "# a.py\n1--1 | def f(): pass"
    result = await caller.call("list_code_definition_names", path="secret.py")
    assert result.is_error
    assert "access_denied" in result.content


@pytest.mark.requirement("security:files:confined")
async def test_nothing_outside_the_workspace_is_parsed(caller: Caller) -> None:
    (caller.folder.parent / "outside.py").write_text("def f(): pass\n", encoding="utf-8")
    (caller.folder / "link.py").symlink_to("../outside.py")
    for path in ("link.py", "../outside.py", ".."):
        result = await caller.call("list_code_definition_names", path=path)
        assert result.is_error
        assert "outside the workspace" in result.content


async def test_what_cannot_be_listed_says_why(caller: Caller) -> None:
    (caller.folder / "a.xyz").touch()
    for path, reason in (("a.xyz", "Known are: bash, c, cpp"), ("missing.py", "no such file")):
        result = await caller.call("list_code_definition_names", path=path)
        assert result.is_error
        assert reason in result.content
    result = await caller.call("list_code_definition_names")
    assert result.content == "No source files of a known language are right in '.'."
    (caller.folder / "b.py").write_text("x = 1\n", encoding="utf-8")
    assert (await caller.call("list_code_definition_names")).content == "No definitions found."


async def test_files_and_text_are_bounded(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_code_definitions, "MOST_FILES", 3)
    monkeypatch.setattr(list_code_definitions, "MOST_CHARACTERS", 90)
    for name in ("a.py", "b.py", "c.py", "d.py"):
        (caller.folder / name).write_text("def f(): pass\n\ndef g(): pass\n", encoding="utf-8")
    (caller.folder / "a.py").write_bytes(b"#" * (list_code_definitions.LARGEST_FILE + 1))
    content = (await caller.call("list_code_definition_names")).content
    assert content.splitlines() == [
        "# b.py",
        "1--1 | def f(): pass",
        "3--3 | def g(): pass",
        "",
        "# c.py",
        "1--1 | def f(): pass",
        "[... cut here ...]",
        "",
        "(1 files not shown in full: ask for one of them alone.)",
        "",
        "(a.py: too large to parse; use search_files.)",
        "(The first 3 of 4 files.)",
    ]


async def test_many_files_are_parsed_by_several_processes() -> None:
    sources = [Source(f"{n}.py", "python", b"def f%d(): pass\n" % n) for n in range(200)]
    outlines = await outline(sources)
    assert [outlined.name for outlined in outlines] == [source.name for source in sources]
    assert outlines[150].definitions == [[1, 1, "def f150(): pass"]]


async def test_a_file_that_kills_the_parser_costs_only_itself() -> None:
    # A language that the worker does not know ends it, as a fault in a grammar would.
    sources = [Source(f"{n}.py", "python", b"def f(): pass\n") for n in range(4)]
    sources[1] = Source("1.py", "klingon", b"")
    outlines = await outline(sources)
    assert [outlined.problem for outlined in outlines] == ["", "it cannot be parsed", "", ""]
    outlines = await outline([source._replace(language="klingon") for source in sources])
    assert [outlined.problem for outlined in outlines][-1] == "not parsed"


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Workers that never answer; the ids of those that were started."""
    pids: list[int] = []

    @contextlib.asynccontextmanager
    async def hang(module: str) -> AsyncGenerator[asyncio.subprocess.Process]:
        async with short_process(["sleep", "1000"], stdin=asyncio.subprocess.PIPE) as process:
            pids.append(process.pid)
            yield process

    monkeypatch.setattr(definition_parsing, "worker", hang)
    return pids


async def test_a_parser_that_hangs_is_given_up(
    hanging: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(definition_parsing, "PATIENCE", 0.05)
    outlines = await outline([Source(f"{n}.py", "python", b"") for n in range(5)])
    problems = [outlined.problem for outlined in outlines]
    assert problems == ["it cannot be parsed"] * 3 + ["not parsed"] * 2
    assert not any(map(is_alive, hanging))


async def test_a_cancelled_call_leaves_no_process(hanging: list[int]) -> None:
    call = asyncio.create_task(outline([Source("a.py", "python", b"x" * 10_000_000)]))
    await eventually(lambda: hanging)
    assert is_alive(hanging[0])
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert not is_alive(hanging[0])
