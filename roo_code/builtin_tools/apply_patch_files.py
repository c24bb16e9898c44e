"""The files of a patch as they will be, until all of it is known to fit."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from roo_code.builtin_tools.apply_patch_format import (
    AddFile,
    DeleteFile,
    Operation,
    UpdateFile,
)
from roo_code.builtin_tools.apply_patch_hunks import place_hunks
from roo_code.builtin_tools.editing.document import Document, LineCounts, count_lines
from roo_code.builtin_tools.editing.opened_file import OpenedFile, open_for_edit, refuse_stale
from roo_code.builtin_tools.editing.reporting import edit_note
from roo_code.errors import NotAllowed, ToolError
from roo_code.tools import ToolContext, ToolOutcome
from roo_code.workspace.file_changes import MISSING, FileChange, Version, change_files
from roo_code.workspace.files import digest, read_state
from roo_code.workspace.opening import told_plainly
from roo_code.workspace.text import TextFormat

MOST_CHARACTERS = 6000
"""Of all problems together; of those beyond, only the first line is told."""


class _Entry(NamedTuple):
    """One path, as it is on disk and as the patch will leave it."""

    version: Version
    file: OpenedFile | None
    """None: there will be no such file."""


class PatchedFiles:
    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._workspace = context.workspace
        self._entries: dict[Path, _Entry] = {}
        self._notes: list[str] = []
        self._problems: list[str] = []

    def take(self, operation: Operation) -> None:
        """Work out one operation on top of those before it; what does not fit is gathered."""
        try:
            with told_plainly(operation.path):
                match operation:
                    case AddFile():
                        self._add(operation)
                    case DeleteFile():
                        self._delete(operation)
                    case UpdateFile():
                        self._update(operation)
        except NotAllowed:
            raise
        except ToolError as error:
            self._problems.append(str(error))

    def save(self) -> ToolOutcome:
        """Carry out everything, if all of it fits."""
        if self._problems:
            raise ToolError(_report(self._problems))
        changes: list[FileChange] = []
        seen: dict[str, str] = {}
        for path, (version, file) in self._entries.items():
            if file is not None:
                data = file.encode(file.text)
                seen[file.shown] = digest(data)
                changes.append(FileChange(path, data, version, file.mode))
            elif version != MISSING:
                changes.append(FileChange(path, None, version))
                seen[self._workspace.relative(path)] = ""  # that it is gone is no news
        with told_plainly("the patch"):
            change_files(self._workspace.home_of(next(iter(self._entries))), changes)
        return ToolOutcome("\n".join(self._notes), seen_files=seen)

    def _add(self, operation: AddFile) -> None:
        path, version = self._free_place(operation.path)
        shown, home = self._workspace.relative(path), self._workspace.home_of(path)
        text = "".join(f"{line}\n" for line in operation.lines)
        file = OpenedFile(shown, home, path, text, TextFormat(), version)
        self._entries[path] = _Entry(version, file)
        self._note(shown, "created", counts=LineCounts(added=len(operation.lines)))

    def _delete(self, operation: DeleteFile) -> None:
        path = self._workspace.resolve(operation.path)
        shown = self._workspace.relative(path)
        if (entry := self._entries.get(path)) is not None:
            version = entry.version if entry.file is not None else None
        else:
            state = read_state(self._workspace.home_of(path), path)
            version = state.version if state is not None else None
            if state is not None:
                refuse_stale(self._context, shown, state)
        if version is None:
            raise ToolError(f"{shown!r} cannot be deleted: there is no such file.")
        self._entries[path] = _Entry(version, None)
        self._note(shown, "deleted")

    def _update(self, operation: UpdateFile) -> None:
        file = self._opened(operation.path)
        document = Document(file.text)
        splices, problems = place_hunks(document.lines, operation.hunks)
        self._problems += [f"{file.shown}: {problem}" for problem in problems]
        changed = file._replace(text=document.with_changes(splices, close=True))
        counts = count_lines(splices)
        version = self._entries[file.path].version if file.path in self._entries else file.version
        if operation.move_to is None:
            self._entries[file.path] = _Entry(version, changed)
            self._note(file.shown, "modified", counts=counts)
            return
        target, there = self._free_place(operation.move_to)
        shown = self._workspace.relative(target)
        self._entries[target] = _Entry(there, changed._replace(shown=shown, path=target))
        self._entries[file.path] = _Entry(version, None)
        self._note(shown, "modified", f"It was moved there from {file.shown}.", counts=counts)

    def _opened(self, written: str) -> OpenedFile:
        entry = self._entries.get(self._workspace.resolve(written))
        if entry is None:
            return open_for_edit(self._context, written)
        if entry.file is None:
            raise ToolError(f"{written!r} was deleted or moved earlier in the patch.")
        return entry.file

    def _free_place(self, written: str) -> tuple[Path, Version]:
        """Where a file may come to be without taking the place of another."""
        path = self._workspace.resolve(written)
        if (entry := self._entries.get(path)) is not None:
            taken, version = entry.file is not None, entry.version
        else:
            taken = read_state(self._workspace.home_of(path), path) is not None
            version = MISSING
        if taken:
            raise ToolError(
                f"{written!r} exists already. Change it with '*** Update File', or delete it first."
            )
        return path, version

    def _note(
        self, shown: str, operation: str, *remarks: str, counts: LineCounts | None = None
    ) -> None:
        self._notes.append(edit_note(shown, operation, size=counts or "", remarks=remarks))


def _report(problems: list[str]) -> str:
    parts = ["The patch does not fit, so nothing was changed. Read what differs, then try again."]
    left = MOST_CHARACTERS
    for problem in problems:
        told = problem if len(problem) <= left else problem.split("\n", 1)[0]
        left -= len(told)
        parts.append(told)
    return "\n\n".join(parts)
