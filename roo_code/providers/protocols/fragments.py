"""Parts of a request that are made once: a turn costs only what it adds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from roo_code.messages import Message
from roo_code.providers.base import ModelInfo

FragmentT = TypeVar("FragmentT")

NO_TEXT = "(no text)"
"""Stands where a service wants words and there are none."""
IMAGE_LEFT_OUT = "(An image was left out: this model does not read images.)"


class Fragments(Generic[FragmentT]):
    """Encodes each message once, as long as it stands in every request."""

    def __init__(self, encode: Callable[[Message, ModelInfo], FragmentT]) -> None:
        self._encode = encode
        self._info: ModelInfo | None = None
        self._kept: dict[int, tuple[Message, FragmentT]] = {}

    def of(self, messages: Sequence[Message], info: ModelInfo) -> list[FragmentT]:
        kept = self._kept if self._info == info else {}
        fresh: dict[int, tuple[Message, FragmentT]] = {}
        for message in messages:
            # The message is kept with its part, so that no other can have the same address.
            found = kept.get(id(message)) or fresh.get(id(message))
            fresh[id(message)] = found or (message, self._encode(message, info))
        self._kept, self._info = fresh, info
        return [fresh[id(message)][1] for message in messages]
