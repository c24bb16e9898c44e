"""Doubles for tests, ours and yours; each public name is loaded when it is first used."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roo_code.testing.model_replies import Fault, Script, ScriptedCall, ScriptedReply
    from roo_code.testing.model_server import ModelServer
    from roo_code.testing.replay import Replayed, recording_fixture, replayed
    from roo_code.testing.scripted_provider import (
        ScriptedClient,
        ScriptedProvider,
        scripted_client,
    )

_HOMES = {
    "Fault": "roo_code.testing.model_replies",
    "ModelServer": "roo_code.testing.model_server",
    "Replayed": "roo_code.testing.replay",
    "Script": "roo_code.testing.model_replies",
    "ScriptedCall": "roo_code.testing.model_replies",
    "ScriptedClient": "roo_code.testing.scripted_provider",
    "ScriptedProvider": "roo_code.testing.scripted_provider",
    "ScriptedReply": "roo_code.testing.model_replies",
    "recording_fixture": "roo_code.testing.replay",
    "replayed": "roo_code.testing.replay",
    "scripted_client": "roo_code.testing.scripted_provider",
}

__all__ = [
    "Fault",
    "ModelServer",
    "Replayed",
    "Script",
    "ScriptedCall",
    "ScriptedClient",
    "ScriptedProvider",
    "ScriptedReply",
    "recording_fixture",
    "replayed",
    "scripted_client",
]


def __getattr__(name: str) -> object:
    if home := _HOMES.get(name):
        return getattr(import_module(home), name)
    raise AttributeError(f"module 'roo_code.testing' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
