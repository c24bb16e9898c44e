"""Whatever fails, and wherever a process dies, a file is the old one or the new one."""

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from roo_code.errors import ToolError
from roo_code.workspace import file_changes, opening
from roo_code.workspace.file_changes import MISSING, FileChange, change_files, version_of

OLD = {"a": b"old a\n" * 3000, "b": b"old b\n", "gone": b"old gone\n"}
NEW = {"a": b"new a\n" * 5000, "b": b"new b\n", "sub/made": b"made\n"}


def start(folder: Path) -> None:
    for name, data in OLD.items():
        (folder / name).write_bytes(data)


def changes(folder: Path) -> list[FileChange]:
    return [
        FileChange(folder / "gone", None),
        *(FileChange(folder / name, data) for name, data in NEW.items()),
    ]


def tree(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def identities(folder: Path) -> dict[str, tuple[int, int]]:
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.iterdir()}


class WatchedSystem:
    """The `os` module, but before or after call number `fatal` something happens."""

    def __init__(self, fatal: int, happen: Callable[[], object], *, after: bool) -> None:
        self.calls = 0
        self._fatal = fatal
        self._happen = happen
        self._after = after

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(os, name)
        if not callable(attribute) or name in {"close", "strerror", "urandom"}:
            return attribute

        def watched(*arguments: Any, **options: Any) -> Any:
            self.calls += 1
            mine = self.calls == self._fatal
            if mine and not self._after:
                self._happen()
            try:
                return attribute(*arguments, **options)
            finally:
                if mine and self._after:
                    self._happen()

        return watched


def watch(system: WatchedSystem) -> None:
    for module in (file_changes, opening):
        vars(module)["os"] = system


@pytest.fixture(autouse=True)
def own_system() -> Iterator[None]:
    yield
    for module in (file_changes, opening):
        vars(module)["os"] = os


def no_space() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def calls_needed(folder: Path) -> int:
    folder.mkdir()
    start(folder)
    system = WatchedSystem(0, no_space, after=False)
    watch(system)
    change_files(folder, changes(folder))
    watch(WatchedSystem(0, no_space, after=False))
    assert tree(folder) == NEW
    return system.calls


def test_a_call_that_fails_anywhere_leaves_everything_as_it_was(tmp_path: Path) -> None:
    total = calls_needed(tmp_path / "count")
    assert total > 40
    failed = 0
    for number in range(1, total + 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        start(folder)
        before = identities(folder)
        watch(WatchedSystem(number, no_space, after=False))
        try:
            change_files(folder, changes(folder))
        except OSError:
            failed += 1
            assert tree(folder) == OLD, number
            assert identities(folder) == before, number
        else:  # what failed does not matter, such as cleaning up
            assert {name: tree(folder)[name] for name in NEW} == NEW
            assert "gone" not in tree(folder)
    assert failed > 30


def die_at_every_call(folder: Path, *, after: bool) -> None:
    """Forks, so it runs in a process of its own that has no threads."""
    for number in range(1, calls_needed(folder / "count") + 1):
        place = folder / str(number)
        place.mkdir()
        start(place)
        child = os.fork()
        if child == 0:
            watch(WatchedSystem(number, lambda: os.kill(os.getpid(), signal.SIGKILL), after=after))
            change_files(place, changes(place))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), number


@pytest.mark.parametrize("after", [False, True])
def test_a_process_that_dies_at_any_call_leaves_each_file_old_or_new(
    tmp_path: Path, *, after: bool
) -> None:
    script = (
        "import sys; from pathlib import Path; from tests.workspace import test_file_changes as t; "
        f"t.die_at_every_call(Path(sys.argv[1]), after={after})"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], cwd=root, check=True)
    places = [place for place in tmp_path.iterdir() if place.name != "count"]
    assert len(places) > 40
    for place in places:
        found = {name: data for name, data in tree(place).items() if ".roo-" not in name}
        for name, data in found.items():
            assert data in {OLD.get(name), NEW.get(name)}, (place.name, name)
        assert {"a", "b"} <= found.keys()
        assert "gone" in found or found == NEW  # what goes, goes last


WRITER = """
import sys
from pathlib import Path
from roo_code.workspace.files import replace_file
folder = Path(sys.argv[1])
print("ready", flush=True)
while True:
    for letter in b"ab":
        replace_file(folder, folder / "file", bytes([letter]) * 300_000)
"""


def test_a_writer_that_is_killed_at_any_time_leaves_a_whole_file(tmp_path: Path) -> None:
    whole = {b"a" * 300_000, b"b" * 300_000}
    seen: set[bytes] = set()
    for turn in range(12):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE
        )
        assert writer.stdout is not None
        with writer.stdout:
            assert writer.stdout.readline() == b"ready\n"
            deadline = time.monotonic() + 20
            while not (tmp_path / "file").exists() and time.monotonic() < deadline:
                pass
            for _ in range(turn * 997):  # a little later each time
                os.getpid()
        writer.kill()
        writer.wait()
        data = (tmp_path / "file").read_bytes()
        assert data in whole
        seen.add(data)
    assert seen <= whole


def test_a_version_that_is_no_longer_there_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    version = version_of(file.stat())
    file.write_bytes(b"changed by another")
    for known in (version, MISSING):
        with pytest.raises(ToolError, match="changed by something else just now"):
            change_files(tmp_path, [FileChange(file, b"new", known)])
    with pytest.raises(ToolError, match="changed by something else"):
        change_files(tmp_path, [FileChange(tmp_path / "none", b"new", version)])
    assert tree(tmp_path) == {"file": b"changed by another"}


def test_a_change_that_comes_while_the_new_file_is_written_wins(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    version = version_of(file.stat())
    system = WatchedSystem(5, lambda: file.write_bytes(b"theirs"), after=True)
    watch(system)
    with pytest.raises(ToolError, match="changed by something else just now"):
        change_files(tmp_path, [FileChange(file, b"new", version)])
    assert tree(tmp_path) == {"file": b"theirs"}


def test_without_links_the_old_files_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(tmp_path)
    (tmp_path / "a").chmod(0o741)

    def refuse(*arguments: object, **options: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)
    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", refuse)  # the last step
        with pytest.raises(OSError, match="not permitted"):
            change_files(tmp_path, [FileChange(tmp_path / "a", b"new"), changes(tmp_path)[0]])
    assert (tmp_path / "a").read_bytes() == OLD["a"]
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o741


def test_what_cannot_be_undone_is_told_with_where_the_old_content_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(tmp_path)
    real, calls = os.replace, iter(range(10))

    def fail_after_first(*arguments: Any, **options: Any) -> None:
        if next(calls):
            no_space()
        real(*arguments, **options)

    monkeypatch.setattr(os, "replace", fail_after_first)
    with pytest.raises(
        ToolError, match=r"could not be undone: 'a' \(old content: '(.*)'\)"
    ) as error:
        change_files(tmp_path, [FileChange(tmp_path / name, b"new") for name in ("a", "b")])
    kept = str(error.value).split("old content: '")[1].split("'")[0]
    assert (tmp_path / kept).read_bytes() == OLD["a"]
    assert (tmp_path / "b").read_bytes() == OLD["b"]
