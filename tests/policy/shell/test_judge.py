from pathlib import Path

import pytest

from roo_code.policy.shell.judge import judge as judge_line
from roo_code.policy.shell.places import Places
from roo_code.policy.shell.verdict import ShellRules, ShellVerdict
from roo_code.workspace.workspace import Workspace

GIT = ("git log", "git diff", "npm test")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    return root


def verdict(
    root: Path, line: str, allowed: tuple[str, ...] = (), denied: tuple[str, ...] = (), **more: str
) -> ShellVerdict:
    profile = "developer" if more.get("profile") else ""
    return judge_line(line, ShellRules(allowed, denied, profile), Places(Workspace(root)))


@pytest.mark.parametrize(
    "line",
    [
        "git log",
        "  git   log --oneline -5 ",
        "git diff HEAD~1 'a file.txt'",
        "git log --grep='a; b && $(c)'",
        'git log --author="A. B"',
        "npm test",
        "git diff HEAD^ -- *.py",
        "git log # a comment",
        "(git log)",
        "! git log && { npm test; }",
        "git log \\\n  --oneline",
        "timeout 5 env CI=1 npm test",
        "bash -c 'git log; npm test'",
        "git log 2>&1 >/dev/null",
    ],
)
def test_a_line_is_allowed_if_each_command_is_on_the_list(root: Path, line: str) -> None:
    assert verdict(root, line, GIT).decision == "allow"


@pytest.mark.parametrize(
    "line",
    ["git", "git logs", "git push", "gitfoo log", "Git log", "./git log", "/tmp/git log",
     "npm tests", "git log > file", "git log >> file", "", "   ", "git\\ log", "x=1"],
)  # fmt: skip
def test_only_whole_words_match(root: Path, line: str) -> None:
    assert verdict(root, line, GIT).decision == "ask"


# Each line runs rm, one way or another.
REMOVALS = [
    "rm x",
    "RM x",
    "/bin/rm x",
    "ls; rm x",
    "ls | rm",
    "ls & rm x",
    "ls\nrm x",
    "(rm x)",
    "if true; then rm x; fi",
    "for f in *; do rm $f; done",
    'echo "$(rm x)"',
    'echo "a $(echo "b $(rm x)")"',
    "echo `rm x`",
    'echo "`echo; rm x`"',
    "cat <(rm x)",
    "A=1 B='2 3' rm x",
    "x=$(rm y)",
    "sudo -u root rm x",
    "env -i A=1 rm x",
    "timeout -s KILL 5 rm x",
    "find . -exec rm {} +",
    "ls | xargs -n 1 rm",
    "nohup time rm x",
    "bash -c 'ls; rm x'",
    "sudo sh -c 'rm x'",
    'bash -c "bash -c \\"rm x\\""',
    "eval 'rm x'",
    "'rm' x",
    'r"m" x',
    "r\\m x",
    "r\\\nm x",
    "$'rm' x",
    "$'\\x72m' x",
    "rm${IFS}x",
    "rm>x",
    ">x rm",
    "> x rm y",
    "2>/dev/null rm x",
    "! rm x",
    "f() { rm x; }; f",
    "cat <<E\n$(rm x)\nE",
    "coproc rm x",
    "xargs -Z rm",
]


@pytest.mark.parametrize("line", REMOVALS)
def test_a_denied_command_is_found_wherever_it_hides(root: Path, line: str) -> None:
    for allowed in ((), ("*",)):
        judged = verdict(root, line, allowed, ("rm",))
        assert judged.decision == "deny"
        assert "'rm'" in judged.reason


@pytest.mark.parametrize(
    "line", ["ls", "rmdir x", "git rm x", "echo 'a; rm b'", 'git commit -m "no rm here; really"']
)
def test_other_commands_are_not_denied(root: Path, line: str) -> None:
    assert verdict(root, line, ("*",), ("rm",)).decision == "allow"


def test_the_options_of_git_do_not_hide_what_it_does(root: Path) -> None:
    for line in ("git -C x push", "git -c a=b push", "git --no-pager PUSH"):
        assert verdict(root, line, ("git",), ("git push",)).decision == "deny"


@pytest.mark.parametrize(
    ("allowed", "denied", "decision"),
    [
        (["git"], ["git push"], "deny"),
        (["git push --dry-run"], ["git push"], "allow"),
        (["git push"], ["git push"], "deny"),
        (["*"], ["git"], "deny"),
        (["git"], ["*"], "allow"),
        ([], ["*"], "deny"),
        (["*"], ["*"], "deny"),
        ([], [], "ask"),
        (["", " "], [""], "ask"),
    ],
)
def test_the_longer_entry_wins_and_on_a_tie_the_denial(
    root: Path, allowed: list[str], denied: list[str], decision: str
) -> None:
    judged = verdict(root, "git push --dry-run", tuple(allowed), tuple(denied))
    assert judged.decision == decision


def test_a_star_allows_all_that_can_be_read(root: Path) -> None:
    assert verdict(root, "$x > /etc/passwd", ("*",)).decision == "allow"
    assert verdict(root, "echo 'unbalanced", ("*",)).decision == "ask"
    assert verdict(root, "ls \u202e", ("*",)).decision == "ask"
    # Among words that nobody knows may be the denied one.
    assert verdict(root, "$x y", ("*",), ("rm",)).decision == "ask"


def test_an_entry_that_names_the_option_allows_it(root: Path) -> None:
    assert verdict(root, "find . -delete", ("find",)).decision == "ask"
    assert verdict(root, "find . -delete", ("find . -delete",)).decision == "allow"
    assert verdict(root, "python -c 'x'", ("python",)).decision == "ask"
    assert verdict(root, "python -c 'x'", ("python -c",)).decision == "allow"
    assert verdict(root, "python x.py", ("python",)).decision == "allow"


def test_the_rule_that_decided_is_told_for_each_command(root: Path) -> None:
    judged = verdict(root, "git log | head > out", ("git log",), ("rm",), profile="developer")
    assert judged.decision == "allow"
    assert [(each.command, each.rule) for each in judged.commands] == [
        ("git log", "allowedCommands: git log"),
        ("head", "developer: head"),
    ]
    assert judged.writes == ("out",)
    assert judged.reason == "allowed by allowedCommands: git log, developer: head"


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("echo x > a.txt", "allow"),
        ("echo x > sub/a.txt", "allow"),
        ("cd sub && echo x > a.txt", "allow"),
        ("echo x > ../a.txt", "ask"),
        ("echo x > link/a.txt", "ask"),
        ("cd link && echo x > a.txt", "ask"),
        ("cat link/a.txt", "ask"),
        ("echo x > .git/config", "ask"),
        ("cd .git && echo x > config", "ask"),
        ("echo x > inner", "ask"),
    ],
)
def test_redirections_are_edits(root: Path, line: str, decision: str) -> None:
    (root / "link").symlink_to("/etc")
    (root / "inner").symlink_to(".git/config")
    assert verdict(root, line, profile="developer").decision == decision
    assert verdict(root, line, ("echo", "cd")).decision == "ask"


@pytest.mark.parametrize("profile", ["", "developer"])
def test_a_list_does_not_lead_out_of_the_workspace(root: Path, profile: str) -> None:
    lists = ("cd", "pushd", "make", "echo")
    assert verdict(root, "cd sub && make", lists, profile=profile).decision == "allow"
    for line in ("cd / && make", "cd $x; make", "pushd / && make", "cd /; echo x > etc/passwd"):
        assert verdict(root, line, lists, profile=profile).decision == "ask"


def test_a_variable_that_names_itself_ends(root: Path) -> None:
    assert verdict(root, "x=$x; cat $x", profile="developer").decision == "ask"


@pytest.mark.parametrize(
    "line",
    [
        *("(" * 300 + "ls" + ")" * 300, "echo " + "$(echo " * 100 + ")" * 100, "a;" * 20_000),
        *("echo " + "${x:-" * 3000 + "}" * 3000, "[[ " + "( " * 3000 + "a" + " )" * 3000 + " ]]"),
        *("{," * 9000, "sed '" + "p\n\n" * 900 + "!'", "$(" * 9000),
        *("<<E " * 4000, "'\"" * 6000, "a" + "`" * 9999, "[" * 19_000, "if " * 6000),
    ],
    ids=str.__len__,
)
def test_deep_and_long_lines_ask(root: Path, line: str) -> None:
    assert verdict(root, line, ("a", "ls", "echo", "sed"), ("rm",)).decision == "ask"


def test_a_line_continued_often_is_one_line(root: Path) -> None:
    assert verdict(root, "ls" + " \\\n" * 2000 + "\\\nx", ("ls x",)).decision == "allow"
