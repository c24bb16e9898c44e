"""Takes a key out of what the process list shows of this program."""

from __future__ import annotations

from pathlib import Path

_FLAGS = (b"-k", b"--api-key")
_ARGUMENTS = slice(45, 47)
"""Where the memory of the arguments begins and ends, counted from the third field of `stat`."""


def hide_key(proc: Path = Path("/proc/self")) -> None:
    """Write over the key of `-k KEY`, `-kKEY` and `--api-key=KEY`, where the system lets us.

    Python has read its arguments by now, so nothing but the process list looks there.
    """
    try:
        fields = (proc / "stat").read_bytes().rpartition(b")")[2].split()
        begin, end = map(int, fields[_ARGUMENTS])
        with (proc / "mem").open("r+b", buffering=0) as memory:
            memory.seek(begin)
            shown = memory.read(end - begin)
            memory.seek(begin)
            memory.write(without_key(shown))
    except (OSError, ValueError):  # not Linux, or not allowed: the help says what is safer
        return


def without_key(shown: bytes) -> bytes:
    """The arguments, each ended by NUL, of the same length, the key as asterisks."""
    arguments = shown.split(b"\0")
    return b"\0".join(
        b"*" * len(argument) if _is_flag(before) else _masked(argument)
        for before, argument in zip(("", *arguments), arguments, strict=False)
    )


def _is_flag(argument: bytes | str) -> bool:
    return argument in _FLAGS


def _masked(argument: bytes) -> bytes:
    """An argument that holds flag and key in one."""
    if argument.startswith(b"--api-key="):
        return b"--api-key=" + b"*" * (len(argument) - len(b"--api-key="))
    if argument.startswith(b"-k") and len(argument) > 2:
        return b"-k" + b"*" * (len(argument) - 2)
    return argument
