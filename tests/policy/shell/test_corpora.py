from pathlib import Path

import pytest

from roo_code.policy.shell.judge import judge
from roo_code.policy.shell.places import Places
from roo_code.policy.shell.verdict import ShellRules
from roo_code.workspace.workspace import Workspace
from tests.policy.shell.corpus import corpus

DEVELOPER = ShellRules(profile="developer")
TYPICAL = (
    *("git log", "git diff", "git show", "git status", "npm test", "npm run", "pytest", "make"),
    *("cargo test", "go test", "find", "sort", "sed", "awk", "rg", "ls", "xargs"),
)
BYPASSES = corpus("bypasses")
EVERYDAY = corpus("everyday")


@pytest.mark.parametrize("topic", BYPASSES)
def test_no_bypass_runs_unasked(topic: str, tmp_path: Path) -> None:
    lists = (
        () if "(profile)" in topic else (ShellRules(TYPICAL), ShellRules(TYPICAL, (), "developer"))
    )
    for rules in (DEVELOPER, *lists):
        for line in BYPASSES[topic]:
            verdict = judge(line, rules, Places(Workspace(tmp_path)))
            assert verdict.decision != "allow", (line, verdict)
            assert verdict.reason


def test_there_are_bypasses_enough() -> None:
    assert sum(map(len, BYPASSES.values())) >= 300


def test_everyday_commands_seldom_ask(tmp_path: Path) -> None:
    lines = [line for lines in EVERYDAY.values() for line in lines]
    asked = [
        line for line in lines
        if judge(line, DEVELOPER, Places(Workspace(tmp_path))).decision != "allow"
    ]  # fmt: skip
    assert len(lines) >= 200
    assert len(asked) <= 0.05 * len(lines), asked


def test_without_a_profile_and_lists_nothing_runs_unasked(tmp_path: Path) -> None:
    for lines in EVERYDAY.values():
        for line in lines:
            assert judge(line, ShellRules(), Places(Workspace(tmp_path))).decision == "ask", line
