import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from roo_code.builtin_tools.apply_patch import ApplyPatch, ApplyPatchInput
from roo_code.workspace import file_changes
from roo_code.workspace.files import digest
from tests.builtin_tools.calls import Caller, identity


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())


def tree(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


async def test_every_file_is_told_and_known_afterwards(caller: Caller) -> None:
    """Roo tells only the first."""
    write(caller.folder, a="1\n2\n", b="x\n", c="y\n")
    result = await caller.call(
        "apply_patch",
        patch=patch(
            "*** Update File: a", "@@", " 1", "-2", "+two", "+three",
            "*** Delete File: b",
            "*** Update File: c", "*** Move to: d/e", "@@", "-y", "+z",
            "*** Add File: f", "+new",
        ),
    )  # fmt: skip
    notes = [json.loads(line) for line in result.content.split("\n")]
    assert [(note["path"], note["operation"]) for note in notes] == [
        ("a", "modified"), ("b", "deleted"), ("d/e", "modified"), ("f", "created"),
    ]  # fmt: skip
    assert "2 lines added, 1 removed" in notes[0]["notice"]
    assert "moved there from c" in notes[2]["notice"]
    files = {"a": b"1\ntwo\nthree\n", "d/e": b"z\n", "f": b"new\n"}
    assert tree(caller.folder) == files
    gone = {"b": "", "c": ""}
    assert result.seen_files == {path: digest(data) for path, data in files.items()} | gone


def test_all_files_of_a_patch_are_named_to_the_policy() -> None:
    text = patch(
        "*** Add File: a", "+x", "  *** Delete File: b ",
        "*** Update File: c", "*** Move to: .roo/d", "@@", "-y", "+z",
        "*** Update File: c", "-y", "+z",
    )  # fmt: skip
    assert ApplyPatch().paths(ApplyPatchInput(patch=text)) == ("a", "b", "c", ".roo/d")
    assert ApplyPatch().paths(ApplyPatchInput(patch=text[:-5])) == ()


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["*** Add File: b", "+x"], "'b' exists already"),
        (["*** Delete File: none"], "no such file"),
        (["*** Update File: none", "-a", "+b"], "'none' does not exist"),
        (["*** Update File: b", "-nope", "+b"], "b: Hunk in line 9 of the patch: failed to find"),
        (["*** Update File: b", "*** Move to: a", "-x", "+b"], "'a' exists already"),
        (["*** Update File: b", "@@ nope", "-x", "+b"], "its @@ names a line"),
        (["*** Delete File: b", "*** Update File: b", "-x", "+y"], "earlier in the patch"),
        (["*** Delete File: b", "*** Delete File: b"], "no such file"),
        (["*** Delete File: folder"], "it is a folder"),
        (["*** Add File: b/c", "+x"], "a part of the path is a file"),
        (["*** Add File: ../c", "+x"], "outside the workspace"),
        (["*** Update File: b", "*** Move to: ../c", "-x", "+y"], "outside the workspace"),
        (["*** Update File: latin", "-é", "+€"], "written in latin-1, which lacks '€'"),
    ],
)
async def test_one_part_that_does_not_fit_leaves_all_files_as_they_were(
    caller: Caller, lines: list[str], told: str
) -> None:
    write(caller.folder, a="1\n2\n", b="x\n")
    (caller.folder / "latin").write_bytes("é\n".encode("latin-1"))
    (caller.folder / "folder").mkdir()
    before, state = tree(caller.folder), identity(caller.folder / "a")
    change = ["*** Update File: a", "@@", "-2", "+two", "*** Add File: new/deep/file", "+x"]
    result = await caller.call("apply_patch", patch=patch(*change, *lines))
    assert result.is_error
    assert told in result.content
    assert tree(caller.folder) == before
    assert identity(caller.folder / "a") == state
    assert not (caller.folder / "new").exists()


async def test_every_part_that_does_not_fit_is_told(caller: Caller) -> None:
    write(caller.folder, a="alpha\nbeta\ngamma\n")
    text = patch(
        "*** Update File: a", "@@", "-alpha1", "+x", "@@", " beta", "@@", "-gamma2", "+y",
        "*** Delete File: none",
    )  # fmt: skip
    result = await caller.call("apply_patch", patch=text)
    assert "Hunk in line 3" in result.content
    assert "1 | alpha\nFirst difference in line 1; expected there: 'alpha1'" in result.content
    assert "Hunk in line 8" in result.content
    assert "3 | gamma" in result.content
    assert "'none' cannot be deleted" in result.content


async def test_lines_around_a_change_stay_as_the_file_has_them(caller: Caller) -> None:
    """Others write them as the patch has them, with its blanks and signs."""
    write(caller.folder, a="\tif “x”:  \r\n\t\told()\r\n\tend\n")
    text = patch(
        "*** Update File: a", "@@", '     if "x":', "-        old()", "+        new()", "     end"
    )
    await caller.call("apply_patch", patch=text)
    assert (caller.folder / "a").read_bytes() == ("\tif “x”:  \r\n\t\tnew()\r\n\tend\n".encode())


@pytest.mark.parametrize(
    ("before", "lines", "after"),
    [
        ("a\nx\nb\nx\n", ["@@ b", "-x", "+y"], "a\nx\nb\ny\n"),
        ("class A:\n  def f():\n    1\nclass B:\n  def f():\n    1\n",
         ["@@ class B:", "@@   def f():", "-    1", "+    2"],
         "class A:\n  def f():\n    1\nclass B:\n  def f():\n    2\n"),
        ("a\nx\nb\nx\n", ["@@", "-x", "+y", "*** End of File"], "a\nx\nb\ny\n"),
        ("x\na\nx\n", ["@@", "-x", "+y", " a", "@@", "-x", "+z"], "y\na\nz\n"),
        ("a\nb\n", ["@@ a", "+new"], "a\nnew\nb\n"),
        ("a\nb\n", ["@@", "+new"], "a\nb\nnew\n"),
        ("a\n", ["@@", "-a", "+b", ""], "b\n"),
        ("a\nb", ["@@", "-a", "+x"], "x\nb"),
        ("a\nb", ["@@", "-b", "+x"], "a\nx\n"),
        ("a\nb", ["@@", "-b"], "a\n"),
    ],
    ids=["after a context", "after two contexts", "at the end", "one after the other",
         "added after a context", "added at the end", "air at the end of a hunk",
         "an open end untouched", "an open end changed", "a last line removed"],
)  # fmt: skip
async def test_where_hunks_go(caller: Caller, before: str, lines: list[str], after: str) -> None:
    """Roo puts lines that are only added at the end, whatever their context."""
    write(caller.folder, f=before)
    result = await caller.call("apply_patch", patch=patch("*** Update File: f", *lines))
    assert not result.is_error
    assert (caller.folder / "f").read_bytes().decode() == after


@pytest.mark.parametrize("lines", [["@@", "-x", "+y"], ["@@ b", "-x", "+y"]])
async def test_lines_that_are_there_several_times_are_refused(
    caller: Caller, lines: list[str]
) -> None:
    """Roo takes the first."""
    write(caller.folder, f="b\nx\nb\nx\n")
    result = await caller.call("apply_patch", patch=patch("*** Update File: f", *lines))
    assert "in the file 2 times (lines 2, 4)" in result.content


async def test_operations_build_on_those_before(caller: Caller) -> None:
    write(caller.folder, a="1\n", b="2\n")
    text = patch(
        "*** Update File: a", "-1", "+one",
        "*** Update File: a", "*** Move to: c", "-one", "+uno",
        "*** Update File: c", "-uno", "+eins",
        "*** Delete File: b", "*** Add File: b", "+zwei",
        "*** Add File: d", "+x", "*** Delete File: d",
    )  # fmt: skip
    result = await caller.call("apply_patch", patch=text)
    assert not result.is_error
    assert tree(caller.folder) == {"b": b"zwei\n", "c": b"eins\n"}


async def test_a_moved_file_keeps_its_rights_and_its_format(caller: Caller) -> None:
    script = caller.folder / "run.sh"
    script.write_bytes("\ufeffa\r\nb\r\n".encode("utf-16-le"))
    script.chmod(0o750)
    text = patch("*** Update File: run.sh", "*** Move to: bin/run", "-b", "+c")
    await caller.call("apply_patch", patch=text)
    moved = caller.folder / "bin/run"
    assert moved.read_bytes() == "\ufeffa\r\nc\r\n".encode("utf-16-le")
    assert stat.S_IMODE(moved.stat().st_mode) == 0o750
    assert not script.exists()


async def test_a_disk_that_fails_in_between_leaves_all_files_as_they_were(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(caller.folder, a="1\n", b="2\n", c="3\n")
    before = {path.name: identity(path) for path in caller.folder.iterdir()}
    real, calls = os.replace, iter(range(10))

    def fail_at_second(*arguments: Any, **options: Any) -> None:
        if next(calls) == 1:
            raise OSError(28, "No space left on device")
        real(*arguments, **options)

    monkeypatch.setattr(file_changes.os, "replace", fail_at_second)
    text = patch(
        "*** Update File: a", "-1", "+x", "*** Update File: b", "-2", "+x", "*** Delete File: c"
    )
    result = await caller.call("apply_patch", patch=text)
    assert result.content == "'the patch': the disk is full."
    assert {path.name: identity(path) for path in caller.folder.iterdir()} == before
