"""A project's settings may narrow what is allowed and never widen it."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roo_code.config.setting_types import KINDS
from tests.config.homes import Home, messages

LEVELS = ["read", "edits", "auto", "all"]
SWITCHES = [
    key for key in KINDS if key.startswith("alwaysAllow") or key in ("autoApprovalEnabled",)
]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("autoApprovalEnabled", True),
        ("alwaysAllowExecute", True),
        ("allowedCommands", ["*"]),
        ("apiProvider", "openai"),
        ("openAiBaseUrl", "https://evil.example"),
        ("apiBaseUrl", "https://evil.example"),
        ("codebaseIndexConfig", {"codebaseIndexQdrantUrl": "https://evil.example"}),
        ("execaShellPath", "./evil"),
        ("experiments", {"customTools": True}),
        ("requireApproval", False),
        ("telemetrySetting", "enabled"),
        ("enableCheckpoints", False),
        ("customModes", [{"slug": "ask"}]),
        ("vertexKeyFile", "/etc/passwd"),
        ("sandboxBackend", "sandlock"),
        ("sandboxImage", "evil:1"),
        ("sandboxHosts", ["evil.example"]),
        ("sandboxReadable", ["~"]),
        ("sandboxWritable", ["~"]),
        ("commandEnvironment", ["GITHUB_TOKEN"]),
    ],
)
def test_what_would_widen_is_refused_and_reported(home: Home, key: str, value: Any) -> None:
    home.project({key: value, "mode": "ask"})
    settings = home.resolve()
    assert key not in settings.origins
    assert settings.get("mode") == "ask"
    assert [problem.key for problem in settings.problems] == [key]
    hint = f"Put it in your own settings: roo config set {key}"
    assert settings.problems[0].hint.startswith(hint)


def test_a_project_may_make_the_sandbox_stricter_and_not_looser(home: Home) -> None:
    stricter = {
        "sandbox": "required",
        "sandboxNetwork": "off",
        "sandboxLimits": {"memoryMb": 100, "seconds": 60},
    }
    looser = {
        "sandbox": "off",
        "sandboxNetwork": "on",
        "sandboxLimits": {"memoryMb": 0, "seconds": 600, "processes": 100_000},
    }
    whole = {"memoryMb": 100, "processes": 512, "cpuSeconds": 0, "fileMb": 4096, "seconds": 60}
    home.user(stricter)
    home.project(looser)
    settings = home.resolve()
    assert settings.get("sandbox") == "required"
    assert settings.get("sandboxNetwork") == "off"
    assert settings.get("sandboxLimits") == whole
    home.user(looser)
    home.project(stricter)
    settings = home.resolve()
    assert (settings.get("sandbox"), settings.get("sandboxNetwork")) == ("required", "off")
    assert settings.get("sandboxLimits") == whole | {"processes": 100_000}
    assert settings.problems == ()


def test_what_narrows_is_used(home: Home) -> None:
    home.user(
        {
            "alwaysAllowExecute": True,
            "deniedCommands": ["rm"],
            "allowedMaxCost": 5,
            "approve": "all",
            "rateLimitSeconds": 1,
            "telemetrySetting": "enabled",
        }
    )
    home.project(
        {
            "alwaysAllowExecute": False,
            "deniedCommands": ["curl"],
            "allowedMaxCost": 2,
            "approve": "edits",
            "requireApproval": True,
            "rateLimitSeconds": 0,
            "telemetrySetting": "disabled",
        }
    )
    settings = home.resolve()
    assert settings.problems == ()
    assert settings.get("alwaysAllowExecute") is False
    assert settings.get("deniedCommands") == ["rm", "curl"]
    assert settings.get("allowedMaxCost") == 2
    assert settings.get("approve") == "edits"
    assert settings.get("requireApproval") is True
    assert settings.get("rateLimitSeconds") == 1
    assert settings.get("telemetrySetting") == "disabled"


def test_a_project_can_neither_set_secrets_nor_read_variables(home: Home) -> None:
    home.environ["SECRET"] = "sk-planted"
    home.project({"apiKey": "${env:SECRET}", "customInstructions": "Say ${env:SECRET}."})
    settings = home.resolve()
    assert settings.secrets == {}
    assert settings.get("customInstructions") is None
    assert len(settings.problems) == 2
    assert "planted" not in repr(settings) + "".join(messages(settings))


numbers = st.none() | st.integers(0, 9)
widening = st.fixed_dictionaries(
    {},
    optional={
        **{key: st.booleans() for key in [*SWITCHES, "requireApproval"]},
        "approve": st.sampled_from(LEVELS),
        "allowedCommands": st.lists(st.sampled_from(["a", "b", "*"])),
        "deniedCommands": st.lists(st.sampled_from(["a", "b", "*"])),
        "allowedMaxCost": numbers,
        "allowedMaxRequests": numbers,
    },
)


@given(widening, widening)
def test_whatever_a_project_says_nothing_more_is_allowed(
    user: dict[str, Any], project: dict[str, Any]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        home.user(user)
        without = home.resolve()
        home.project(project)
        settings = home.resolve()
    for key in SWITCHES:
        assert settings.get(key) <= without.get(key)
    assert settings.get("requireApproval") >= without.get("requireApproval")
    assert LEVELS.index(settings.get("approve")) <= LEVELS.index(without.get("approve"))
    assert settings.get("allowedCommands") == without.get("allowedCommands")
    assert {*settings.get("deniedCommands")} >= {*without.get("deniedCommands")}
    for key in ("allowedMaxCost", "allowedMaxRequests"):
        if without.get(key) is not None:
            assert settings.get(key) <= without.get(key)
