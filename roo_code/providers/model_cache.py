"""The lists of models that services gave, kept for when they cannot be asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from roo_code.config.paths import roo_home
from roo_code.config.safe_files import locked, replace_file
from roo_code.json_text import to_json
from roo_code.providers.base import ModelInfo

VERSION = 1


class ModelList(NamedTuple):
    """Written in this order, as a JSON array."""

    version: int
    fetched_at: float
    """Seconds since 1970."""
    address: str
    """Of the service, where that is not its own; empty otherwise."""
    models: tuple[ModelInfo, ...]


def read_list(provider: str, address: str = "") -> ModelList | None:
    """The last list of the service at this address; None if there is none, or none to be read."""
    try:
        data = _file(provider).read_bytes()
        found = msgspec.json.decode(data, type=ModelList)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None  # it is asked for again
    return found if (found.version, found.address) == (VERSION, address) else None


def write_list(provider: str, found: ModelList) -> None:
    """Put it in place of the one before; ConfigError where that cannot be written."""
    path = _file(provider)
    with locked(path):
        replace_file(path, to_json(found))


def cached_model(provider: str, model: str, address: str = "") -> ModelInfo | None:
    found = read_list(provider, address)
    return _of_name(found.models, model) if found else None


def _of_name(models: Sequence[ModelInfo], name: str) -> ModelInfo | None:
    return next((model for model in models if model.id == name), None)


def _file(provider: str) -> Path:
    # The id may come from a program's own settings, and must not lead elsewhere.
    name = "".join(c if c.isalnum() or c in "-_" else "_" for c in provider)
    return roo_home() / "cache" / "models" / f"{name}.json"
