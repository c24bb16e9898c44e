"""What is wrong with a setting: where it stands, and how to mend it."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from roo_code.config.json_shapes import is_object
from roo_code.config.secret_names import is_secret

_LONGEST = 60


class Problem(NamedTuple):
    """Never holds a secret: `value` is cut, and hidden where the key says it is one."""

    message: str
    file: str = ""
    """A path or, for what does not come from a file, the name of where it comes from."""
    line: int | None = None
    key: str = ""
    value: str = ""
    hint: str = ""
    harmless: bool = False
    """True where nothing is lost: a setting that nobody knows, or nobody needs any more."""

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file

    def __str__(self) -> str:
        said = f"{self.key} = {self.value}" if self.value else self.key
        return ": ".join(part for part in (self.place, said, self.message) if part)

    def as_json(self) -> dict[str, str | int | bool | None]:
        return self._asdict()


def shown(key: str, value: Any) -> str:
    """A value as a person may see it."""
    if is_secret(key, value):
        return "(hidden)"
    try:
        text = json.dumps(_without_secrets(value), ensure_ascii=False)
    except (TypeError, ValueError):  # YAML knows dates and sets
        text = str(type(value).__name__)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _without_secrets(value: Any) -> Any:
    if is_object(value):
        return {k: shown(str(k), v) if is_secret(str(k), v) else v for k, v in value.items()}
    return value
