"""What the settings add to a command line."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from roo_code.approval_values import ApprovalSettings
from roo_code.cli.options import RunOptions
from roo_code.cli.settings_options import notices, read_settings, with_settings
from roo_code.config.defaults import DEFAULTS
from roo_code.config.resolved import Origin, Settings


def settings(**values: Any) -> Settings:
    return Settings({**DEFAULTS, **values}, {key: Origin("user") for key in values})


def test_settings_speak_where_the_command_line_is_silent() -> None:
    made = with_settings(
        RunOptions(),
        settings(
            mode="ask", approve="edits", allowedCommands=["ls"], deniedCommands=["rm"],
            allowedMaxRequests=7, allowedMaxCost=1.5, consecutiveMistakeLimit=0, oneshot=True,
        ),
    )  # fmt: skip
    assert (made.mode, made.require_approval, made.deny_command) == ("ask", False, ("rm",))
    assert made.approval == ApprovalSettings(
        level="edits",
        allowed_commands=("ls",),
        denied_commands=("rm",),
        max_requests=7,
        max_cost=1.5,
    )
    assert (made.max_turns, made.max_cost, made.oneshot) == (None, None, True)
    assert made.consecutive_mistake_limit == 0


def test_the_command_line_wins_and_only_adds_to_what_is_denied() -> None:
    options = RunOptions(
        mode="code", approve="all", allow_command=("git",), deny_command=("curl",), max_turns=3,
        max_cost=9, consecutive_mistake_limit=2,
    )  # fmt: skip
    made = with_settings(
        options,
        settings(mode="ask", requireApproval=True, allowedCommands=["ls"], deniedCommands=["rm"],
                 allowedMaxRequests=7, allowedMaxCost=1.5, consecutiveMistakeLimit=4),
    )  # fmt: skip
    assert replace(made, approval=None) == replace(options, deny_command=("rm", "curl"))


def test_without_settings_our_defaults_hold() -> None:
    made = with_settings(RunOptions(), settings())
    assert (made.mode, made.require_approval) == ("code", False)
    assert made.approval == ApprovalSettings()
    assert (made.max_turns, made.max_cost, made.consecutive_mistake_limit) == (None, None, 10)


@pytest.mark.parametrize(
    ("values", "asks"),
    [
        ({"requireApproval": True}, True),
        ({"autoApprovalEnabled": False}, True),
        ({"autoApprovalEnabled": True, "alwaysAllowReadOnly": True}, False),
        ({"approve": "ask"}, True),
        ({"approve": "read"}, False),
    ],
)
def test_settings_may_want_a_person_before_every_action(values: dict[str, Any], asks: bool) -> None:
    assert with_settings(RunOptions(), settings(**values)).require_approval is asks
    assert not with_settings(RunOptions(approve="auto"), settings(**values)).require_approval


def test_what_is_wrong_is_told_in_a_few_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROO_HOME", str(tmp_path))
    (tmp_path / "settings").mkdir()
    file = tmp_path / "settings" / "settings.json"
    file.write_text('{"mode": 1, "language": 2, "unknown": 3, "approve": 4, "oneshot": 5}')
    told = notices(read_settings(RunOptions(workspace=str(tmp_path))))
    assert len(told) == 4
    assert told[0] == f"Settings: {file}:1: mode = 1: must be text; it is not used"
    assert told[-1] == "See roo doctor."
    file.write_text('{"unknown": 3}')
    settings = read_settings(RunOptions(mode="ask"))
    assert notices(settings) == []
    assert settings.get("mode") == "ask"
