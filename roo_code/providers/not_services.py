"""Provider ids that stand for no service: those that read files, and those we cannot serve."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from roo_code.config.schema import ProviderSettings
from roo_code.errors import ConfigError
from roo_code.providers.base import BaseProvider


def _replay(settings: ProviderSettings) -> BaseProvider:
    file = settings.options.get("replayFile")
    if not isinstance(file, str):
        raise ConfigError(
            "The provider 'replay' answers from a recording, and none is named.",
            hint="Run with --replay FILE, or name the file in the setting replayFile.",
        )
    from roo_code.providers.recording import read_recording  # noqa: PLC0415 - few runs need it
    from roo_code.providers.replay import ReplayProvider  # noqa: PLC0415

    return ReplayProvider(read_recording(Path(file).expanduser()), speed=0)


def _scripted(settings: ProviderSettings) -> BaseProvider:
    raise ConfigError(
        "The provider 'scripted' says what a test tells it, so only a program can make one.",
        hint="Use ScriptedProvider of roo_code.testing, or replay a recording with --replay FILE.",
    )


def _human_relay(settings: ProviderSettings) -> BaseProvider:
    from roo_code.providers.human_relay import HumanRelay  # noqa: PLC0415 - few runs need it
    from roo_code.providers.text_tools import TextToolsProvider  # noqa: PLC0415

    return TextToolsProvider(HumanRelay())


NOT_SERVICES: Mapping[str, Callable[[ProviderSettings], BaseProvider]] = {
    "human-relay": _human_relay,
    "humanrelay": _human_relay,
    "replay": _replay,
    "scripted": _scripted,
}

NOT_OURS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "cerebras", "chutes", "deepinfra", "doubao", "featherless", "glama", "huggingface",
            "io-intelligence",
        ),
        "Roo gave it up. Its service speaks OpenAI's format: choose 'openai' with its base URL.",
    ),
    "fake-ai": "It was for tests inside the editor; use ScriptedProvider of roo_code.testing.",
    "gemini-cli": "Choose 'gemini' with a key.",
    "openai-codex": "Signing in with ChatGPT is not offered; choose 'openai-native' with a key.",
    "vscode-lm": "It exists only inside Visual Studio Code.",
}  # fmt: skip
"""Ids in profiles of Roo's, and what to do instead."""
