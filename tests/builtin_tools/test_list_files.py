import asyncio
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from roo_code.builtin_tools import list_files
from roo_code.builtin_tools.list_files_walk import Entry, Walk
from roo_code.workspace.ripgrep import ripgrep
from tests.builtin_tools.calls import Caller


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()


async def listed(caller: Caller, path: str = ".", *, recursive: bool = False) -> list[str]:
    result = await caller.call("list_files", path=path, recursive=recursive)
    assert not result.is_error, result.content
    return result.content.splitlines()


@pytest.mark.requirement("tools:list-files:directory")
async def test_a_folder_is_listed_alone_or_with_all_below_it(caller: Caller) -> None:
    make(caller.folder, "b.txt", "a/x.py", "a/deep/er/y.py", "empty/", "B10.txt", "b2.txt")
    assert await listed(caller) == ["b.txt", "b2.txt", "B10.txt", "a/", "empty/"]
    assert await listed(caller, recursive=True) == snapshot(
        [
            "b.txt",
            "b2.txt",
            "B10.txt",
            "a/",
            "a/x.py",
            "a/deep/",
            "a/deep/er/",
            "a/deep/er/y.py",
            "empty/",
        ]
    )
    assert await listed(caller, "a/deep", recursive=True) == ["er/", "er/y.py"]


async def test_the_list_is_cut_where_it_is_deepest(caller: Caller) -> None:
    make(caller.folder, *(f"d{n}/sub/{m}.txt" for n in range(20) for m in range(20)), "z.txt")
    lines = await listed(caller, recursive=True)
    assert len(lines) == list_files.LIMIT + 2
    assert {f"d{n}/" for n in range(20)} | {"z.txt"} < {*lines}
    assert {f"d{n}/sub/" for n in range(20)} < {*lines}
    assert lines[-1] == "(Cut at 200 entries: list a folder below to see more of it.)"
    assert await listed(caller, recursive=True) == lines


async def test_a_cut_names_folders_before_files(caller: Caller) -> None:
    make(caller.folder, *(f"{n:03}.txt" for n in range(300)), "zz/", "zy/a")
    lines = await listed(caller)
    assert {"zz/", "zy/"} < {*lines}
    assert lines[:2] == ["000.txt", "001.txt"]
    assert len(lines) == list_files.LIMIT + 2


async def test_exactly_as_many_as_the_limit_are_all(caller: Caller) -> None:
    make(caller.folder, *(f"{n}.txt" for n in range(list_files.LIMIT)))
    assert len(await listed(caller)) == list_files.LIMIT


async def test_folders_of_dependencies_and_hidden_ones_are_named_but_not_opened(
    caller: Caller,
) -> None:
    make(caller.folder, "node_modules/a/x.js", ".git/config", ".hidden/y", "src/.env", "vendor/z/")
    make(caller.folder, "target/dependency/a", "target/b", "build/dependencies/c")
    assert await listed(caller, recursive=True) == snapshot(
        [
            "\N{SHIELD}\ufe0f .git/",
            ".hidden/",
            "build/",
            "build/dependencies/",
            "node_modules/",
            "src/",
            "src/.env",
            "target/",
            "target/b",
            "target/dependency/",
            "vendor/",
        ]
    )
    assert await listed(caller, "node_modules", recursive=True) == ["a/", "a/x.js"]


async def test_a_hidden_folder_that_is_asked_for_is_shown_whole(caller: Caller) -> None:
    make(caller.folder, ".github/a/.b/c", ".github/node_modules/d", ".github/dist/e", ".git/")
    (caller.folder / ".gitignore").write_text("*.log\na/\n", encoding="utf-8")
    assert await listed(caller, ".github", recursive=True) == snapshot(
        ["a/", "a/.b/", "a/.b/c", "dist/", "dist/e", "node_modules/"]
    )


async def test_what_git_ignores_is_left_out(caller: Caller) -> None:
    make(caller.folder, "a.log", "keep.log", "logs/x", "src/a.log", "src/gen/y", "src/gen.py")
    make(caller.folder, "inner/.git/", "inner/a.log", "excluded.txt", ".git/info/")
    (caller.folder / ".gitignore").write_text("*.log\n!keep.log\n/logs/\n", encoding="utf-8")
    (caller.folder / "src" / ".gitignore").write_text("gen/\n!a.log\n", encoding="utf-8")
    (caller.folder / ".git/info/exclude").write_text("excluded.*\n", encoding="utf-8")
    lines = await listed(caller, recursive=True)
    assert [line for line in lines if "git" not in line] == [
        "keep.log",
        "inner/",
        "inner/a.log",  # another repository, with rules of its own
        "src/",
        "src/a.log",
        "src/gen.py",
    ]
    assert "gen/" not in await listed(caller, "src")
    assert await listed(caller, "logs") == ["x"]


async def test_outside_a_repository_nothing_is_ignored(caller: Caller) -> None:
    make(caller.folder, "a.log")
    (caller.folder / ".gitignore").write_text("*.log\n", encoding="utf-8")
    assert await listed(caller) == [".gitignore", "a.log"]


async def test_ignored_entries_are_hidden_or_locked_and_protected_ones_marked(
    caller: Caller,
) -> None:
    make(caller.folder, "secret/key", "a.env", "AGENTS.md", ".roo/rules/x.md", "b.txt")
    (caller.folder / "link").symlink_to("secret/key")
    (caller.folder / ".rooignore").write_text("secret/\n*.env\n", encoding="utf-8")
    shield, lock = list_files.SHIELD, list_files.LOCK
    assert await listed(caller, recursive=True) == [
        f"{shield} AGENTS.md",
        "b.txt",
        f"{shield} .roo/",
    ]
    caller.settings = {"showRooIgnoredFiles": True}
    assert await listed(caller, recursive=True) == [
        f"{lock} .rooignore",
        f"{lock} a.env",
        f"{shield} AGENTS.md",
        "b.txt",
        f"{lock} link",
        f"{shield} .roo/",
        f"{lock} secret/",
    ]
    result = await caller.call("list_files", path="secret")
    assert result.is_error
    assert "access_denied" in result.content


async def test_links_are_named_but_not_followed(caller: Caller) -> None:
    make(caller.folder, "src/a", "../outside/secret")
    (caller.folder / "out").symlink_to("../outside")
    (caller.folder / "again").symlink_to("src")
    (caller.folder / "circle").symlink_to("circle")
    assert await listed(caller, recursive=True) == ["circle", "again/", "out/", "src/", "src/a"]
    assert await listed(caller, "again") == ["a"]


@pytest.mark.requirement("security:files:confined")
async def test_nothing_outside_the_workspace_is_listed(caller: Caller) -> None:
    (caller.folder / "up").symlink_to("..")
    for path in ("..", "/etc", "up", "a/../.."):
        result = await caller.call("list_files", path=path)
        assert result.is_error
        assert "outside the workspace" in result.content


async def test_what_cannot_be_listed_says_why(caller: Caller) -> None:
    make(caller.folder, "a.txt", "empty/")
    result = await caller.call("list_files", path="a.txt")
    assert (result.is_error, result.content) == (True, "'a.txt' is a file; read_file shows it.")
    result = await caller.call("list_files", path="missing")
    assert result.is_error
    assert "there is no such file" in result.content
    assert await listed(caller, "empty") == ["No files found."]


async def test_names_that_are_not_text_are_shown(caller: Caller) -> None:
    os.close(os.open(os.fsencode(caller.folder) + b"/a\xff", os.O_CREAT))
    make(caller.folder, "b\nc")
    assert await listed(caller) == ["a?", "b", "c"]


async def test_a_home_folder_is_not_listed_whole(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Roo lists nothing at all there; the first level does no harm.
    monkeypatch.setenv("HOME", str(caller.folder))
    make(caller.folder, "a/b")
    lines = await listed(caller, recursive=True)
    assert lines[0] == "a/"
    assert "Only the first level" in lines[-1]


def never(entry: Entry) -> bool:
    return False


def walk(folder: Path, **changes: Any) -> Walk:
    plain = Walk(folder, folder, 10_000, 60.0, threading.Event(), never, recursive=True)
    return plain._replace(**changes)


def test_a_walk_ends_when_the_time_is_up_or_the_call_is_cancelled(tmp_path: Path) -> None:
    make(tmp_path, "a/b")
    assert walk(tmp_path, patience=-1.0).list() == ([], False, True)
    cancelled = threading.Event()
    cancelled.set()
    assert walk(tmp_path, cancelled=cancelled).list().stopped


async def test_a_cancelled_call_ends_its_walk(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(caller.folder, "a/b")
    started, seen = threading.Event(), threading.Event()

    def wait(walk: Walk) -> None:
        started.set()
        if walk.cancelled.wait(20):
            seen.set()

    monkeypatch.setattr(Walk, "list", wait)
    call = asyncio.create_task(caller.call("list_files"))
    await asyncio.to_thread(started.wait)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await asyncio.to_thread(seen.wait, 20)


def test_a_folder_swapped_for_a_link_is_not_followed(tmp_path: Path) -> None:
    folder, outside = tmp_path / "in", tmp_path / "out"
    make(tmp_path, "in/a/b", "out/secret")

    def swap(entry: Entry) -> bool:
        if entry.parts == ("a",):
            (folder / "a" / "b").unlink()
            (folder / "a").rmdir()
            (folder / "a").symlink_to(outside)
        return False

    assert walk(folder, locks=swap).list().entries == [Entry(("a",), folder=True)]


RULES = st.lists(
    st.sampled_from(["*.a", "!x.a", "d/", "/e", "d/*", "!d/x.a", "**/e", "e/**/x.a", "x.*", "!e/"]),
    max_size=4,
).map("\n".join)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rules=st.lists(RULES, min_size=3, max_size=3))
def test_ripgrep_finds_the_same_files(tmp_path: Path, rules: list[str]) -> None:
    make(
        tmp_path, ".git/", "x.a", "y.b", "d/x.a", "d/e/x.a", "e/x.a", "e/y.b", "e/d/x.a", "e/d/z.c"
    )
    for place, text in zip((".", "d", "e"), rules, strict=True):
        (tmp_path / place / ".gitignore").write_text(text, encoding="utf-8")
    command = [ripgrep(), "--no-config", "--files", "--hidden", "--glob=!.git"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    entries = walk(tmp_path).list().entries
    ours = {"/".join(entry.parts) for entry in entries if not entry.folder}
    assert ours == set(told.stdout.splitlines())
