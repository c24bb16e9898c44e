"""What a task leaves behind that is too large for its log."""

from __future__ import annotations

import shutil
from pathlib import Path

from msgspec import Struct

from roo_code.errors import ToolError


class TaskArtifacts(Struct, frozen=True):
    folder: Path

    def path(self, name: str) -> Path:
        """Where the artifact of this name is; names are plain file names."""
        if Path(name).name != name or name in ("", ".", ".."):
            raise ToolError(f"{name!r} is not the name of an artifact.")
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self.folder / name

    def write(self, name: str, data: bytes) -> Path:
        path = self.path(name)
        path.write_bytes(data)
        return path

    def delete(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
