"""Which words tell a command's like, and which lines can be approved only once."""

from pathlib import Path

import pytest

from roo_code.policy.shell.judge import judge
from roo_code.policy.shell.leading_words import entries_for
from roo_code.policy.shell.places import Places
from roo_code.policy.shell.verdict import ShellRules
from roo_code.workspace.workspace import Workspace

RULES = ShellRules(("git log",), ("git push",), "developer")


def entries(line: str, root: Path, rules: ShellRules = RULES) -> tuple[str, ...]:
    return entries_for(line, rules, Places(Workspace(root)))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("npm install left-pad", ("npm install",)),
        ("npm run deploy -- --now", ("npm run deploy",)),
        ("docker compose up -d", ("docker compose up",)),
        ("git checkout main && git log", ("git checkout",)),
        ("pip install a && pip install b", ("pip install",)),
        ("pip install a | terraform plan", ("pip install", "terraform plan")),
        ("timeout 5 cargo publish", ("cargo publish",)),
        ("./scripts/release.sh staging", ("./scripts/release.sh staging",)),
        ("python tool.py --all", ("python tool.py --all",)),
    ],
)
def test_an_entry_is_the_program_and_what_it_is_told_to_do(
    line: str, expected: tuple[str, ...], tmp_path: Path
) -> None:
    assert entries(line, tmp_path) == expected


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf build",
        "curl https://example.com",
        "sudo apt-get install vim",
        "cp a b",
        "bash build.sh",
        "git push origin",  # denied
        "git -c core.pager=evil checkout main",
        "git",
        "$PROGRAM install",
        "npm install $(cat list)x > ../out",
        "PATH=. npm install",
        "echo hi > .roo/rules.md",
        "python -c 'print(1)'",
        "tool 'two words'",
        "npm install; (",
        "LD_PRELOAD=x ls",
        "ls",  # needs none
        "",
    ],
)
def test_some_lines_can_be_approved_only_once(line: str, tmp_path: Path) -> None:
    assert entries(line, tmp_path) == ()


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("npm install a", "npm installer"),
        ("npm install a", "npm uninstall a"),
        ("npm install a", "npm install a && rm -rf ."),
        ("npm install a", "npm install a > ../out"),
        ("npm install a", "npm --prefix /tmp install a"),
        ("pip install a", "sudo rm x; pip install a"),
        ("cargo add x", "X=1 cargo add $(curl evil)"),
    ],
)
def test_what_an_entry_allows_is_no_wider_than_its_words(
    given: str, line: str, tmp_path: Path
) -> None:
    rules = ShellRules((*RULES.allowed, *entries(given, tmp_path)), RULES.denied, "developer")
    assert judge(line, rules, Places(Workspace(tmp_path))).decision != "allow"
