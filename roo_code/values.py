"""Value: what messages, events and commands are made of."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar, dataclass_transform

import msgspec
from msgspec import Struct, StructMeta

from roo_code.json_text import from_json, to_json

V = TypeVar("V", bound="Value")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class _ValueMeta(StructMeta):
    def __new__(
        mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **config: Any
    ) -> Any:
        config = {"frozen": True, "kw_only": True, **config}
        return super().__new__(mcls, name, bases, namespace, **config)


class Value(Struct, metaclass=_ValueMeta):
    """Immutable, compared by content, made with keywords.

    A struct and not a model: these are made before the first request of every start and for
    every event, and what they hold was checked where it came in. Unknown fields are ignored,
    so that old and newer logs still load.
    """

    @property
    def type(self) -> str:
        """What tells the kinds of a union apart, here and in JSON."""
        return str(self.__struct_config__.tag)

    def replace(self: V, **changes: Any) -> V:
        """The same with some fields changed."""
        return msgspec.structs.replace(self, **changes)

    def to_json(self) -> str:
        return to_json(self).decode()

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return from_json(to_json(self))

    @classmethod
    def from_json(cls: type[V], text: bytes | str) -> V:
        """ValueError where the text does not hold one, with the place of what is wrong."""
        return _decoder(cls).decode(text)

    @classmethod
    def from_dict(cls: type[V], data: Any) -> V:
        """From plain JSON values; ValueError as in `from_json`."""
        return msgspec.convert(data, cls)


@cache
def _decoder(kind: type[V]) -> msgspec.json.Decoder[V]:
    return msgspec.json.Decoder(kind)
