"""`${env:NAME}`, `${NAME}` and `${workspaceFolder}` in the strings of a server's entry."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roo_code.config.json_shapes import is_list, is_object

_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}")


class Variables:
    """What is not set stays as it is written, and is noted in `unset`."""

    def __init__(self, environ: Mapping[str, str], workspace: Path) -> None:
        self._values = {**environ, "workspaceFolder": workspace.as_posix()}
        self.unset: dict[str, None] = {}

    def replaced(self, value: Any) -> Any:
        """The value with all strings in it replaced, at any depth; names stay as they are."""
        if isinstance(value, str):
            return _VARIABLE.sub(self._value, value)
        if is_object(value):
            return {name: self.replaced(item) for name, item in value.items()}
        if is_list(value):
            return [self.replaced(item) for item in value]
        return value

    def _value(self, found: re.Match[str]) -> str:
        name = found[1]
        if name not in self._values:
            self.unset[name] = None
        return self._values.get(name, found[0])
