"""The developer profile: what may run unasked while somebody works on a project.

It reads files of the workspace, and it builds, tests and checks the project, which runs the
project's own code. It does not delete, publish, install or fetch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from roo_code.policy.shell.environment import may_prefix
from roo_code.policy.shell.hazards import hazard, program
from roo_code.policy.shell.profile_git import git_rule
from roo_code.policy.shell.values import Word, literal


class Permit(NamedTuple):
    """What the profile says of a command."""

    rule: str = ""
    """The rule that allows it; empty if none does."""
    why_not: str = ""
    runs_project: bool = False
    """Runs code of the project, and so whatever the same line has just written."""
    writes: bool = False
    """Its arguments are files it may change."""
    skips: int = 0
    """How many operands are no files, such as a pattern."""
    no_files: bool = False


_READERS = frozenset(
    """ls cat head tail wc echo printf grep egrep fgrep nl tac rev cut paste tr fold expand unexpand
    column comm cmp diff stat file du df basename dirname realpath readlink which type whoami id
    groups date uname hostname uptime ps free nproc arch true false test sleep seq md5sum sha1sum
    sha256sum sha512sum cksum sum strings od hexdump base64 uniq tree sort rg ag fd fdfind jq
    lsof ss tsort join fmt pr expr factor numfmt lscpu locale tty sw_vers cal pwd exit return break
    continue : wait shift [ [[ awk gawk mawk sed find""".split()  # noqa: SIM905 - shorter so
)
_PATTERN_FIRST = frozenset("grep egrep fgrep rg ag awk gawk mawk sed jq date fd fdfind".split())  # noqa: SIM905
_NO_FILES = frozenset(
    [
        "echo",
        "printf",
        "tr",
        "seq",
        "expr",
        "sleep",
        "type",
        "which",
        "numfmt",
        "factor",
        "cal",
        "basename",
        "dirname",
        "[",
        "[[",
        "test",
    ]
)
_WRITERS = frozenset({"mkdir", "touch", "tee"})
_TOOLS = frozenset(
    """pytest py.test tox nox ruff mypy pyright black isort flake8 pylint bandit make gmake
    ninja ctest tsc eslint prettier jest vitest mocha stylelint biome rspec rake rubocop phpunit
    phpstan ktlint golangci-lint staticcheck gofmt shellcheck yamllint""".split()  # noqa: SIM905
)
_SUBCOMMANDS = {
    "cargo": "build test check clippy fmt run doc tree bench metadata nextest",
    "go": "build test vet fmt list doc version run env mod",
    "npm": "test t run run-script ls list outdated view",
    "pnpm": "test run ls list outdated lint build",
    "yarn": "test run lint build list why typecheck",
    "bun": "test run",
    "npx": "tsc eslint prettier jest vitest mocha stylelint biome",
    "uv": "tree",
    "pip": "list show freeze check",
    "pip3": "list show freeze check",
    "poetry": "show check",
    "mvn": "test compile package verify validate",
    "mvnw": "test compile package verify validate",
    "gradle": "test build check assemble tasks classes lint",
    "gradlew": "test build check assemble tasks classes lint",
    "dotnet": "build test --info --version",
    "swift": "build test",
    "mix": "test compile format",
    "flutter": "test analyze",
    "dart": "test analyze format",
    "docker": "ps images version info",
    "rustup": "show",
    "terraform": "validate fmt version",
    "composer": "validate show",
    "bundle": "list show",
    "pre-commit": "run",
    "coverage": "report html xml json combine",
}
_SECOND_WORDS = {
    ("gh", "pr"): "list view diff status checks",
    ("gh", "issue"): "list view status",
    ("gh", "run"): "list view",
    ("bundle", "exec"): "rspec rake rubocop",
    ("poetry", "run"): "pytest mypy ruff black flake8",
    ("uv", "run"): "pytest mypy ruff black pyright",
    ("hatch", "run"): "test lint",
    ("cmake", "--build"): "",
    ("go", "mod"): "tidy verify graph why download",
}
_RUNNERS = frozenset({"python", "npx", "bundle", "poetry", "uv"})
"""What they are told to run is the program in question."""
_PYTHON_MODULES = frozenset(
    "pytest unittest mypy ruff black isort flake8 pylint pyright compileall".split()  # noqa: SIM905
)
_NONE = literal("")
_VERSIONS = frozenset({"--version", "-V", "-v", "version", "--help", "-h"})
_VERSIONED = frozenset(
    """python python3 node npm pnpm yarn go cargo rustc gcc g++ clang make cmake git docker java
    javac ruby php perl pip pip3 poetry uv tsc deno bun dotnet gradle mvn bash gh kubectl terraform
    pytest ruff mypy rustup""".split()  # noqa: SIM905 - shorter so
)
_SAY_THEIR_OWN = frozenset({"gcc", "g++", "clang", "make", "cmake", "git", "docker", "bash", "gh"})
"""Others take the version, and with it the program, from files of the project: yarnPath,
rust-toolchain.toml, packageManager, .mvn/jvm.config, .tool-versions."""
_NOT_THE_PROJECTS = frozenset({"gh", "docker"})
"""They ask a service, and run nothing that stands in the workspace."""
_PROJECT_BIN = re.compile(
    r"(?:\./)?(?:\.?v?env/bin|node_modules/\.bin|vendor/bin)/([A-Za-z0-9._-]+)"
)
_PROJECT_SCRIPT = re.compile(r"\./(gradlew|mvnw)")
_ACTIVATE = re.compile(r"(?:\./)?\.?v?env/bin/activate")
_SET_FLAGS = re.compile(r"[-+][euxo]+|pipefail")
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_FIND_TESTS = frozenset(
    """-name -iname -path -ipath -wholename -type -maxdepth -mindepth -size -mtime -mmin -newer -not
    -o -a -and -or -print -print0 -empty -prune -perm -user -group -regex -iregex -regextype -ls
    -printf -links -atime -ctime -amin -cmin -executable -readable -writable -quit -xdev -mount
    -depth -H -P -samefile -inum -daystart -true -false -xtype -exec -execdir -ok
    -okdir""".split()  # noqa: SIM905 - shorter so
)


def permit(words: Sequence[Word]) -> Permit:
    """What the developer profile says of one command, its words alone."""
    name = words[0].text or ""
    if local := _PROJECT_BIN.fullmatch(name) or _PROJECT_SCRIPT.fullmatch(name):
        return _tool(local[1], words)
    if "/" in name:
        return Permit(why_not=f"{name} is named by a path")
    texts = [word.text for word in words]
    if len(texts) == 2 and texts[1] in _VERSIONS and name in _VERSIONED:
        return Permit(f"{name} {texts[1]}", runs_project=name not in _SAY_THEIR_OWN)
    if name == "git":
        return _git(words)
    if special := _SPECIAL.get(name):
        fits = special(words[1:])
        why_not = "" if fits else f"{name} with these words"
        return Permit(name if fits else "", why_not, runs_project=name in {"source", "."})
    if name in _READERS:
        why_not = hazard(words) or (_find_doubt(words) if name == "find" else "")
        skips = int(name in _PATTERN_FIRST and not _names_its_pattern(words))
        no_files = name in _NO_FILES
        return Permit("" if why_not else name, why_not, skips=skips, no_files=no_files)
    if name in _WRITERS:
        open_word = next((word.source for word in words if word.text is None), "")
        why_not = f"{name} writes {open_word!r}, wherever that is" if open_word else ""
        return Permit("" if why_not else name, why_not, writes=True)
    return _tool(name, words)


def _names_its_pattern(words: Sequence[Word]) -> bool:
    """Whether the pattern may come as an option, so that the first operand is a file."""
    options = [word.text or "" for word in words if word.lead.startswith("-")]
    return any(
        option.startswith(("--reg", "--fil", "--exp", "--from", "--type-l", "--sea"))
        or re.match(r"-[A-Za-z]*[ef]", option)
        for option in options
    )


def _git(words: Sequence[Word]) -> Permit:
    rule, why_not, writes = git_rule(words)
    return Permit("" if why_not else rule, why_not, writes=writes)


def _tool(name: str, words: Sequence[Word]) -> Permit:
    rule = name if name in _TOOLS else _subcommand(name, words)
    if not rule and program(name) == "python":
        rule = _python(words)
    if not rule:
        return Permit(why_not="the developer profile does not name it")
    covered = len(rule.split())
    named = words[0]._replace(text=name)
    if program(name) in _RUNNERS:
        named = words[covered - 1]
    if why_not := hazard((named, *words[covered:])):
        return Permit(why_not=why_not)
    return Permit(rule, runs_project=name not in _NOT_THE_PROJECTS, writes=True)


def _subcommand(name: str, words: Sequence[Word]) -> str:
    first, second = (word.text or "" for word in (*words, _NONE, _NONE)[1:3])
    if (name, first) in _SECOND_WORDS:
        allowed = _SECOND_WORDS[name, first].split()
        if not allowed:
            return f"{name} {first}"
        return f"{name} {first} {second}" if second in allowed else ""
    return f"{name} {first}" if first in _SUBCOMMANDS.get(name, "").split() else ""


def _python(words: Sequence[Word]) -> str:
    if len(words) > 2 and words[1].text == "-m":
        module = words[2].text or ""
        if module in _PYTHON_MODULES:
            return f"{words[0].text} -m {module}"
        if module == "pip" and len(words) > 3 and words[3].text in {"list", "show", "freeze"}:
            return f"{words[0].text} -m pip {words[3].text}"
    return ""


def _find_doubt(words: Sequence[Word]) -> str:
    started = False
    for before, word in pairwise(words):
        if started:
            started = word.text not in {";", "+"}
        elif before.text == "-perm" or re.fullmatch(r"-\d+\w*", word.text or ""):
            continue
        elif word.lead.startswith("-") and word.text not in _FIND_TESTS:
            return f"find with {word.source!r}"
        else:
            started = word.text in {"-exec", "-execdir", "-ok", "-okdir"}
    return ""


def _is_cd(given: Sequence[Word]) -> bool:
    return len(given) == 1 and given[0].text not in {None, "", "-"} and not given[0].tilde


def _is_read(given: Sequence[Word]) -> bool:
    return all(
        word.text == "-r" or (word.text and _PLAIN_NAME.fullmatch(word.text)) for word in given
    )


def _is_set(given: Sequence[Word]) -> bool:
    return bool(given) and all(word.text and _SET_FLAGS.fullmatch(word.text) for word in given)


def _is_activation(given: Sequence[Word]) -> bool:
    return len(given) == 1 and bool(_ACTIVATE.fullmatch(given[0].text or ""))


def _is_listing(given: Sequence[Word]) -> bool:
    """`tar tzf FILE`, `unzip -l FILE`."""
    flags = given[0].text if given else None
    return (
        len(given) == 2
        and bool(re.fullmatch(r"-?t[vzjJ]*f|-l", flags or ""))
        and not given[1].may_be_option
        and not given[1].lead.startswith("-")
    )


def _is_lookup(given: Sequence[Word]) -> bool:
    return len(given) == 2 and given[0].text in {"-v", "-V"}


def _is_export(given: Sequence[Word]) -> bool:
    pairs = [(word.text or "").partition("=") for word in given]
    return bool(given) and all(
        equals and may_prefix(name, literal(value)) for name, equals, value in pairs
    )


_SPECIAL: dict[str, Callable[[Sequence[Word]], bool]] = {
    "cd": _is_cd,
    "export": _is_export,
    "read": _is_read,
    "set": _is_set,
    "source": _is_activation,
    ".": _is_activation,
    "tar": _is_listing,
    "unzip": _is_listing,
    "command": _is_lookup,
}
