"""Which service a run uses, and what of the settings goes to it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from roo_code.cli.compose_provider import choose_provider
from roo_code.cli.options import RunOptions
from roo_code.json_text import JsonValue

Chosen: TypeAlias = Callable[..., dict[str, JsonValue]]
WINDOW: dict[str, JsonValue] = {"contextWindow": 12_000, "maxTokens": 1_000}


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Chosen:
    """`chosen(settings, options…)` is what a task would store."""
    home = tmp_path / "home"
    monkeypatch.setenv("ROO_HOME", str(home))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")

    def choose(settings: dict[str, Any], **options: Any) -> dict[str, JsonValue]:
        file = home / "settings" / "settings.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings), encoding="utf-8")
        return choose_provider(RunOptions(workspace=str(tmp_path), **options), None)

    return choose


@pytest.mark.parametrize("provider", ["openai", None])
def test_settings_without_a_service_are_for_the_one_that_is_used(
    chosen: Chosen, provider: str | None
) -> None:
    settings = {"modelTemperature": 0.5, "openAiCustomModelInfo": WINDOW}
    assert chosen(settings, provider=provider, model="mine") == {
        "api_provider": "openai",
        "api_model_id": "mine",
        "temperature": 0.5,
        "openAiCustomModelInfo": WINDOW,
    }


def test_a_model_without_a_service_is_not_asked_of_one_named_on_the_command_line(
    chosen: Chosen,
) -> None:
    settings = {"apiModelId": "claude-x", "modelTemperature": 0.5}
    assert chosen(settings, model=None)["api_model_id"] == "claude-x"
    named = chosen(settings, provider="anthropic", api_key="k")
    assert named["api_model_id"] != "claude-x"
    assert named["temperature"] == 0.5


def test_settings_of_one_service_are_not_given_to_another(chosen: Chosen) -> None:
    settings = {"apiProvider": "anthropic", "modelTemperature": 0.5}
    assert "temperature" not in chosen(settings, provider="openai", model="mine")
