"""Whether a request is what an SDK's TypedDicts say, with no field more, at any depth.

Pydantic cannot forbid unknown fields of nested TypedDicts, and a field no type knows is what a
strict service refuses.
"""

import types
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NotRequired, Required, Union, cast, get_args, get_origin

import typing_extensions
from typing_extensions import is_typeddict


def problems(value: Any, wanted: Any, at: str = "body") -> Iterator[str]:
    """Every place where the value is not of the type."""
    origin = get_origin(wanted)
    if wanted in (Any, object):
        return
    if origin in (Required, NotRequired, typing_extensions.Annotated):
        yield from problems(value, get_args(wanted)[0], at)
    elif origin in (Union, types.UnionType):
        yield from _union_problems(value, get_args(wanted), at)
    elif origin is Literal:
        if value not in get_args(wanted):
            yield f"{at}: {value!r} is none of {get_args(wanted)}"
    elif is_typeddict(wanted):
        yield from _object_problems(value, wanted, at)
    elif origin is dict:
        yield from _dict_problems(value, get_args(wanted)[1], at)
    elif origin is not None and issubclass(origin, Iterable):
        yield from _list_problems(value, get_args(wanted)[0], at)
    elif not _is_plain(value, wanted):
        yield f"{at}: {value!r} is no {wanted}"


def _union_problems(value: Any, choices: tuple[Any, ...], at: str) -> Iterator[str]:
    found = [list(problems(value, choice, at)) for choice in choices]
    yield from min(found, key=len)  # of what it was most likely meant for


def _object_problems(value: Any, wanted: Any, at: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{at}: {value!r} is no object"
        return
    fields = cast("dict[str, Any]", value)
    hints = typing_extensions.get_type_hints(wanted, include_extras=True)
    for name in fields.keys() - hints.keys():
        yield f"{at}.{name}: no such field of {wanted.__name__}"
    for name, hint in hints.items():
        if name in fields:
            yield from problems(fields[name], hint, f"{at}.{name}")
        elif get_origin(hint) is Required:
            yield f"{at}.{name}: missing"


def _dict_problems(value: Any, wanted: Any, at: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{at}: {value!r} is no object"
        return
    for name, item in cast("dict[str, Any]", value).items():
        yield from problems(item, wanted, f"{at}.{name}")


def _list_problems(value: Any, wanted: Any, at: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield f"{at}: {value!r} is no list"
        return
    for number, item in enumerate(cast("list[Any]", value)):
        yield from problems(item, wanted, f"{at}.{number}")


def _is_plain(value: Any, wanted: Any) -> bool:
    if wanted is None or wanted is type(None):
        return value is None
    if wanted is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if wanted is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(wanted, type) and isinstance(value, wanted)
