"""Roo's own settings: each switch alone, and who decides where several speak."""

from pathlib import Path
from typing import Any

import pytest

from roo_code.approval_values import ApprovalSettings
from roo_code.config.defaults import DEFAULTS
from roo_code.config.layers import LayeredSettings
from roo_code.config.resolved import Origin, Settings
from roo_code.events import ApprovalRequested
from roo_code.messages import ToolUseContent
from roo_code.policy.approval import CallFacts
from roo_code.policy.grants import ROO_SWITCHES, grants_of, readable_folders
from roo_code.policy.levels import PolicyApprover
from roo_code.policy.roo_switches import approval_of
from roo_code.workspace.workspace import Workspace


def settings(**values: Any) -> Settings:
    return Settings({**DEFAULTS, **values}, {key: Origin("user") for key in values})


def both(user: dict[str, Any], project: dict[str, Any]) -> Settings:
    origins = {key: Origin("user") for key in user} | {key: Origin("project") for key in project}
    return Settings({**DEFAULTS, **user, **project}, origins)


def call(group: str, name: str, *paths: str, read_only: bool = False, **more: Any) -> CallFacts:
    use = ToolUseContent(id="1", name=name)
    return CallFacts(call=use, group=group, read_only=read_only, paths=paths, **more)


CALLS = {
    "read": call("read", "read_file", "a.py", read_only=True),
    "slash command": call("advanced", "run_slash_command", read_only=True),
    "outside": call("read", "read_file", "/etc/hostname", read_only=True),
    "edit": call("edit", "write_to_file", "a.py"),
    "protected": call("edit", "write_to_file", "AGENTS.md"),
    "image": call("advanced", "generate_image", "a.png"),
    "mcp listed": call("mcp", "mcp--s--t", server="s", tool="t", allowed_by_server=True),
    "mcp other": call("mcp", "mcp--s--t", server="s", tool="t"),
    "resource": call("mcp", "access_mcp_resource", server="s"),
    "mode": call("modes", "switch_mode"),
    "subtask": call("modes", "new_task"),
    "listed": call("command", "execute_command", command="git log -3"),
    "command": call("command", "execute_command", command="make test"),
    "browser": call("browser", "browser_action"),
}
NOTHING: set[str] = set()
ALLOWED = {
    "alwaysAllowReadOnly": {"read", "slash command"},
    "alwaysAllowReadOnlyOutsideWorkspace": NOTHING,
    "alwaysAllowWrite": {"edit", "image"},
    "alwaysAllowWriteProtected": NOTHING,
    "alwaysAllowMcp": {"mcp listed", "resource"},
    "alwaysAllowModeSwitch": {"mode"},
    "alwaysAllowSubtasks": {"subtask"},
    "alwaysAllowExecute": {"listed"},
}


async def run_unasked(approval: ApprovalSettings, root: Path) -> set[str]:
    workspace = Workspace(root, readable=readable_folders(approval))
    approver = PolicyApprover(approval, workspace)
    found: set[str] = set()
    for name, facts in CALLS.items():
        verdict = await approver.decide(facts)
        if isinstance(verdict, ApprovalRequested):
            continue
        if verdict.approved:
            found.add(name)
        else:
            assert name == "outside"
    return found


@pytest.mark.parametrize("switch", ROO_SWITCHES)
async def test_each_switch_lets_its_calls_run_and_no_others(switch: str, tmp_path: Path) -> None:
    on = approval_of(settings(autoApprovalEnabled=True, **{switch: True}))
    assert await run_unasked(on, tmp_path) == ALLOWED[switch]
    off = approval_of(settings(autoApprovalEnabled=False, **{switch: True}))
    assert await run_unasked(off, tmp_path) == set()


async def test_switches_that_only_widen_others_need_those(tmp_path: Path) -> None:
    reads = approval_of(
        settings(
            autoApprovalEnabled=True,
            alwaysAllowReadOnly=True,
            alwaysAllowReadOnlyOutsideWorkspace=True,
        )
    )
    assert await run_unasked(reads, tmp_path) == {"read", "slash command", "outside"}
    writes = approval_of(
        settings(autoApprovalEnabled=True, alwaysAllowWrite=True, alwaysAllowWriteProtected=True)
    )
    assert await run_unasked(writes, tmp_path) == {"edit", "image", "protected"}


async def test_all_of_them_together(tmp_path: Path) -> None:
    everything = approval_of(
        settings(autoApprovalEnabled=True, **dict.fromkeys(ROO_SWITCHES, True))
    )
    assert set(CALLS) - await run_unasked(everything, tmp_path) == {
        "mcp other", "command", "browser"
    }  # fmt: skip


async def test_writing_outside_stays_refused_whatever_the_switch(tmp_path: Path) -> None:
    approval = approval_of(
        settings(
            autoApprovalEnabled=True, alwaysAllowWrite=True, alwaysAllowWriteOutsideWorkspace=True
        )
    )
    verdict = await PolicyApprover(approval, Workspace(tmp_path)).decide(
        call("edit", "write_to_file", "../a.py")
    )
    assert not isinstance(verdict, ApprovalRequested)
    assert "outside the workspace" in verdict.reason


async def test_what_a_switch_keeps_back_is_said_by_its_name(tmp_path: Path) -> None:
    approval = approval_of(settings(autoApprovalEnabled=True, alwaysAllowReadOnly=True))
    asked = await PolicyApprover(approval, Workspace(tmp_path)).decide(CALLS["edit"])
    assert asked.reason == "alwaysAllowWrite is off"


@pytest.mark.parametrize(
    ("values", "level"),
    [
        ({}, "auto"),
        ({"approve": "edits", "autoApprovalEnabled": True}, "edits"),
        ({"approve": "all", "alwaysAllowExecute": False}, "all"),
        ({"approve": "auto-edit"}, "edits"),
        ({"approve": "all", "requireApproval": True}, "ask"),
        ({"autoApprovalEnabled": True, "alwaysAllowReadOnly": True}, "switches"),
        ({"autoApprovalEnabled": True}, "switches"),
        ({"autoApprovalEnabled": False}, "ask"),
        ({"autoApprovalEnabled": False, "alwaysAllowReadOnly": True}, "ask"),
        ({"alwaysAllowReadOnly": True}, "auto"),
    ],
)
def test_our_setting_comes_before_roos_switches_and_those_before_the_default(
    values: dict[str, Any], level: str
) -> None:
    assert approval_of(settings(**values)).level == level


def test_a_switch_that_is_off_on_purpose_takes_from_the_default() -> None:
    approval = approval_of(settings(alwaysAllowExecute=False))
    assert (approval.level, set(approval.grants)) == (
        "switches",
        {"read", "write", "mcp", "modes", "subtasks"},
    )


@pytest.mark.parametrize(
    ("user", "project", "grants"),
    [
        ({"approve": "all"}, {"alwaysAllowWrite": False}, {"read", "mcp", "modes", "subtasks",
         "execute", "write_protected"}),
        ({"approve": "auto"}, {"autoApprovalEnabled": False}, NOTHING),
        ({"approve": "auto"}, {"requireApproval": True}, NOTHING),
        ({"autoApprovalEnabled": True, "alwaysAllowReadOnly": True}, {"approve": "auto"}, {"read"}),
        ({"autoApprovalEnabled": True, "alwaysAllowWrite": True}, {"approve": "read"}, NOTHING),
        ({}, {"approve": "read"}, {"read"}),
    ],
)  # fmt: skip
def test_a_project_takes_away_and_never_adds(
    user: dict[str, Any], project: dict[str, Any], grants: set[str]
) -> None:
    assert set(grants_of(approval_of(both(user, project)))) == grants


def test_settings_files_of_roo_decide(tmp_path: Path) -> None:
    home, workspace = tmp_path / "home", tmp_path / "project"
    (home / "settings").mkdir(parents=True)
    (workspace / ".roo").mkdir(parents=True)
    (home / "settings" / "settings.json").write_text(
        '{"autoApprovalEnabled": true, "alwaysAllowReadOnly": true, "alwaysAllowWrite": true,'
        ' "alwaysAllowFollowupQuestions": true, "allowedMaxRequests": 5, "allowedMaxCost": 2}',
        encoding="utf-8",
    )
    (workspace / ".roo" / "settings.json").write_text(
        '{"alwaysAllowWrite": false, "alwaysAllowExecute": true, "allowedMaxRequests": 3}',
        encoding="utf-8",
    )
    layers = LayeredSettings(workspace, home=home, environ={})
    assert approval_of(layers.resolve()) == ApprovalSettings(
        level="switches",
        grants=("read",),
        allowed_commands=("git log", "git diff", "git show"),
        max_requests=3,
        max_cost=2,
        answer_after=60,
    )


@pytest.mark.parametrize(
    ("values", "seconds"),
    [
        ({"alwaysAllowFollowupQuestions": True}, None),
        ({"autoApprovalEnabled": True, "alwaysAllowReadOnly": True}, None),
        ({"autoApprovalEnabled": True, "alwaysAllowFollowupQuestions": True}, 60),
        ({"autoApprovalEnabled": True, "alwaysAllowFollowupQuestions": True,
          "approve": "ask"}, None),
        ({"autoApprovalEnabled": True, "alwaysAllowReadOnly": True,
          "alwaysAllowFollowupQuestions": True}, 60),
        ({"autoApprovalEnabled": True, "alwaysAllowReadOnly": True,
          "alwaysAllowFollowupQuestions": True, "followupAutoApproveTimeoutMs": 500}, 0.5),
        ({"autoApprovalEnabled": True, "alwaysAllowReadOnly": True,
          "alwaysAllowFollowupQuestions": True, "followupAutoApproveTimeoutMs": 0}, None),
    ],
)  # fmt: skip
def test_questions_answer_themselves_only_if_both_switches_say_so(
    values: dict[str, Any], seconds: float | None
) -> None:
    assert approval_of(settings(**values)).answer_after == seconds
