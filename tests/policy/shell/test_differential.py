"""What the policy allows, bash runs as foreseen: these programs, with these words, these files."""

from pathlib import Path, PurePath

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roo_code.policy.shell.judge import judge
from roo_code.policy.shell.parse import parse_line
from roo_code.policy.shell.places import Places
from roo_code.policy.shell.verdict import ShellRules
from roo_code.workspace.workspace import Workspace
from tests.policy.shell.corpus import corpus
from tests.policy.shell.recording import RecordingShell, may_be

RULES = ShellRules(("aa", "bb b"), ("dd",), "developer")
PROGRAMS = ("aa", "bb", "cc", "dd", "rm", "ls", "cat", "git", "grep", "head", "sort", "wc")

COMMANDS = st.sampled_from(
    ["aa", "aa x", "bb b", "echo", "ls", "cat in", "git log", "head in", "[ -f in ]", "cc", "bb"]
)
WORDS = st.sampled_from(
    [
        *(
            "x",
            "-n",
            "'y z'",
            '"y z"',
            "a\\ b",
            "$x",
            '"$x"',
            "${x}",
            "$'y\\x41'",
            "*",
            "i?",
            "{p,q}",
        ),
        *(
            "~",
            "$(aa)",
            '"$(aa w)"',
            "`aa`",
            "<(aa)",
            "$((1+2))",
            "$(cc)",
            "'",
            '"',
            "\\",
            "$",
            "`",
        ),
        *(
            "${x:-y}",
            "${x@P}",
            "=",
            "!",
            "#",
            "# c",
            "a#b",
            "}",
            "{",
            "do",
            "fi",
            "y=1",
            "$'",
            "(",
            ")",
        ),
        *(
            "\\\n",
            "a\\\nb",
            "é",
            "[a]",
            "-",
            "--",
            "1",
            "2",
            "[[",
            "]]",
            ";;",
            "in",
            "then",
            "\\$x",
        ),
    ]
)
ENDS = st.sampled_from(
    [
        *("; ", " && ", " || ", " | ", " & ", "\n", " |& ", "", " ", ";", "&&", "|", "\t", " ;; "),
        *(" > out", " >> out", " 2>&1", " < in", ">out ", " &> out", " <<< w", " <<E\nq $x\nE\n"),
        *(
            " <<'E'\n$(cc)\nE\n",
            " <<-E\n\t$(cc)\n\tE\n",
            " > out w",
            " 2> out",
            " >&2 ",
            " >| out ",
        ),
    ]
)
OPENINGS = st.sampled_from(
    [
        *(
            "",
            "",
            "",
            "",
            "",
            "",
            "! ",
            "( ",
            "{ ",
            "time ",
            "env ",
            "env CI=1 ",
            "CI=1 ",
            "y=1 ",
            "y=1; ",
        ),
        *(
            "timeout 5 ",
            "nice ",
            "xargs ",
            "command ",
            "eval ",
            "bash -c ",
            "if ",
            "then ",
            "for v in a b; do ",
        ),
        *(
            "ls | xargs ",
            "exec ",
            "builtin ",
            "nohup ",
            "bash -c 'aa' ",
            "f() { ",
            "case a in a) ",
            "> out ",
        ),
    ]
)
CLOSINGS = st.sampled_from(["", "", "", "", ")", "; }", "; fi", "; done", ";; esac", " )", "\n}"])


def _piece(parts: tuple[str, str, list[str], str, str]) -> str:
    opening, command, words, end, closing = parts
    return opening + command + "".join(f" {word}" for word in words) + closing + end


LINES = st.lists(
    st.tuples(OPENINGS, COMMANDS, st.lists(WORDS, max_size=2), ENDS, CLOSINGS).map(_piece),
    min_size=1,
    max_size=3,
).map("".join)
CORPUS = [
    line for name in ("bypasses", "everyday") for lines in corpus(name).values() for line in lines
]


@st.composite
def _mutated(draw: st.DrawFn) -> str:
    line = draw(st.sampled_from(CORPUS))
    start = draw(st.integers(0, len(line)))
    end = draw(st.integers(start, min(len(line), start + 3)))
    return line[:start] + draw(st.one_of(WORDS, ENDS, st.text(max_size=2))) + line[end:]


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> RecordingShell:
    return RecordingShell(tmp_path_factory.mktemp("recording"), PROGRAMS)


def check(line: str, shell: RecordingShell) -> bool:
    """Whether the line is allowed; if so it must run as foreseen."""
    verdict = judge(line, RULES, Places(Workspace(shell.workspace)))
    if verdict.decision != "allow":
        return False
    parsed = parse_line(line)
    for call in shell.run(line):
        assert any(may_be(command, call) for command in parsed.commands), (line, call, parsed)
    targets = {write.target.text for write in parsed.writes}
    made = {
        word.text
        for command in parsed.commands
        if command.name in {"mkdir", "touch", "tee"}
        for word in command.words
    }
    names = {PurePath(text).parts[0] for text in targets | made if text and PurePath(text).parts}
    assert shell.written() <= names, line
    return True


@given(line=LINES)
@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_is_allowed_runs_as_foreseen(line: str, shell: RecordingShell) -> None:
    check(line, shell)


@given(line=_mutated())
@settings(max_examples=250, deadline=None)
def test_a_changed_line_of_the_corpora_runs_as_foreseen(line: str, shell: RecordingShell) -> None:
    check(line, shell)


def test_everyday_commands_run_as_foreseen(shell: RecordingShell) -> None:
    lines = [line for lines in corpus("everyday").values() for line in lines]
    assert sum(check(line, shell) for line in lines if "sleep" not in line) > 200


@given(line=st.text(), allowed=st.sampled_from(["*", "a", ""]))
@settings(max_examples=200, deadline=None)
def test_any_text_gets_a_verdict(line: str, allowed: str) -> None:
    verdict = judge(line, ShellRules((allowed,), ("b",)), Places(Workspace(Path())))
    assert verdict.decision in {"allow", "ask", "deny"}
    assert verdict.reason
