"""Programs whose arguments are another command."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from roo_code.policy.shell.values import UNKNOWN, Word, literal

SHELLS = frozenset({"sh", "bash", "dash", "ksh", "zsh", "ash", "mksh", "rbash"})
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_SHELL_FLAGS = re.compile(r"-[aefhlmnuvxBCP]*(c?)[aefhlmnuvxBCP]*")


class Started(NamedTuple):
    """What a wrapper starts: a command, or code for a shell."""

    words: tuple[Word, ...] = ()
    code: str | None = None
    environment: tuple[tuple[str, Word], ...] = ()
    only_starts: bool = True
    """Whether the wrapper does nothing else of note, and so needs no rule of its own."""
    doubt: str = ""


class _Options(NamedTuple):
    """A wrapper's options, as far as we follow them; any other leaves the command in doubt."""

    flags: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    operands: int = 0
    """How many words stand before the command."""
    only_starts: bool = True


def _options(
    flags: str = "", valued: str = "", operands: int = 0, *, only_starts: bool = True
) -> _Options:
    return _Options(frozenset(flags.split()), frozenset(valued.split()), operands, only_starts)


_SIMPLE = {
    "time": _options("-p"),
    "nohup": _options(),
    "builtin": _options(),
    "command": _options("-p"),
    "exec": _options("-c -l", "-a"),
    "nice": _options("", "-n --adjustment"),
    "ionice": _options("-t", "-c -n"),
    "setsid": _options("-f -w -c --fork --wait"),
    "stdbuf": _options("", "-i -o -e"),
    "timeout": _options("--foreground --preserve-status -v", "-s -k --signal --kill-after", 1),
    "chronic": _options(),
    "unbuffer": _options(),
    "sudo": _options("-E -H -n -S -A -b -k -i -s", "-u -g -h -p -C -T -D", only_starts=False),
    "doas": _options("-n -s", "-u -C", only_starts=False),
    "busybox": _options(only_starts=False),
    "toybox": _options(only_starts=False),
    "chroot": _options("", "", 1, only_starts=False),
    "strace": _options("-f -ff", "-e -o -p", only_starts=False),
    "ltrace": _options("-f", "-e -o -p", only_starts=False),
    "catchsegv": _options(only_starts=False),
    "flock": _options("-n -x -s -u", "-w -E", 1, only_starts=False),
}
_XARGS = _options(
    "-0 -r -t -x -p --null --no-run-if-empty --verbose --exit",
    "-n -P -L -d -E -s -I --max-args --max-procs --max-lines --delimiter",
)
STARTERS = frozenset({"env", "xargs", "eval", *SHELLS, *_SIMPLE})
_FIND_STARTS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


def unwrap(words: tuple[Word, ...]) -> list[Started]:
    """What a command starts in turn; empty if it is no wrapper."""
    name = PurePosixPath(words[0].text or "").name.lower()
    given = words[1:]
    if name == "env":
        return [_env(given)]
    if name == "xargs":
        return [_xargs(given)]
    if name in {"find", "gfind", "bfs"}:
        return _find(given)
    if name in SHELLS:
        return _shell(given)
    if name == "eval":
        return [_joined(given, "eval")]
    if name == "watch":
        return [_joined(given, "watch")._replace(only_starts=False)]
    if name == "command" and given and given[0].text in {"-v", "-V"}:
        return []
    if name in _SIMPLE:
        return [_simple(name, given)]
    return []


def _doubt(name: str, word: Word | None = None) -> Started:
    what = f" {word.source!r}" if word else ""
    return Started(only_starts=False, doubt=f"what {name}{what} starts is not followed here")


def _skip(given: Sequence[Word], options: _Options) -> int | None:
    """Where the command begins; None if an option is not known."""
    position = 0
    while position < len(given):
        text = given[position].text
        if text is None:
            return None
        if text == "--":
            position += 1
            break
        if not text.startswith("-") or text == "-":
            break
        name, equals, _ = text.partition("=")
        short_valued = text[:2] in options.valued and not text.startswith("--")
        if text in options.valued:
            position += 2
        elif (
            text in options.flags
            or (equals and name in options.valued)
            or short_valued
            or re.fullmatch(r"-\d+", text)
        ):
            position += 1
        else:
            return None
    position += options.operands
    return position


def _simple(name: str, given: tuple[Word, ...]) -> Started:
    start = _skip(given, _SIMPLE[name])
    if start is None or not given[start:]:
        return Started(only_starts=False) if not given else _doubt(name, given[0])
    if any(word.text is None for word in given[:start]):
        return _doubt(name, given[0])
    environment: list[tuple[str, Word]] = []
    if name in {"sudo", "doas"}:
        start, environment = _assignments(given, start)
    return Started(
        given[start:], environment=tuple(environment), only_starts=_SIMPLE[name].only_starts
    )


def _assignments(given: Sequence[Word], start: int) -> tuple[int, list[tuple[str, Word]]]:
    found: list[tuple[str, Word]] = []
    while start < len(given) and (match := _ASSIGNMENT.match(given[start].lead)):
        text = given[start].text
        value = Word(match[2], None, "") if text is None else literal(match[2])
        found.append((match[1], value))
        start += 1
    return start, found


def _env(given: tuple[Word, ...]) -> Started:
    start = 0
    while start < len(given) and given[start].text in {"-i", "-", "--ignore-environment", "--"}:
        start += 1
    start, environment = _assignments(given, start)
    rest = given[start:]
    if not rest:
        return Started(only_starts=False)
    if rest[0].lead.startswith("-") or rest[0].text is None:
        return _doubt("env", rest[0])
    return Started(rest, environment=tuple(environment))


def _xargs(given: tuple[Word, ...]) -> Started:
    start = _skip(given, _XARGS)
    if start is None:
        return _doubt("xargs", given[0])
    command = given[start:] or (literal("echo"),)
    if replaced := _replacement(given[:start]):
        opened = tuple(
            Word(word.source, None, word.lead.partition(replaced)[0], derived=True)
            if replaced in word.source
            else word
            for word in command
        )
        return Started(opened)
    return Started((*command, UNKNOWN))


def _replacement(options: Sequence[Word]) -> str:
    for position, word in enumerate(options):
        if word.text == "-I" and position + 1 < len(options):
            return options[position + 1].text or ""
        if word.text and word.text.startswith("-I"):
            return word.text[2:]
    return ""


def _find(given: tuple[Word, ...]) -> list[Started]:
    found: list[Started] = []
    position = 0
    while position < len(given):
        position += 1
        if given[position - 1].text not in _FIND_STARTS:
            continue
        start = position
        while position < len(given) and given[position].text not in {";", "+"}:
            position += 1
        words = tuple(
            Word(word.source, None, word.lead.partition("{}")[0]) if "{}" in word.source else word
            for word in given[start:position]
        )
        found.append(Started(words, only_starts=False) if words else _doubt("find"))
    return found


def _shell(given: tuple[Word, ...]) -> list[Started]:
    """`sh -c CODE`; a script or standard input is for the rules on the shell itself."""
    for position, word in enumerate(given):
        flags = _SHELL_FLAGS.fullmatch(word.text or "")
        if word.text in {"--login", "--norc", "--noprofile", "--posix"}:
            continue
        if not flags or not word.text:
            return [_doubt("a shell", word)] if word.text is None else []
        if flags[1]:
            code = given[position + 1 : position + 2]
            if not code or code[0].text is None:
                return [_doubt("a shell", word)]
            return [Started(code=code[0].text)]
    return []


def _joined(given: tuple[Word, ...], name: str) -> Started:
    if not given or any(word.text is None for word in given):
        return _doubt(name, given[0] if given else None)
    if given[0].lead.startswith("-"):
        return _doubt(name, given[0])
    return Started(code=" ".join(word.text or "" for word in given))
