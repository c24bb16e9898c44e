"""A filter of system calls, as the program that the kernel runs for each, and as Docker words it.

It refuses what looks into other processes, mounts, loads code into the kernel, makes namespaces,
types into terminals, makes a file that gives its owner's rights to whoever runs it, or opens a
socket to a hypervisor or a device, which no network namespace holds back.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

from roo_code.json_text import JsonValue

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER_AT, _MACHINE_AT, _ARGUMENTS_AT = 0, 4, 16
_X32 = 0x40000000
"""Where a second set of numbers for the same calls begins, on x86_64."""


class _Machine(NamedTuple):
    audit: int
    column: int
    """In the table below."""
    docker_name: str


_MACHINES = {
    "x86_64": _Machine(0xC000003E, 0, "SCMP_ARCH_X86_64"),
    "aarch64": _Machine(0xC00000B7, 1, "SCMP_ARCH_AARCH64"),
}

# Numbers for x86_64 and aarch64; those from 424 on are the same everywhere.
_REFUSED: dict[str, tuple[int, int | None]] = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "kcmp": (312, 272), "pidfd_getfd": (438, 438), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "setns": (308, 268), "unshare": (272, 97),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "open_tree_attr": (467, 467), "open_by_handle_at": (304, 265),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280),
    "userfaultfd": (323, 282), "perf_event_open": (298, 241), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "reboot": (169, 142), "swapon": (167, 224),
    "swapoff": (168, 225), "acct": (163, 89), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    "syslog": (103, 116), "iopl": (172, None), "ioperm": (173, None),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "vhangup": (153, 58),
}  # fmt: skip

# Their arguments are in memory, which a filter cannot read: callers turn to the older calls.
_UNKNOWN = {"clone3": 435, "openat2": 437}

_LOWER = 0xFFFFFFFF
_NAMESPACES = 0x7E020000
_SET_ID = 0o6000
_CREATE = 0o100
_OTHER_FAMILIES = 17
"""Sockets of this number or more are neither of a file, nor of IP, nor of the kernel's routes."""
_TYPE_INTO_TERMINAL, _CONSOLE = 0x5412, 0x541C


class _Refusal(NamedTuple):
    """Refused if each test holds: a number of an argument, how it is tested, and with what."""

    call: str
    numbers: tuple[int | None, int | None]
    tests: tuple[tuple[int, int, int], ...]


_REFUSED_IF = (
    _Refusal("clone", (56, 220), ((0, _ANY_BIT, _NAMESPACES),)),
    _Refusal("ioctl", (16, 29), ((1, _EQUAL, _TYPE_INTO_TERMINAL),)),
    _Refusal("ioctl", (16, 29), ((1, _EQUAL, _CONSOLE),)),
    _Refusal("socket", (41, 198), ((0, _AT_LEAST, _OTHER_FAMILIES),)),
    _Refusal("chmod", (90, None), ((1, _ANY_BIT, _SET_ID),)),
    _Refusal("fchmod", (91, 52), ((1, _ANY_BIT, _SET_ID),)),
    _Refusal("fchmodat", (268, 53), ((2, _ANY_BIT, _SET_ID),)),
    _Refusal("fchmodat2", (452, 452), ((2, _ANY_BIT, _SET_ID),)),
    _Refusal("creat", (85, None), ((1, _ANY_BIT, _SET_ID),)),
    _Refusal("open", (2, None), ((1, _ANY_BIT, _CREATE), (2, _ANY_BIT, _SET_ID))),
    _Refusal("openat", (257, 56), ((2, _ANY_BIT, _CREATE), (3, _ANY_BIT, _SET_ID))),
    _Refusal("mknod", (133, None), ((1, _ANY_BIT, _SET_ID),)),
    _Refusal("mknodat", (259, 33), ((2, _ANY_BIT, _SET_ID),)),
)


def filter_program(machine: str | None = None) -> bytes | None:
    """The filter for this kind of machine, or None if we do not know its numbers."""
    known = _MACHINES.get(machine or platform.machine())
    return None if known is None else b"".join(_instructions(known))


def filter_profile(machine: str | None = None) -> dict[str, JsonValue] | None:
    """The same for the setting `seccomp` of a container: by name, all other calls allowed.

    Names that its daemon does not know, of calls newer than itself, it leaves out.
    """
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    rules = [
        _rule([*_UNKNOWN], errno.ENOSYS),
        _rule([*_REFUSED], errno.EPERM),
        *(
            _rule([refusal.call], errno.EPERM, tests)
            for refusal in _REFUSED_IF
            for tests in product(*map(_worded, refusal.tests))
        ),
    ]
    return {
        "defaultAction": "SCMP_ACT_ALLOW",
        "architectures": [known.docker_name],
        "syscalls": [*rules],
    }


def _rule(
    names: list[JsonValue], error: int, tests: Iterable[dict[str, JsonValue]] = ()
) -> dict[str, JsonValue]:
    return {"names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": error, "args": [*tests]}


def _worded(test: tuple[int, int, int]) -> Iterator[dict[str, JsonValue]]:
    """Tests one of which must hold: there is none for any of some bits.

    Of equality only the lower half is tested, for the kernel does not look at the other.
    """
    argument, how, value = test
    if how == _AT_LEAST:
        yield {"index": argument, "value": value, "op": "SCMP_CMP_GE"}
        return
    bits = [1 << place for place in range(32) if value & 1 << place]
    for mask, wanted in [(bit, bit) for bit in bits] if how == _ANY_BIT else [(_LOWER, value)]:
        yield {
            "index": argument, "value": mask, "valueTwo": wanted, "op": "SCMP_CMP_MASKED_EQ",
        }  # fmt: skip


def _instructions(machine: _Machine) -> Iterator[bytes]:
    yield _step(_LOAD, _MACHINE_AT)
    yield from _when(_EQUAL, machine.audit, other=[_step(_RETURN, _KILL)])
    yield _step(_LOAD, _NUMBER_AT)
    yield from _when(_AT_LEAST, _X32, then=[_step(_RETURN, _ERROR | errno.ENOSYS)])
    for number in _UNKNOWN.values():
        yield from _when(_EQUAL, number, then=[_step(_RETURN, _ERROR | errno.ENOSYS)])
    for numbers in _REFUSED.values():
        if (number := numbers[machine.column]) is not None:
            yield from _when(_EQUAL, number, then=[_step(_RETURN, _ERROR | errno.EPERM)])
    for refusal in _REFUSED_IF:
        if (number := refusal.numbers[machine.column]) is not None:
            yield _step(_LOAD, _NUMBER_AT)
            yield from _when(_EQUAL, number, then=_tested(refusal.tests))
    yield _step(_RETURN, _ALLOW)


def _tested(tests: Iterable[tuple[int, int, int]]) -> list[bytes]:
    steps = [_step(_RETURN, _ERROR | errno.EPERM)]
    for argument, test, value in reversed(tuple(tests)):
        steps = [_step(_LOAD, _ARGUMENTS_AT + 8 * argument), *_when(test, value, then=steps)]
    return steps


def _when(
    test: int, value: int, *, then: Iterable[bytes] = (), other: Iterable[bytes] = ()
) -> list[bytes]:
    """The steps for one outcome of a test, passed over at the other."""
    first, second = list(then), list(other)
    return [_step(test, value, yes=len(second), no=len(first)), *first, *second]


def _step(code: int, value: int, *, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)
