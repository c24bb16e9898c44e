"""All editing tools: what is outside an edit keeps its bytes, whatever the file is like."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roo_code.workspace.text import decode_text
from tests.builtin_tools.calls import Caller, identity

ALPHABETS = {
    "utf-8": "abc \t\u00e9\u4f60\U0001f600",
    "utf-8-sig": "abc \t\u00e9\u4f60\U0001f600",
    "utf-16-le": "abc \t\u00e9\u4f60\U0001f600",
    "utf-16-be": "abc \t\u00e9\u4f60\U0001f600",
    "latin-1": "abc \t\u00e9\u00df",
    "gbk": "abc \t\u4f60\u597d\u4e16\u754c",
}
MARKS = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}


@st.composite
def files(draw: st.DrawFn) -> tuple[str, list[str]]:
    """An encoding, and lines with their ends that say so (by a first line nobody edits)."""
    encoding = draw(st.sampled_from(sorted(ALPHABETS)))
    letters = st.text(st.sampled_from(ALPHABETS[encoding]), max_size=20)
    long = st.sampled_from("ab").map(lambda letter: letter * 30_000)
    texts = draw(st.lists(st.one_of(letters, letters, long), max_size=8))
    ends = draw(st.sampled_from([["\n"], ["\r\n"], ["\n", "\r\n"], ["\r"], ["\n", "\r\n", "\r"]]))
    lines = [text + draw(st.sampled_from(ends)) for text in texts]
    first = {"latin-1": "caf\u00e9 cr\u00e8me", "gbk": "\u4f60\u597d\u4e16\u754c" * 6}
    lines.insert(0, first.get(encoding, "plain") + ends[0])
    place = draw(st.integers(1, len(lines)))
    lines.insert(place, "  the TARGET line" + draw(st.sampled_from(ends)))
    if draw(st.booleans()):
        lines[-1] = lines[-1].rstrip("\r\n") or "end"
    return encoding, lines


def written(encoding: str, text: str) -> bytes:
    return MARKS.get(encoding, b"") + text.encode(encoding)


def calls(new: str, line: int) -> dict[str, dict[str, Any]]:
    target = "  the TARGET line"
    plus = "".join(f"+{text}\n" for text in new.split("\n"))
    block = f":start_line:{line}\n-------\n{target}\n=======\n{new}\n"
    update = f"*** Update File: f\n@@\n-{target}\n{plus}"
    return {
        "apply_diff": {"path": "f", "diff": f"<<<<<<< SEARCH\n{block}>>>>>>> REPLACE"},
        "apply_patch": {"patch": f"*** Begin Patch\n{update}*** End Patch"},
        "edit": {"file_path": "f", "old_string": target, "new_string": new},
        "search_replace": {"file_path": "f", "old_string": target, "new_string": new},
        "edit_file": {"file_path": "f", "old_string": target, "new_string": new},
        "insert_content": {"path": "f", "line": line, "content": new},
    }


@pytest.mark.requirement("tools:apply-diff:search-replace")
@given(files(), st.sampled_from(["new", "new\n\tlines", "one\n\ntwo"]))
@settings(
    max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
async def test_bytes_outside_an_edit_are_identical(
    caller: Caller, made: tuple[str, list[str]], new: str
) -> None:
    encoding, lines = made
    before = written(encoding, "".join(lines))
    at = next(number for number, line in enumerate(lines) if "TARGET" in line)
    head = written(encoding, "".join(lines[:at]))
    tail = "".join(lines[at + 1 :]).encode(encoding.removesuffix("-sig"))
    bare = lines[at].rstrip("\r\n").encode(encoding.removesuffix("-sig"))
    for tool, input in calls(new, at + 1).items():
        caller.seen_files.clear()
        (caller.folder / "f").write_bytes(before)
        result = await caller.call(tool, **input)
        assert not result.is_error, (tool, result.content)
        after = (caller.folder / "f").read_bytes()
        assert after.startswith(head), tool
        assert after.endswith(tail), tool
        assert (bare in after) == (tool == "insert_content"), tool
        decoded = decode_text(after)
        assert decoded is not None
        middle = decoded[0].replace("\r\n", "\n").replace("\r", "\n")
        assert f"\n{new}" in middle, tool


@pytest.mark.parametrize("encoding", sorted(ALPHABETS))
async def test_what_read_file_shows_can_be_edited(caller: Caller, encoding: str) -> None:
    word = ALPHABETS[encoding][-2:]
    text = f"{word * 20}\r\nold {word}\r\nlast {word}"
    (caller.folder / "f").write_bytes(written(encoding, text))
    shown = (await caller.call("read_file", path="f")).content.split("\n")
    line = next(line for line in shown if line.startswith("2 | ")).removeprefix("2 | ")
    assert line == f"old {word}"
    block = f"{line}\n=======\nnew {word}\n"
    result = await caller.call(
        "apply_diff", path="f", diff=f"<<<<<<< SEARCH\n{block}>>>>>>> REPLACE"
    )
    assert not result.is_error
    after = written(encoding, text.replace("old", "new"))
    assert (caller.folder / "f").read_bytes() == after
    assert result.seen_files.keys() == {"f"}


@given(files())
@settings(
    max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
async def test_an_edit_that_does_not_fit_touches_nothing(
    caller: Caller, made: tuple[str, list[str]]
) -> None:
    encoding, lines = made
    missing = [line.replace("TARGET", "WANTED") for line in lines]
    file = caller.folder / "f"
    file.write_bytes(written(encoding, "".join(missing)))
    before = identity(file)
    for tool, input in calls("new", 2).items():
        if tool != "insert_content":
            result = await caller.call(tool, **input)
            assert result.is_error
    assert identity(file) == before
    assert [path.name for path in caller.folder.iterdir()] == ["f"]


@pytest.mark.parametrize("tool", ["write_to_file", *calls("new", 1)])
class TestEveryTool:
    @pytest.fixture
    def file(self, caller: Caller) -> Path:
        file = caller.folder / "f"
        file.write_bytes(b"first\n  the TARGET line\nlast\n")
        return file

    @pytest.fixture
    def input(self, tool: str) -> dict[str, Any]:
        return {"write_to_file": {"path": "f", "content": "new\n"}, **calls("new", 2)}[tool]

    async def test_a_file_that_changed_since_it_was_seen_is_not_edited(
        self, caller: Caller, file: Path, tool: str, input: dict[str, Any]
    ) -> None:
        await caller.call("insert_content", path="f", line=1, content="seen")
        file.write_bytes(file.read_bytes() + b"by the user\n")
        before = identity(file)
        result = await caller.call(tool, **input)
        assert result.is_error
        assert "'f' has changed since you last saw it" in result.content
        assert "Read it again" in result.content
        assert identity(file) == before

    async def test_a_file_may_be_edited_again_and_again(
        self, caller: Caller, file: Path, tool: str, input: dict[str, Any]
    ) -> None:
        assert not (await caller.call(tool, **input)).is_error
        result = await caller.call("insert_content", path="f", line=0, content="more")
        assert not result.is_error
        assert file.read_bytes().endswith(b"more\n")

    async def test_a_link_stays_a_link_and_the_file_keeps_its_rights(
        self, caller: Caller, file: Path, tool: str, input: dict[str, Any]
    ) -> None:
        real = file.rename(caller.folder / "real")
        real.chmod(0o750)
        file.symlink_to("real")
        result = await caller.call(tool, **input)
        assert result.seen_files.keys() == {"real"}
        assert file.is_symlink()
        assert b"new" in real.read_bytes()
        assert real.stat().st_mode & 0o777 == 0o750

    async def test_a_hard_link_elsewhere_is_not_changed(
        self, caller: Caller, file: Path, tool: str, input: dict[str, Any]
    ) -> None:
        outside = caller.folder.parent / "outside"
        outside.hardlink_to(file)
        before = outside.read_bytes()
        assert not (await caller.call(tool, **input)).is_error
        assert outside.read_bytes() == before != file.read_bytes()

    async def test_nothing_outside_the_workspace_is_edited(
        self, caller: Caller, file: Path, tool: str, input: dict[str, Any]
    ) -> None:
        outside = file.rename(caller.folder.parent / "outside")
        file.symlink_to(outside)
        before = identity(outside)
        result = await caller.call(tool, **input)
        assert "outside the workspace" in result.content
        assert identity(outside) == before

    async def test_a_file_that_the_user_keeps_from_the_agent_is_refused(
        self, caller: Caller, file: Path, tool: str, input: dict[str, Any]
    ) -> None:
        (caller.folder / ".rooignore").write_text("f\n", encoding="utf-8")
        before = identity(file)
        result = await caller.call(tool, **input)
        assert result.is_error
        assert ".rooignore" in result.content
        assert identity(file) == before

    async def test_a_pipe_is_refused_rather_than_waited_for(
        self, caller: Caller, file: Path, tool: str, input: dict[str, Any]
    ) -> None:
        file.unlink()
        os.mkfifo(file)
        result = await caller.call(tool, **input)
        assert result.is_error
        assert "not a file" in result.content

    async def test_the_policy_is_told_the_path(
        self, caller: Caller, tool: str, input: dict[str, Any]
    ) -> None:
        found = caller.registry.get(tool)
        assert found is not None
        assert found.group == "edit"
        assert not found.repeatable
        assert found.paths(found.input_type.model_validate(input)) == ("f",)
