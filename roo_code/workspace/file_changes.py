"""Changes to files that come about all together or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from roo_code.errors import ToolError
from roo_code.workspace.opening import folder_of

Version: TypeAlias = tuple[int, int, int]
"""Tells whether a file is still the one that was read: inode, time of change, size."""

MISSING: Version = (0, 0, 0)
"""The version of a file that is not there."""

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class FileChange(NamedTuple):
    path: Path
    """Resolved, so that it names the file itself and no link to it."""
    data: bytes | None
    """The new content; None if the file is to go."""
    version: Version | None = None
    """What the change was worked out from. If another has come about, nothing is changed."""
    mode: int | None = None
    """The rights of a new file, if not those that the user gives new files."""


def version_of(status: os.stat_result | None) -> Version:
    return MISSING if status is None else (status.st_ino, status.st_mtime_ns, status.st_size)


def change_files(home: Path, changes: Sequence[FileChange]) -> None:
    """Carry out all changes below `home`. A failure leaves everything as it was.

    Each file is replaced at once: readers, and a crash at any point, see the old or the new,
    never a part. All that is new is on disk before the first file is touched. Folders that are
    missing are made.
    """
    with contextlib.ExitStack() as stack:
        steps: list[_Step] = []
        # What goes comes last: of a file that moves, there is always a copy.
        for change in sorted(changes, key=lambda change: change.data is None):
            create = change.data is not None
            folder = stack.enter_context(folder_of(home, change.path, create=create))
            step = _Step(change, folder)
            stack.callback(step.clean_up)
            step.prepare()
            steps.append(step)
        _carry_out(steps)
        for step in steps:
            with contextlib.suppress(OSError):  # it has happened, and some systems cannot do this
                os.fsync(step.folder)


def _carry_out(steps: Sequence[_Step]) -> None:
    try:
        for number, step in enumerate(steps, start=1):
            step.carry_out(undoable=number < len(steps))
    except BaseException as error:
        stuck = [step for step in reversed(steps) if not step.undo()]
        if stuck:
            names = ", ".join(f"{step.name!r} (old content: {step.kept!r})" for step in stuck)
            raise ToolError(
                f"The edit failed halfway; this could not be undone: {names}."
            ) from error
        raise


class _Step:
    """One change, and how to take it back."""

    def __init__(self, change: FileChange, folder: int) -> None:
        self.name = change.path.name
        self.folder = folder
        self.kept = _spare_name()
        """Where the old file is, or will be, until all is done."""
        self._change = change
        self._new = _spare_name()
        self._spare = [self._new, self.kept]
        self._done = False
        self._existed = False

    def prepare(self) -> None:
        before = self._status()
        self._existed = before is not None
        if self._change.data is None:
            if before is None:
                raise ToolError(f"{self.name!r} cannot be deleted: there is no such file.")
            return
        self._write(self._new, self._change.data, before)

    def carry_out(self, *, undoable: bool) -> None:
        self._status()  # once more: writing the new file to disk took its time
        if undoable and self._existed:
            self._keep_old()
        if self._change.data is None:
            os.unlink(self.name, dir_fd=self.folder)
        else:
            self._rename(self._new, self.name)
        self._done = True

    def undo(self) -> bool:
        """Put the old file back, or take the new one away; False if that cannot be done."""
        if not self._done:
            return True
        try:
            if self._existed:
                self._rename(self.kept, self.name)
            else:
                os.unlink(self.name, dir_fd=self.folder)
        except OSError:
            self._spare = [self._new]
            return False
        return True

    def clean_up(self) -> None:
        for name in self._spare:
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=self.folder)

    def _keep_old(self) -> None:
        here = self.folder
        try:
            os.link(self.name, self.kept, src_dir_fd=here, dst_dir_fd=here, follow_symlinks=False)
        except OSError:  # not every file system has links
            old = os.open(self.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
            with os.fdopen(old, "rb") as file:
                self._write(self.kept, file.read(), os.fstat(old))

    def _write(self, name: str, data: bytes, rights: os.stat_result | None) -> None:
        mode = self._change.mode
        closed = rights is not None or mode is not None
        descriptor = os.open(name, _NEW_FILE, 0o600 if closed else 0o666, dir_fd=self.folder)
        try:
            _write_all(descriptor, data)
            if rights is not None:
                _copy_rights(rights, descriptor)
            elif mode is not None:
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _rename(self, old: str, new: str) -> None:
        os.replace(old, new, src_dir_fd=self.folder, dst_dir_fd=self.folder)

    def _status(self) -> os.stat_result | None:
        """What is there now; an error if it must not be replaced."""
        try:
            status = os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            status = None
        if status is not None:
            _refuse_special(self.name, status)
        if self._change.version not in {None, version_of(status)}:
            raise ToolError(f"{self.name!r} was changed by something else just now. Read it again.")
        return status


def _refuse_special(name: str, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise ToolError(f"{name!r} is a folder, so it cannot be written as a file.")
    if not stat.S_ISREG(status.st_mode):
        raise ToolError(f"{name!r} is not a regular file, so it was not replaced.")
    if not status.st_mode & 0o222:
        raise ToolError(f"{name!r} is marked read-only, so it was not replaced.")


def _spare_name() -> str:
    return f".roo-{os.urandom(8).hex()}.tmp"


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _copy_rights(before: os.stat_result, descriptor: int) -> None:
    now = os.fstat(descriptor)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        with contextlib.suppress(PermissionError):  # only root may give a file away
            os.fchown(descriptor, before.st_uid, before.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
