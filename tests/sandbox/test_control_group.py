import os
from pathlib import Path

import pytest

from roo_code.sandbox.control_group import ControlGroup
from roo_code.sandbox.policy import Limits

FILES = ("memory.max", "memory.swap.max", "pids.max", "cgroup.procs",
         "memory.limit_in_bytes", "memory.memsw.limit_in_bytes")  # fmt: skip


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that fills new folders with files, and lets them go with them, as cgroups do."""
    mkdir, rmdir = Path.mkdir, Path.rmdir

    def filled(self: Path, mode: int = 0o777) -> None:
        mkdir(self, mode)
        for name in FILES:
            (self / name).touch()

    def emptied(self: Path) -> None:
        for name in FILES:
            (self / name).unlink()
        rmdir(self)

    monkeypatch.setattr(Path, "mkdir", filled)
    monkeypatch.setattr(Path, "rmdir", emptied)
    return tmp_path


def proc(folder: Path, membership: str, mounts: str) -> Path:
    os.makedirs(folder / "proc/self")  # noqa: PTH103 - the other way is filled
    (folder / "proc/self/cgroup").write_text(membership)
    (folder / "proc/self/mountinfo").write_text(mounts)
    return folder / "proc"


def test_a_unified_group_is_beside_our_own(kernel: Path) -> None:
    os.makedirs(kernel / "cg/app.slice/us.scope")  # noqa: PTH103
    mounts = f"30 20 0:26 / {kernel}/cg rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
    group = ControlGroup(
        Limits(memory=1000, processes=10),
        proc=proc(kernel, "0::/app.slice/us.scope\n", mounts),
    )
    assert group.holds == {"memory", "pids"}
    (joined,) = group.joined_through
    assert joined.parent.parent == kernel / "cg/app.slice"
    assert (joined.parent / "memory.max").read_text() == "1000"
    assert (joined.parent / "memory.swap.max").read_text() == "0"
    assert (joined.parent / "pids.max").read_text() == "14"
    group.close()
    assert [path.name for path in (kernel / "cg/app.slice").iterdir()] == ["us.scope"]


def test_older_groups_are_one_for_each_controller(kernel: Path) -> None:
    os.makedirs(kernel / "m/us")  # noqa: PTH103
    os.makedirs(kernel / "p")  # noqa: PTH103
    mounts = (
        f"30 20 0:26 / {kernel}/m rw - cgroup cgroup rw,memory\n"
        f"31 20 0:27 / {kernel}/p rw - cgroup cgroup rw,pids\n"
    )
    membership = "4:memory:/us\n3:pids:/\n2:cpu:/\n"
    (kernel / "p/roo-sandbox-4194999-1-").mkdir()
    group = ControlGroup(Limits(memory=1000), proc=proc(kernel, membership, mounts))
    assert group.holds == {"memory", "pids"}
    assert {file.parent.parent for file in group.joined_through} == {kernel / "m/us", kernel / "p"}
    assert len([*(kernel / "p").iterdir()]) == 1  # that of a process which is gone, is gone
    group.close()
    assert not [*(kernel / "p").iterdir()]


def test_where_none_can_be_made_none_holds(tmp_path: Path) -> None:
    mounts = f"30 20 0:26 / {tmp_path}/missing rw - cgroup2 cgroup2 rw\n"
    group = ControlGroup(Limits(), proc=proc(tmp_path, "0::/us\n", mounts))
    assert (group.holds, group.joined_through) == (set(), ())
    group.close()
    assert ControlGroup(Limits(), proc=tmp_path / "nowhere").holds == set()


def test_a_group_without_its_files_holds_nothing(tmp_path: Path) -> None:
    mounts = f"30 20 0:26 / {tmp_path} rw - cgroup2 cgroup2 rw\n"
    group = ControlGroup(Limits(), proc=proc(tmp_path, "0::/\n", mounts))
    assert group.holds == set()
    assert [path.name for path in tmp_path.iterdir()] == ["proc"]
