"""What kind of JSON a value is, so that a type checker knows it too."""

from __future__ import annotations

from typing import Any, TypeGuard


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def as_object(value: Any) -> dict[str, Any]:
    """The value, or an empty object if it is none."""
    return value if is_object(value) else {}
