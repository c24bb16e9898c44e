"""Layers of settings: which wins, where each value comes from, what is wrong with it."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roo_code.config.layers import LayeredSettings
from tests.config.homes import Home, messages


@pytest.mark.requirement("config:layers:order")
def test_a_later_layer_wins_and_every_value_knows_where_it_stands(home: Home) -> None:
    seen: list[tuple[Any, str]] = []

    def look(task: dict[str, Any] | None = None) -> None:
        settings = home.resolve(task)
        assert settings.problems == ()
        seen.append((settings.get("language"), str(settings.origin("language"))))

    look()
    home.write(home.host_file, {"language": "de"})
    look()
    home.user('{\n  // mine\n  "language": "en"\n}')
    look()
    home.project("{\n\n\n" + '"language": "fr"}')
    look()
    home.environ["ROO_LANGUAGE"] = "it"
    look()
    look({"language": "ja"})
    assert seen == [
        (None, "default"),
        ("de", f"{home.host_file}:2"),
        ("en", f"{home.user_file}:3"),
        ("fr", f"{home.project_file}:4"),
        ("it", "environment variable ROO_LANGUAGE"),
        ("ja", "given with the task"),
    ]


LAYERS = ("host", "user", "project", "environment", "task")


@given(
    st.dictionaries(
        st.sampled_from(LAYERS), st.sampled_from(["code", "ask", "debug", "architect"]), max_size=5
    )
)
def test_any_choice_of_layers_gives_the_last_that_speaks(chosen: dict[str, str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        files = {"host": home.host_file, "user": home.user_file, "project": home.project_file}
        for layer, mode in chosen.items():
            if layer in files:
                home.write(files[layer], {"mode": mode})
        if "environment" in chosen:
            home.environ["ROO_MODE"] = chosen["environment"]
        task = {"mode": chosen["task"]} if "task" in chosen else None
        settings = home.resolve(task)
        last = next((layer for layer in reversed(LAYERS) if layer in chosen), "default")
        assert settings.get("mode") == chosen.get(last, "code")
        assert settings.origin("mode").layer == last


def test_defaults_hold_where_nothing_is_set(home: Home) -> None:
    settings = home.resolve()
    assert settings.get("mode") == "code"
    assert settings.chosen("mode") is None
    assert settings.get("mcpEnabled") is True
    assert settings.get("language") is None
    assert settings.problems == ()


@pytest.mark.requirement("config:layers:ipc-scope")
def test_what_a_task_is_given_is_above_all_and_stored_nowhere(home: Home) -> None:
    home.user({"mode": "ask"})
    home.environ["ROO_MODE"] = "debug"
    layers, before = home.layers(), home.contents()
    task = {"mode": "architect", "apiKey": "sk-of-the-task", "alwaysAllowExecute": True}
    settings = layers.resolve(task)
    assert settings.get("mode") == "architect"
    assert settings.get("alwaysAllowExecute") is True
    assert settings.secrets["apiKey"].value == "sk-of-the-task"
    assert layers.resolve().get("mode") == "debug"
    assert home.contents() == before


@pytest.mark.requirement("config:env:eval-mode")
@pytest.mark.parametrize(("value", "expected"), [("true", True), ("false", False), ("", False)])
def test_eval_mode_turns_the_mcp_telemetry_on(home: Home, value: str, expected: bool) -> None:
    home.environ["ROO_EVAL_MODE"] = value
    settings = home.resolve()
    assert settings.get("telemetry.mcp.enabled") is expected
    if expected:
        assert str(settings.origin("telemetry.mcp.enabled")) == "environment variable ROO_EVAL_MODE"


def test_variables_are_read_by_the_type_of_their_setting(home: Home) -> None:
    home.environ |= {
        "ROO_MCP_ENABLED": "off",
        "ROO_CHECKPOINT_TIMEOUT": "20",
        "ROO_ALLOWED_COMMANDS": '["npm test"]',
        "ROO_OPEN_ROUTER_API_KEY": "sk-env",
        "ROO_MODE": "",
        "ROO_SOMETHING_ELSE": "of another program",
        "ROO_TTS_SPEED": "fast",
    }
    settings = home.resolve()
    assert settings.get("mcpEnabled") is False
    assert settings.get("checkpointTimeout") == 20
    assert settings.get("allowedCommands") == ["npm test"]
    assert settings.secrets["openRouterApiKey"].value == "sk-env"
    assert settings.get("mode") == "code"
    assert messages(settings) == [
        'environment variable ROO_TTS_SPEED: ttsSpeed = "fast": must be a number; it is not used'
    ]


def test_a_named_variable_is_put_in_its_place(home: Home) -> None:
    home.environ |= {"REGION": "eu", "HEADER": "Bearer x"}
    home.user(
        {
            "awsRegion": "${env:REGION}-west",
            "customSupportPrompts": {"FIX": "in ${env:REGION}"},
            "openAiHeaders": {"Authorization": "${env:HEADER}"},
        }
    )
    settings = home.resolve()
    assert settings.get("awsRegion") == "eu-west"
    assert settings.get("customSupportPrompts") == {"FIX": "in eu"}
    assert settings.secrets["openAiHeaders"].value == {"Authorization": "Bearer x"}
    assert settings.problems == ()


def test_a_variable_that_is_not_set_is_reported_and_is_no_empty_text(home: Home) -> None:
    home.user('{\n  "awsRegion": "${env:NOWHERE}",\n  "apiKey": "${env:NO_KEY}"\n}')
    settings = home.resolve()
    assert settings.get("awsRegion") is None
    assert "apiKey" not in settings.secrets
    region, key = settings.problems
    assert (region.line, region.key) == (2, "awsRegion")
    assert "NOWHERE is not set" in region.message
    assert "NO_KEY is not set" in key.message
    home.environ["NOWHERE"] = ""
    assert home.resolve().get("awsRegion") == ""  # set to nothing on purpose


@pytest.mark.requirement("config:validation:recover")
def test_bad_values_give_way_to_defaults_and_are_told_with_file_line_and_value(home: Home) -> None:
    home.user(
        """{
  "mode": 5,
  "checkpointTimeout": 5,
  "codebaseIndexConfig": {
    "codebaseIndexEnabled": true,
    "codebaseIndexSearchMinScore": 7
  },
  "allowedCommands": ["git", 3, "npm"],
  "languag": "de",
  "diffEnabled": true,
  "language": "de"
}"""
    )
    settings = home.resolve()
    assert settings.get("mode") == "code"
    assert settings.get("checkpointTimeout") == 15
    assert settings.get("codebaseIndexConfig") == {"codebaseIndexEnabled": True}
    assert settings.get("allowedCommands") == ["git", "npm"]
    assert settings.get("language") == "de"
    assert {*settings.unknown} == {"languag", "diffEnabled"}
    assert [(p.line, p.key, p.value) for p in settings.problems] == [
        (2, "mode", "5"),
        (3, "checkpointTimeout", "5"),
        (6, "codebaseIndexConfig.codebaseIndexSearchMinScore", "7"),
        (8, "allowedCommands.1", "3"),
        (9, "languag", '"de"'),
        (10, "diffEnabled", "true"),
    ]
    assert all(problem.file == str(home.user_file) for problem in settings.problems)
    assert all(problem.hint for problem in settings.problems)
    assert "language" in settings.problems[4].hint


@pytest.mark.requirement("config:validation:recover")
@pytest.mark.parametrize(
    "raw", [b"{", b"\xff\xfe", b"[]", b"null null", b'{"mode": "ask"', b"\x00" * 100]
)
def test_a_corrupt_file_stops_nothing(home: Home, raw: bytes) -> None:
    home.user("")
    home.user_file.write_bytes(raw)
    home.profiles_file.write_bytes(raw)
    home.project({"mode": "ask"})
    settings = home.resolve()
    assert settings.get("mode") == "ask"
    assert {problem.file for problem in settings.problems} == {
        str(home.user_file),
        str(home.profiles_file),
    }
    assert "none of it is used" in settings.problems[0].message


@given(st.dictionaries(st.text(max_size=8), st.none() | st.booleans() | st.text() | st.integers()))
def test_no_content_of_a_file_stops_anything(content: dict[str, Any]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        home.user(content)
        home.project(content)
        assert home.resolve().get("mode")


def test_a_file_that_breaks_while_we_run_keeps_saying_what_it_said(home: Home) -> None:
    home.user({"mode": "ask"})
    layers = home.layers()
    assert layers.resolve().get("mode") == "ask"
    home.user('{"mode": "arch')
    broken = layers.resolve()
    assert broken.get("mode") == "ask"
    assert "what it said before is used" in broken.problems[0].message
    home.user({"mode": "architect"})
    mended = layers.resolve()
    assert (mended.get("mode"), mended.problems) == ("architect", ())
    home.user_file.unlink()
    assert layers.resolve().get("mode") == "code"


def test_yaml_is_read_too_and_a_second_file_is_reported(home: Home) -> None:
    yaml = home.write(home.user_file.with_suffix(".yaml"), "# mine\nmode: ask\nbad: [1\n]\n")
    settings = home.resolve()
    assert settings.get("mode") == "ask"
    assert str(settings.origin("mode")) == f"{yaml}:2"
    assert [(p.file, p.line, p.key) for p in settings.problems] == [(str(yaml), 3, "bad")]
    home.user({"mode": "debug"})
    settings = home.resolve()
    assert settings.get("mode") == "debug"
    assert "is not read" in messages(settings)[0]


def test_a_secret_in_a_file_is_not_used_and_not_shown(home: Home) -> None:
    home.user({"apiKey": "sk-planted", "myToken": "sk-planted-too", "mode": "ask"})
    settings = home.resolve()
    assert settings.secrets == {}
    assert settings.get("mode") == "ask"
    first, second = messages(settings)
    assert "apiKey = (hidden): a secret must not stand in a settings file" in first
    assert "myToken = (hidden)" in second
    assert "planted" not in repr(settings) + first + second
    assert settings.problems[0].hint == "Remove it from the file, then: roo config set apiKey"


def test_files_of_roos_own_command_line_and_modes_are_read(home: Home) -> None:
    home.write(
        home.path / "cli-settings.json",
        {
            "onboardingProviderChoice": "byok",
            "mode": "debug",
            "provider": "openrouter",
            "model": "anthropic/claude-opus-4.6",
            "reasoningEffort": "high",
            "consecutiveMistakeLimit": 5,
            "dangerouslySkipPermissions": False,
            "oneshot": True,
        },
    )
    modes = {"customModes": [{"slug": "x", "name": "X"}]}
    home.write(home.path / "settings" / "custom_modes.yaml", json.dumps(modes))
    settings = home.resolve()
    assert settings.problems == ()
    assert settings.get("apiProvider") == "openrouter"
    assert settings.get("apiModelId") == "anthropic/claude-opus-4.6"
    assert settings.get("requireApproval") is True
    assert settings.get("oneshot") is True
    assert settings.get("customModes") == modes["customModes"]
    assert settings.origin("apiProvider").line == 4
    home.user({"mode": "ask"})
    assert home.resolve().get("mode") == "ask"


def test_a_model_is_forgotten_with_the_service_it_belonged_to(home: Home) -> None:
    home.user({"apiModelId": "claude", "apiProvider": "anthropic", "rateLimitSeconds": 2})
    home.environ["ROO_API_PROVIDER"] = "mistral"
    settings = home.resolve()
    assert settings.get("apiProvider") == "mistral"
    assert settings.get("apiModelId") is None
    assert settings.get("rateLimitSeconds") == 2
    home.environ["ROO_API_PROVIDER"] = "anthropic"
    assert home.resolve().get("apiModelId") == "claude"


def test_the_settings_of_the_real_environment_are_the_default(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.user({"language": "de"})
    monkeypatch.setenv("ROO_MODE", "ask")
    settings = LayeredSettings().resolve()
    assert (settings.get("language"), settings.get("mode")) == ("de", "ask")
