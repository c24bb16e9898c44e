"""Files that could run, read once: what is judged, shown and executed is the same bytes."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

from roo_code.config.unreadable import Unreadable

_MOST_FILES = 2_000
_MOST_BYTES = 64 << 20
_SHOWN_LINES = 40
_LONGEST_LINE = 200
_SCRIPTS = frozenset({
    ".bash", ".bat", ".bin", ".c", ".cjs", ".cmd", ".com", ".dll", ".dylib", ".exe", ".fish", ".go",
    ".jar", ".js", ".jsx", ".ksh", ".lua", ".mjs", ".php", ".pl", ".ps1", ".psm1", ".py", ".pyc",
    ".pyz", ".r", ".rb", ".rs", ".scpt", ".sh", ".so", ".swift", ".tcl", ".ts", ".tsx", ".vbs",
    ".wasm", ".zsh",
})  # fmt: skip


class ReadFile(Struct, frozen=True):
    data: bytes
    is_executable: bool = False

    def is_script(self, name: str) -> bool:
        """Whether it could be run, by its name, its rights or its first bytes."""
        named = Path(name).suffix.lower() in _SCRIPTS
        return named or self.is_executable or self.data.startswith((b"#!", b"\x7fELF"))


def digest_of(value: Any) -> str:
    """SHA-256 of a JSON value whose names may stand in any order."""
    return sha256(msgspec.json.encode(value, order="deterministic"))


def sha256(data: bytes) -> str:
    import hashlib  # noqa: PLC0415 - loads OpenSSL, and few workspaces have what could run

    return hashlib.sha256(data).hexdigest()


@contextmanager
def opened(path: Path) -> Generator[tuple[BinaryIO, os.stat_result]]:
    """A file and what it is; Unreadable if it is no regular one: a pipe would keep us waiting."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise Unreadable(f"{path.name} is not a regular file")
    with os.fdopen(descriptor, "rb") as file:
        yield file, status


def read_file(path: Path) -> ReadFile:
    """The file, be it behind a link; Unreadable for what is none, is too large or is gone."""
    try:
        with opened(path) as (file, status):
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise Unreadable(f"{path.name} cannot be read: {error.strerror}") from None
    if len(data) > _MOST_BYTES:
        raise Unreadable(f"{path.name} is larger than {_MOST_BYTES >> 20} MiB")
    return ReadFile(data, bool(status.st_mode & 0o111))


def read_folder(folder: Path) -> dict[str, ReadFile]:
    """Every file below it by its relative name; compiled Python too, which could run instead.

    Unreadable where that cannot be all: of a linked folder nobody can say what it will hold.
    """
    files: dict[str, ReadFile] = {}
    size = 0
    for place, folders, names in os.walk(folder, onerror=_raise):
        here = Path(place)
        for name in folders:
            if (here / name).is_symlink():
                raise Unreadable(f"{name} is a link to a folder")
        for name in names:
            relative = _told(os.path.relpath(here / name, folder))
            files[relative] = found = read_file(here / name)
            size += len(found.data)
            if len(files) > _MOST_FILES or size > _MOST_BYTES:
                raise Unreadable(f"it has more than {_MOST_FILES:,} files or too large ones")
    return dict(sorted(files.items()))


def digest_of_files(files: Mapping[str, ReadFile]) -> str:
    return digest_of({n: [sha256(file.data), file.is_executable] for n, file in files.items()})


def shown_files(files: Mapping[str, ReadFile]) -> str:
    """The scripts among them, and of each how it begins; how much is left out is said."""
    scripts = {name: file for name, file in files.items() if file.is_script(name)}
    room = max(5, _SHOWN_LINES // max(1, len(scripts)))
    told: list[str] = []
    for name, file in scripts.items():
        told.append(f"{name} ({len(file.data):,} bytes):")
        told += [f"  | {line}" for line in shown_text(file.data, room)]
    others = len(files) - len(scripts)
    return "\n".join([*told, *([f"and {others} other files"] if others else [])])


def shown_text(data: bytes, lines: int) -> list[str]:
    """The first lines, each cut; what is left out, to the right or below, is counted."""
    all_lines = data.decode("utf-8", "backslashreplace").splitlines()
    shown = [
        line if (more := len(line) - _LONGEST_LINE) <= 0 else f"{line[:-more]}… {more:,} more"
        for line in all_lines[:lines]
    ]
    left = len(all_lines) - lines
    return [*shown, f"… {left:,} more lines"] if left > 0 else shown


def _raise(error: OSError) -> None:
    raise Unreadable(f"{Path(error.filename or '').name} cannot be read: {error.strerror}")


def _told(name: str) -> str:
    """As text, for names that are none."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
