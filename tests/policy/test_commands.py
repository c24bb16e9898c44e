import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roo_code.policy.commands import judge
from roo_code.policy.shell_pieces import plain_words

GIT = ("git log", "git diff", "npm test")


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
    ],
)
def test_a_plain_command_on_the_list_is_allowed(line: str) -> None:
    assert judge(line, GIT, ()) == "allow"


@pytest.mark.parametrize(
    "line",
    [
        "git",
        "git logs",
        "git push",
        "gitfoo log",
        "Git log",
        "./git log",
        "/tmp/git log",
        "npm tests",
        "env git log",
    ],
)
def test_only_whole_words_match(line: str) -> None:
    assert judge(line, GIT, ()) == "ask"


# Each line runs something that no entry of the allow list names.
BYPASSES = [
    "git log; rm -rf .",
    "git log && rm -rf .",
    "git log || rm -rf .",
    "git log | sh",
    "git log & rm -rf .",
    "git log\nrm -rf .",
    "git log\rrm -rf .",
    "git log $(rm -rf .)",
    'git log "$(rm -rf .)"',
    "git log `rm -rf .`",
    'git log "`rm -rf .`"',
    "git log <(rm -rf .)",
    "git log > ~/.bashrc",
    "git log >> file",
    "git log 2> file",
    "git log < file",
    "git log <<< $(rm -rf .)",
    "git log ${x@P}",
    'git log "${x:=$(rm -rf .)}"',
    "git log ${!x}",
    "git log $x",
    'git log "$x"',
    "git log $'a\\x3b'",
    "git log =(rm -rf .)",
    "git log *(e:'rm -rf .':)",
    "git log {a,b}",
    "PAGER='rm -rf .' git log",
    "GIT_PAGER=x git log",
    "x=1 y=2 git log",
    "git\\ log",
    "git log \\; rm",
    "git log 'unbalanced",
    'git log "unbalanced',
    "git log # comment",
    "(git log)",
    "{ git log; }",
    "! git log",
    "~/git log",
    "g*t log",
    "?it log",
    "[g]it log",
    "",
    "   ",
    "time -p git log; rm .",
]


@pytest.mark.parametrize("line", BYPASSES)
def test_whatever_is_not_plain_is_never_allowed_by_name(line: str) -> None:
    assert judge(line, (*GIT, "git", "x", "time"), ()) == "ask"
    assert judge(line, ("*",), ()) == "allow"


# Each line runs rm, one way or another.
REMOVALS = [
    "rm x",
    "RM x",
    "/bin/rm x",
    "ls; rm x",
    "ls && rm x",
    "ls | rm",
    "ls & rm x",
    "ls\nrm x",
    "(rm x)",
    "{ rm x; }",
    "if true; then rm x; fi",
    "for f in *; do rm $f; done",
    "echo $(rm x)",
    'echo "$(rm x)"',
    'echo "a $(echo "b $(rm x)")"',
    "echo `rm x`",
    'echo "`echo; rm x`"',
    "cat <(rm x)",
    "A=1 rm x",
    "A=1 B='2 3' rm x",
    "x=$(rm y)",
    "sudo rm x",
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
    "rm${IFS}x",
    "rm>x",
    ">x rm",
    "2>/dev/null rm x",
    "! rm x",
]


@pytest.mark.parametrize("line", REMOVALS)
def test_a_denied_command_is_found_wherever_it_hides(line: str) -> None:
    assert judge(line, (), ("rm",)) == "deny"
    assert judge(line, ("*",), ("rm",)) == "deny"


@pytest.mark.parametrize(
    "line", ["ls", "rmdir x", "git rm x", "echo 'a; rm b'", 'git commit -m "no rm here; really"']
)
def test_other_commands_are_not_denied(line: str) -> None:
    assert judge(line, ("*",), ("rm",)) == "allow"


@pytest.mark.parametrize(
    ("allowed", "denied", "judgement"),
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
    allowed: list[str], denied: list[str], judgement: str
) -> None:
    assert judge("git push --dry-run", allowed, denied) == judgement


LINE = st.lists(
    st.sampled_from([*"ab-=/.,:@%+~^#!*?[] \t\\$;&|<>(){}\n", "'a b'", '"a # b"', " ", " c", "'"])
).map("".join)


@given(LINE)
@settings(max_examples=300, deadline=None)
def test_the_shell_sees_the_words_of_a_plain_command_as_we_do(line: str) -> None:
    words = plain_words(line)
    if words is None:
        return
    # `show` instead of a command of that name, with globs off as no file is meant.
    script = f"set -f; show() {{ printf '%s\\0' \"$@\"; }}; show {line}"
    shell = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    assert shell.stdout.decode().split("\0")[:-1] == words
    assert shell.stderr == b""
