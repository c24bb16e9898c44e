"""Whether a value is what its setting's type says, and how a text becomes such a value.

Checked here and not by pydantic, which would cost a start twenty milliseconds; so the messages
can be ours, and none repeats the value.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, is_typeddict

from roo_code.config.json_shapes import is_list, is_object
from roo_code.config.roo_settings import GlobalSettings, ProviderOptions, Range, RooCodeSettings
from roo_code.config.secret_names import SECRET_KEYS
from roo_code.json_text import JsonValue

KINDS: Mapping[str, Any] = RooCodeSettings.__annotations__
PROVIDER_KEYS = frozenset(ProviderOptions.__annotations__)
GLOBAL_KEYS = frozenset(GlobalSettings.__annotations__)

RETIRED_KEYS = frozenset({
    "alwaysAllowBrowser", "alwaysAllowUpdateTodoList", "alwaysApproveResubmit",
    "browserToolEnabled", "cachedChromeHostUrl", "condensingApiConfigId",
    "diffEnabled", "enableGrounding", "enableMcpServerCreation", "enableUrlContext",
    "imageGenerationSelectedModel", "maxConcurrentFileReads",
    "maxReadFileLine", "openRouterUseMiddleOutTransform", "remoteBrowserEnabled",
    "remoteBrowserHost", "remoteControlEnabled",
    "terminalCompressProgressBar", "terminalOutputCharacterLimit", "terminalOutputLineLimit",
})  # fmt: skip
"""Earlier versions of Roo knew them."""

_ENVIRONMENT_NAMES = {"apiKey": "ROO_ANTHROPIC_API_KEY", "rooApiKey": "ROO_API_KEY"}
_WORD_START = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])")
_TRUE, _FALSE = {"true", "1", "yes", "on"}, {"false", "0", "no", "off"}


class Fault(NamedTuple):
    path: tuple[str | int, ...]
    message: str


def faults_of(key: str, value: Any) -> list[Fault]:
    """What is wrong with a value of a known setting; empty if nothing is."""
    return list(_faults(KINDS[key], value, ()))


def _faults(kind: Any, value: Any, path: tuple[str | int, ...]) -> Iterator[Fault]:
    kind, optional = _required(kind)
    if optional and value is None:
        return
    if get_origin(kind) is Annotated:
        kind, bounds = get_args(kind)
        wrong = _simple_fault(kind, value) or _range_fault(bounds, value)
    elif get_origin(kind) in (list, dict) or is_typeddict(kind):
        yield from _nested_faults(kind, value, path)
        return
    else:
        wrong = _simple_fault(kind, value)
    if wrong:
        yield Fault(path, wrong)


def _required(kind: Any) -> tuple[Any, bool]:
    """The type without `| None`, and whether that was there."""
    if get_origin(kind) in (UnionType, Union):
        return get_args(kind)[0], True
    return kind, False


def _bare(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _simple_fault(kind: Any, value: Any) -> str:
    if get_origin(kind) is Literal:
        choices = get_args(kind)
        return "" if value in choices else f"must be one of {', '.join(map(str, choices))}"
    if kind is bool:
        return "" if isinstance(value, bool) else "must be true or false"
    if kind is str:
        return "" if isinstance(value, str) else "must be text"
    if kind is int:
        return "" if _is_number(value) and value == int(value) else "must be a whole number"
    if kind is float:
        return "" if _is_number(value) else "must be a number"
    return ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _range_fault(bounds: Range, value: Any) -> str:
    low, high = bounds
    if (low is None or value >= low) and (high is None or value <= high):
        return ""
    if low is not None and high is not None:
        return f"must be between {low} and {high}"
    return f"must be at least {low}" if low is not None else f"must be at most {high}"


def _nested_faults(kind: Any, value: Any, path: tuple[str | int, ...]) -> Iterator[Fault]:
    if get_origin(kind) is list:
        if not is_list(value):
            yield Fault(path, "must be a list")
            return
        for place, item in enumerate(value):
            yield from _faults(get_args(kind)[0], item, (*path, place))
        return
    if not is_object(value):
        yield Fault(path, "must be an object of names and values")
        return
    for name, item in value.items():
        inner = kind.__annotations__.get(name) if is_typeddict(kind) else get_args(kind)[1]
        if inner is not None:
            yield from _faults(inner, item, (*path, name))


def parse_text(key: str, text: str) -> JsonValue:
    """A value written in an environment variable or on a command line, or a ValueError."""
    kind, optional = _required(KINDS[key])
    if optional and text.lower() in ("null", "none", ""):
        return None
    kind = _bare(kind)
    if kind is str or get_origin(kind) is Literal:
        return text
    if kind is bool:
        return _parse_switch(text)
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except ValueError:
        what = "a number" if kind in (int, float) else "JSON"
        raise ValueError(f"must be {what}") from None


def _parse_switch(text: str) -> bool:
    if text.lower() in _TRUE:
        return True
    if text.lower() in _FALSE:
        return False
    raise ValueError("must be true or false")


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def variable_of(key: str) -> str:
    """The environment variable that overrides the setting."""
    return _ENVIRONMENT_NAMES.get(key) or "ROO_" + _WORD_START.sub("_", key).upper().replace(
        ".", "_"
    )


def kind_name(key: str) -> str:
    """The type in words, for help."""
    if key in SECRET_KEYS:
        return "secret"
    kind = _bare(_required(KINDS[key])[0])
    if get_origin(kind) is Literal:
        return "|".join(map(str, get_args(kind)))
    names = {bool: "true|false", str: "text", int: "whole number", float: "number"}
    return names.get(kind) or ("list" if get_origin(kind) is list else "object")


@cache
def closest(key: str) -> str:
    """The known name most like it, or ""."""
    from difflib import get_close_matches  # noqa: PLC0415 - for messages only

    lowered = {known.lower(): known for known in KINDS}
    found = get_close_matches(key.lower(), lowered, 1, 0.8)
    return lowered[found[0]] if found else ""
