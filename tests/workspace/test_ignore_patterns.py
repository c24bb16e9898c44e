import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roo_code.workspace.ignore_patterns import IgnorePatterns


@pytest.mark.parametrize(
    ("patterns", "ignored", "kept"),
    [
        ("*.env", "a.env x/y/b.env", "a.envx"),
        ("/a.txt", "a.txt", "x/a.txt"),
        ("x/a.txt", "x/a.txt", "y/x/a.txt a.txt"),
        ("secrets/", "secrets/a secrets/b/c", "secrets"),
        ("secrets/\n!secrets/ok", "secrets/ok", "ok"),
        ("secrets/*\n!secrets/ok", "secrets/a", "secrets/ok"),
        ("*\n!*.py", "a b/c.py", "a.py"),
        ("**/logs", "logs/a x/logs/b", "logsx/a"),
        ("a/**/b", "a/b a/x/b a/x/y/b", "b x/a/b"),
        ("a/**", "a/b a/b/c", "a"),
        ("[ab].txt\n[!x]y", "a.txt zy", "c.txt xy"),
        ("[[:digit:]]x", "1x", "ax"),
        (r"\#a" + "\n" + r"\!b" + "\n# c", "#a !b", "a c"),
        (r"\*.txt", "*.txt", "a.txt"),
        ("a  \nb\\ ", "a", "b"),
        ("\ufeffa\r\nb\r\n", "a b", "c"),
        ("\n\n/\n", "", "a"),
    ],
)
def test_patterns_mean_what_they_mean_to_git(patterns: str, ignored: str, kept: str) -> None:
    rules = IgnorePatterns(patterns)
    assert [path for path in ignored.split() if not rules.ignore(path.split("/"))] == []
    assert [path for path in kept.split() if rules.ignore(path.split("/"))] == []


NAMES = ("a", "ab", "a.py", "b.txt", ".env", "a b", "x*", "[q]", "#h", "!e")
ATOMS = st.sampled_from(
    [
        *("a", "b", "*", "?", "[ab]", "[!a]", "[^b]", ".py", "*.txt", r"\*", r"\[", "[[:alpha:]]"),
        *(".env", "#", "!", r"\#", r"\!", " ", r"\ ", "[a-c]", r"\a", "[]a]", r"[\]]"),
    ]
)
PARTS = st.lists(ATOMS, min_size=1, max_size=3).map("".join) | st.just("**")
LINES = st.tuples(
    st.sampled_from(["", "!", "/", "!/"]),
    st.lists(PARTS, min_size=1, max_size=3).map("/".join),
    st.sampled_from(["", "/", " "]),
).map("".join)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", folder], check=True)
    for place in (".", "a", "b", "ab/a", ".env", "a.py/b"):
        (folder / place).mkdir(parents=True, exist_ok=True)
    for place in [folder, *folder.rglob("*")]:
        if place.is_dir() and ".git" not in place.parts:
            for name in NAMES:
                if not (place / name).exists():
                    (place / name).touch()
    return folder


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(lines=st.lists(LINES, min_size=1, max_size=4))
def test_git_agrees(repository: Path, lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    (repository / ".gitignore").write_text(text, encoding="utf-8")
    everything = [path for path in repository.rglob("*") if ".git" not in path.parts]
    paths = {path.relative_to(repository).as_posix(): path.is_dir() for path in everything}
    told = subprocess.run(
        ["git", "check-ignore", "--no-index", "-z", "--stdin"],
        cwd=repository,
        input="\0".join(paths),
        capture_output=True,
        text=True,
        check=False,
    )
    rules = IgnorePatterns(text)
    ours = {path for path in paths if rules.ignore(path.split("/"), folder=paths[path])}
    assert ours == set(filter(None, told.stdout.split("\0")))


@pytest.mark.parametrize("line", ["a[", "a\\", "!"])
def test_what_can_match_nothing_is_an_error_where_that_matters(line: str) -> None:
    assert not IgnorePatterns(line).ignore(["a"])
    with pytest.raises(ValueError, match="line 2, "):
        IgnorePatterns(f"x\n{line}\n", strict=True)


def test_a_hostile_pattern_takes_no_time() -> None:
    rules = IgnorePatterns("*a" * 60 + "b\n" + "**/a/" * 30 + "b\n")
    # With backtracking, this would take years.
    assert not rules.ignore(["a" * 255] * 100)
