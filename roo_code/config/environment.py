"""Settings from the environment, and variables that settings refer to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from roo_code.config.json_shapes import is_list, is_object
from roo_code.config.problem import Problem, shown
from roo_code.config.setting_types import KINDS, parse_text, variable_of

EVAL_MODE = "ROO_EVAL_MODE"
_PREFIX = "ROO_"
_REFERENCE = re.compile(r"\$\{env:([^}]*)\}")


class FromVariable(NamedTuple):
    variable: str
    key: str
    value: Any


class UnsetVariable(Exception):
    def __init__(self, name: str) -> None:
        super().__init__(f"the environment variable {name} is not set")
        self.name = name


def settings_in(environ: Mapping[str, str]) -> Iterator[FromVariable | Problem]:
    """Each setting that a variable names, `ROO_MODE` for `mode`; an empty one says nothing."""
    if environ.get(EVAL_MODE, "").lower() == "true":
        yield FromVariable(EVAL_MODE, "telemetry.mcp.enabled", True)
    for name in [name for name in environ if name.startswith(_PREFIX)]:
        key, text = _keys().get(name), environ[name]
        if key is None or not text:
            continue
        try:
            yield FromVariable(name, key, parse_text(key, text))
        except ValueError as error:
            yield Problem(
                file=f"environment variable {name}",
                key=key,
                value=shown(key, text),
                message=f"{error}; it is not used",
                hint=f"Correct it, or unset {name}.",
            )


@cache
def _keys() -> Mapping[str, str]:
    return {variable_of(key): key for key in KINDS}


def substituted(value: Any, environ: Mapping[str, str]) -> Any:
    """The value with each `${env:NAME}` in it replaced, or UnsetVariable."""
    if isinstance(value, str):
        if "${env:" not in value:
            return value
        return _REFERENCE.sub(lambda found: _look_up(found[1], environ), value)
    if is_list(value):
        return [substituted(item, environ) for item in value]
    if is_object(value):
        return {name: substituted(item, environ) for name, item in value.items()}
    return value


def _look_up(name: str, environ: Mapping[str, str]) -> str:
    if name not in environ:
        raise UnsetVariable(name)
    return environ[name]
