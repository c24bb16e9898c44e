"""Files of rules: found, opened without being led astray, and read as text."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

from roo_code.config.problem import Problem
from roo_code.errors import ToolError
from roo_code.workspace.opening import open_file
from roo_code.workspace.workspace import Workspace

Signature: TypeAlias = tuple[int, int, int] | None
"""Changes whenever a file or a folder's list of entries does; None if there is nothing."""

LARGEST_BYTES = 1 << 18
MOST_FILES = 200
MOST_FOLDERS = 200
"""In one folder of rules; a project of a stranger's may have been made to keep us busy."""
DEEPEST = 20
MOST_LINKS = 5
"""Links within linked folders: deeper ones are left out."""
_NOT_RULES = (
    *(".ds_store", ".bak", ".cache", ".crdownload", ".db", ".dmp", ".dump", ".eslintcache"),
    *(".lock", ".log", ".old", ".part", ".partial", ".pyc", ".pyo", ".stackdump", ".swo", ".swp"),
    *(".temp", ".tmp", "thumbs.db"),
)


class RuleFile(NamedTuple):
    name: str
    """As the model and the user know it."""
    text: str


def user_home() -> Path:
    """Never an error, as `Path.home()` is for a user whom the system does not know."""
    return Path(os.path.expanduser("~"))  # noqa: PTH111


def signature_of(path: Path) -> Signature:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


class RuleReader:
    """One reading of all rules: what was looked at, and what could not be read, is kept.

    A project's rules may only be files of the project, wherever links lead: whoever sends a
    project must not get at the user's other files by a link. The user's own may link to anything
    of the user's.
    """

    def __init__(self, workspace: Workspace, home: Path) -> None:
        self.watched: dict[Path, Signature] = {}
        self.problems: list[Problem] = []
        self._workspace = workspace
        self._project = _real(workspace.root)
        self._user = user_home()
        self._own = tuple(map(_real, (home, self._user)))
        self._home = home
        self._folders = 0
        self._read: set[Path] = set()
        """Each file counts once: a workspace may be the folder that holds our own."""

    def watch(self, path: Path) -> Signature:
        """Noted before it is read, so that no change in between goes unseen."""
        return self.watched.setdefault(path, signature_of(path))

    def file(self, path: Path) -> list[RuleFile]:
        """The one file, if it is there and says anything."""
        if self.watch(path) is None:
            return []
        text = self._text(path)
        return [RuleFile(self.shown(path), text)] if text else []

    def folder(self, folder: Path) -> list[RuleFile]:
        """All files in and below a folder, by the names they have there."""
        found: list[Path] = []
        self._folders = 0
        for path in self._files(folder, 0, ()):
            if len(found) == MOST_FILES:
                self._refuse(folder, f"only {MOST_FILES} of its files are read", "Join some.")
                break
            found.append(path)
        found.sort(key=lambda path: (path.name.casefold(), str(path)))
        return [rule for path in found for rule in self.file(path)]

    def shown(self, path: Path) -> str:
        """From the workspace, or from the user's home folder."""
        root = self._workspace.root
        if path.is_relative_to(root):
            name = path.relative_to(root).as_posix()
        elif path.is_relative_to(self._user):
            name = f"~/{path.relative_to(self._user).as_posix()}"
        else:
            name = str(path)
        return name.encode("utf-8", "replace").decode()

    def _files(self, folder: Path, links: int, above: tuple[Path, ...]) -> Iterator[Path]:
        self._folders += 1
        if self._folders > MOST_FOLDERS or len(above) > DEEPEST:
            self._refuse(folder, "there are too many folders of rules", "Put the files together.")
            return
        if self.watch(folder) is None:
            return
        real = _real(folder)
        if real in above or self._root_of(folder, real) is None:
            return
        try:
            entries = sorted(folder.iterdir())
        except NotADirectoryError:
            return
        except OSError as error:
            self._refuse(folder, _reason(error))
            return
        for entry in entries:
            if entry.name.lower().endswith(_NOT_RULES):
                continue
            depth = links + entry.is_symlink()
            if depth > MOST_LINKS:
                self._refuse(entry, f"more than {MOST_LINKS} links lead there")
            elif entry.is_dir():
                yield from self._files(entry, depth, (*above, real))
            else:
                yield entry

    def _text(self, path: Path) -> str:
        """Empty if there is none; why is among the problems."""
        real = _real(path)
        if real in self._read:
            return ""
        root = self._root_of(path, real)
        if root is None:
            return ""
        self._read.add(real)
        try:
            with os.fdopen(open_file(root, real), "rb") as file:
                data = file.read(LARGEST_BYTES + 1)
        except FileNotFoundError:  # gone just now, or a link to nothing
            return ""
        except (OSError, ToolError) as error:
            self._refuse(path, _reason(error))
            return ""
        if len(data) > LARGEST_BYTES:
            self._refuse(path, "it is larger than 256 KB", "Keep only what is a rule in it.")
            return ""
        try:
            text = data.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            self._refuse(path, "it is not UTF-8 text", "Move it elsewhere.")
            return ""
        return text.replace("\r\n", "\n").strip()

    def _root_of(self, path: Path, real: Path) -> Path | None:
        """The folder to open it from, step by step; None if it may not be read."""
        is_own = path.is_relative_to(self._home) and not path.is_relative_to(self._workspace.root)
        roots = (*self._own, self._project) if is_own else (self._project,)
        root = next((root for root in roots if real.is_relative_to(root)), None)
        if root is None:
            self._refuse(
                path,
                f"it leads outside {'your home folder' if is_own else 'the workspace'}",
                "Copy it instead of linking it.",
            )
        elif path.is_symlink() and self._is_hidden(real):
            self._refuse(path, "it leads to what .rooignore hides")
            return None
        return root

    def _is_hidden(self, real: Path) -> bool:
        try:
            return self._workspace.rooignore.hides_file(real)
        except ToolError:  # a .rooignore that cannot be used hides everything
            return True

    def _refuse(self, path: Path, message: str, hint: str = "") -> None:
        self.problems.append(Problem(f"not used: {message}", self.shown(path), hint=hint))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _reason(error: OSError | ToolError) -> str:
    if isinstance(error, OSError):
        return f"it cannot be read: {(error.strerror or 'unknown error').lower()}"
    return str(error)
