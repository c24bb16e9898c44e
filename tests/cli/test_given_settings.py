"""Settings that a program gives with a task: for it alone, and with a key that nothing stores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from roo_code.cli.given_settings import GivenSettings, new_spec
from roo_code.cli.options import RunOptions
from roo_code.errors import ConfigError
from roo_code.events import ParentCall, TaskSpec
from roo_code.history import History
from roo_code.task.task import TaskSetup
from roo_code.tool_resources import TaskResources
from tests.cli.conftest import Roo, calls, completion, serving
from tests.cli.streaming import Program

GIVEN = "sk-given-0987654321"
FLAG = "sk-flag-1122334455"


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunOptions:
    """As of `roo --provider anthropic --model m --base-url http://flag --api-key …`."""
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    return RunOptions(
        workspace=str(tmp_path),
        mode="ask",
        provider="anthropic",
        model="claude-sonnet-4-5",
        base_url="http://flag",
        api_key=FLAG,
    )


def setup_of(task_id: str, spec: TaskSpec) -> TaskSetup:
    return TaskSetup(task_id, spec, History(), TaskResources())


def test_the_flags_hold_where_nothing_is_given(options: RunOptions) -> None:
    spec = new_spec(options, "Go.", {})
    assert (spec.mode, spec.approval.unattended) == ("ask", True)
    assert spec.provider["api_model_id"] == "claude-sonnet-4-5"
    assert spec.provider["api_base_url"] == "http://flag"


@pytest.mark.parametrize(
    ("given", "provider"),
    [
        (
            {"apiModelId": "claude-opus-4-1", "mode": "debug"},
            ("anthropic", "claude-opus-4-1", "http://flag"),
        ),
        (
            {"apiProvider": "anthropic", "anthropicBaseUrl": "http://given", "mode": "debug"},
            ("anthropic", "claude-sonnet-4-5", "http://given"),
        ),
        (
            {"apiProvider": "openai", "openAiModelId": "x", "openAiApiKey": GIVEN, "mode": "debug"},
            ("openai", "x", None),
        ),
    ],
)  # fmt: skip
def test_what_is_given_overrules_the_flags_of_model_and_mode(
    options: RunOptions, given: dict[str, Any], provider: tuple[str, str, str | None]
) -> None:
    spec = new_spec(options, "Go.", given)
    names = ("api_provider", "api_model_id", "api_base_url")
    assert tuple(spec.provider.get(name) for name in names) == provider
    assert spec.mode == "debug"
    assert GIVEN not in repr(spec)
    assert FLAG not in repr(spec)


def test_a_key_of_the_command_line_goes_to_no_other_service(options: RunOptions) -> None:
    kept = GivenSettings()
    same = {"apiProvider": "anthropic", "apiModelId": "claude-opus-4-1"}
    spec = kept.new_spec(options, "same", "Go.", same)
    assert kept.of(setup_of("same", spec))["apiKey"] == FLAG
    other = {"apiProvider": "openai", "openAiModelId": "gpt-x", "openAiApiKey": GIVEN}
    spec = kept.new_spec(options, "other", "Go.", other)
    assert FLAG not in kept.of(setup_of("other", spec)).values()


def test_subtasks_have_what_their_task_was_given_until_it_is_forgotten(options: RunOptions) -> None:
    kept = GivenSettings()
    spec = kept.new_spec(options, "a", "Go.", {"apiKey": GIVEN})
    below = spec.replace(parent=ParentCall(task_id="a", tool_use_id="t"))
    assert kept.of(setup_of("b", below))["apiKey"] == GIVEN
    kept.forget("a")
    assert kept.of(setup_of("a", spec)) == {}
    assert kept.of(setup_of("b", below)) == {}


def test_what_is_wrong_is_told_without_its_secrets(options: RunOptions) -> None:
    with pytest.raises(ConfigError, match=r"configuration is wrong: .*alwaysAllowWrite") as told:
        new_spec(options, "Go.", {"alwaysAllowWrite": "maybe", "apiKey": GIVEN})
    assert GIVEN not in str(told.value)
    with pytest.raises(ConfigError, match="There is no mode 'wizard'"):
        new_spec(options, "Go.", {"mode": "wizard"})
    assert new_spec(options, "Go.", {"aSettingOfTomorrow": 1})


def test_a_denied_command_stays_denied(options: RunOptions, tmp_path: Path) -> None:
    settings = tmp_path / "home" / "settings" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"deniedCommands": ["rm"]}', encoding="utf-8")
    spec = new_spec(options, "Go.", {"deniedCommands": ["mv"]}, unattended=False)
    assert "mv" in spec.approval.denied_commands
    assert not spec.approval.unattended


def test_a_started_task_uses_its_own_key_and_nothing_stores_it(roo: Roo) -> None:
    delegate = calls(new_task={"mode": "code", "message": "SUB"})
    conversations = {
        "SUB": [completion("Below.")],
        "MAIN": [delegate, completion("Done.")],
    }
    server = roo.exits.enter_context(serving({"conversations": conversations}, GIVEN))
    program = Program(roo, "--debug", "--approve", "all")
    given = {"apiProvider": "anthropic", "apiKey": GIVEN, "anthropicBaseUrl": server.url}
    program.send("start", "s", prompt="MAIN", configuration=given)
    result = program.until(type="result")
    assert (result["content"], result["success"]) == ("Done.", True)
    program.until(requestId="s", code="task_completed")
    assert program.close() == 0
    assert len(server.requests) == 3
    files = roo.store_files()
    assert any(path.name == "cli-debug.log" for path in files)
    assert any(path.name == "tasks.sqlite3" for path in files)
    assert [path for path in files if GIVEN.encode() in path.read_bytes()] == []
    assert GIVEN not in str(program.events) + program.errors()


def test_a_configuration_that_is_wrong_is_told_and_the_next_start_can_be_right(roo: Roo) -> None:
    roo.serve(completion("Done."))
    program = Program(roo)
    wrong = {"alwaysAllowWrite": "maybe", "apiKey": GIVEN}
    program.send("start", "s1", prompt="Go.", configuration=wrong)
    error = program.until(requestId="s1")
    assert (error["subtype"], error["code"], error["success"]) == ("error", "task_error", False)
    assert "alwaysAllowWrite" in error["content"]
    assert "Correct or remove" in error["content"]
    program.send("start", "s2", prompt="Go.", configuration={"mode": "ask"})
    program.until(requestId="s2", code="task_completed")
    assert program.close() == 0
    assert GIVEN not in str(program.events) + program.errors()
