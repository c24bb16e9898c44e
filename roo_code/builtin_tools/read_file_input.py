"""What read_file accepts: its own shape, Roo's older one, and how other agents ask."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias, cast

from pydantic import AliasChoices, BeforeValidator, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from roo_code.builtin_tools.tool_input import ToolInput, from_json_text

DEFAULT_LIMIT = 2000
_RANGE = re.compile(r"\s*(\d+)\s*(?:[-:,]\s*(\d+)\s*)?")

LineRange: TypeAlias = tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]]


class Indentation(ToolInput):
    anchor_line: int = Field(default=1, ge=1, description="The line to show the block around.")
    max_levels: int = Field(
        default=0, ge=0, description="How many levels to go out; 0 means to the outermost."
    )
    include_siblings: bool = Field(
        default=False, description="Also neighbouring blocks of the same level."
    )
    include_header: bool = Field(
        default=True, description="Also comments and decorators right above the block."
    )
    max_lines: int | None = Field(default=None, ge=1, description="At most so many lines.")


def _range(value: Any) -> Any:
    """A range as a pair, whichever way it is written: [1, 9], {start, end} or "1-9"."""
    if isinstance(value, Mapping):
        given = cast(Mapping[str, Any], value)
        return (given.get("start"), given.get("end", given.get("start")))
    if isinstance(value, str) and (match := _RANGE.fullmatch(value)):
        return (int(match[1]), int(match[2] or match[1]))
    if isinstance(value, int):
        return (value, value)
    return value


def _ranges(value: Any) -> Any:
    value = from_json_text(value)
    if isinstance(value, str):
        return [_range(part) for part in value.split(",")]
    if isinstance(value, Mapping):
        return [_range(value)]
    if not isinstance(value, Sequence):
        return value
    items = cast(Sequence[Any], value)
    if len(items) == 2 and all(isinstance(item, int) for item in items):
        return [tuple(items)]
    return [_range(item) for item in items]


class FileRanges(ToolInput):
    path: str = Field(min_length=1, validation_alias=AliasChoices("path", "file_path", "file"))
    line_ranges: Annotated[tuple[LineRange, ...], BeforeValidator(_ranges)] = Field(
        default=(), validation_alias=AliasChoices("line_ranges", "lineRanges", "line_range")
    )


def _files(value: Any) -> Any:
    value = from_json_text(value)
    items: Any = [value] if isinstance(value, str | Mapping) else value
    if not isinstance(items, Sequence):
        return items
    return [
        {"path": item} if isinstance(item, str) else item for item in cast(Sequence[Any], items)
    ]


_PATH_NAMES = ("path", "file_path", "filePath", "filename", "file", "target_file", "absolute_path")


class ReadFileInput(ToolInput):
    path: str = Field(
        min_length=1,
        validation_alias=AliasChoices(*_PATH_NAMES),
        description="The file, relative to the workspace.",
    )
    mode: Literal["slice", "indentation"] = Field(
        default="slice",
        description="slice: lines from offset on. indentation: the block around a line.",
    )
    offset: int = Field(default=1, ge=1, description="The first line to read.")
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, description="The most lines to return.")
    indentation: Annotated[Indentation | None, BeforeValidator(from_json_text)] = Field(
        default=None, description="Which block, in mode indentation."
    )
    files: SkipJsonSchema[Annotated[tuple[FileRanges, ...], BeforeValidator(_files)]] = Field(
        default=(), validation_alias=AliasChoices("files", "paths")
    )
    """Several files in one call, as Roo's older prompts taught it; `path` is then the first."""

    @model_validator(mode="before")
    @classmethod
    def _accept_other_shapes(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        given = {k: v for k, v in cast(Mapping[str, Any], data).items() if v is not None}
        files = _files(given.get("files", given.get("paths")))
        if isinstance(files, list) and not any(given.get(name) for name in _PATH_NAMES):
            first = cast(list[Any], files)[:1]
            given["path"] = _first_path(first[0]) if first else None
        first_line, last_line = _line_numbers(given)
        if first_line is not None:
            given.setdefault("offset", first_line)
        if last_line is not None:
            given.setdefault("limit", max(1, last_line - (first_line or 1) + 1))
        return given


def _first_path(entry: Any) -> Any:
    if not isinstance(entry, Mapping):
        return None
    given = cast(Mapping[str, Any], entry)
    return next((given[name] for name in _PATH_NAMES if given.get(name)), None)


def _line_numbers(given: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """First and last line, as the tools of other agents take them."""
    view = from_json_text(given.get("view_range"))
    pair: Any = (given.get("start_line"), given.get("end_line"))
    if isinstance(view, Sequence) and len(cast(Sequence[Any], view)) == 2:
        pair = cast(Sequence[Any], view)
    first, last = (_whole(value) for value in pair)
    return first, last if last is None or last > 0 else None  # -1 is "to the end"


def _whole(value: Any) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    return value if isinstance(value, int) else None
