import errno
import struct
from typing import Any

import pytest

from roo_code.sandbox.system_calls import filter_profile, filter_program

ALLOW, KILL = 0x7FFF0000, 0x80000000
REFUSE, UNKNOWN = 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def decide(program: bytes, machine: int, number: int, *arguments: int) -> int:
    """What the kernel would: it runs the program on the call."""
    filled = (*arguments, *(0,) * (6 - len(arguments)))
    call = struct.pack("=IIQ6Q", number, machine, 0, *filled)
    steps = [*struct.iter_unpack("=HBBI", program)]
    at, loaded = 0, 0
    while True:
        code, yes, no, value = steps[at]
        at += 1
        if code == 0x20:
            loaded = struct.unpack_from("=I", call, value)[0]
        elif code == 0x06:
            return value
        else:
            holds = {0x15: loaded == value, 0x35: loaded >= value, 0x45: bool(loaded & value)}
            at += yes if holds[code] else no


CALLS = {
    "x86_64": {"read": 0, "ptrace": 101, "mount": 165, "clone": 56, "clone3": 435, "ioctl": 16,
               "fchmod": 91, "openat": 257, "bpf": 321, "socket": 41},
    "aarch64": {"read": 63, "ptrace": 117, "mount": 40, "clone": 220, "clone3": 435, "ioctl": 29,
                "fchmod": 52, "openat": 56, "bpf": 280, "socket": 198},
}  # fmt: skip


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_are_decided_by_number_and_argument(machine: str) -> None:
    program = filter_program(machine)
    assert program is not None

    def call(name: str, *arguments: int) -> int:
        return decide(program, MACHINES[machine], CALLS[machine][name], *arguments)

    assert call("read", 0, 1, 2) == ALLOW
    assert {call(name) for name in ("ptrace", "mount", "bpf")} == {REFUSE}
    assert call("clone3") == UNKNOWN
    assert call("clone", 0x01200011) == ALLOW
    assert call("clone", 0x10000011) == REFUSE
    assert call("ioctl", 0, 0x5401) == ALLOW
    assert call("ioctl", 0, 0x5412) == REFUSE
    assert call("ioctl", 0, 0xFF_0000_5412) == REFUSE
    assert call("ioctl", 0, 0x541C) == REFUSE
    assert {call("socket", family) for family in (1, 2, 10, 16)} == {ALLOW}
    assert {call("socket", family) for family in (17, 38, 40)} == {REFUSE}
    assert call("fchmod", 3, 0o755) == ALLOW
    assert call("fchmod", 3, 0o4755) == REFUSE
    assert call("openat", 0, 0, 0o100, 0o644) == ALLOW
    assert call("openat", 0, 0, 0o100, 0o2755) == REFUSE
    assert call("openat", 0, 0, 0, 0o6000) == ALLOW


def read_profile(profile: dict[str, Any], name: str, *arguments: int) -> int:
    """What a container's filter would: the first rule that fits."""

    def holds(test: dict[str, int | str]) -> bool:
        given = arguments[int(test["index"])]
        if test["op"] == "SCMP_CMP_GE":
            return given >= int(test["value"])
        assert test["op"] == "SCMP_CMP_MASKED_EQ"
        return given & int(test["value"]) == test["valueTwo"]

    for rule in profile["syscalls"]:
        if name in rule["names"] and all(map(holds, rule["args"])):
            assert rule["action"] == "SCMP_ACT_ERRNO"
            return 0x50000 | rule["errnoRet"]
    assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
    return ALLOW


ARGUMENTS = (0, 2, 16, 17, 40, 0o100, 0o644, 0o755, 0o2000, 0o4755, 0x5401, 0x5412, 0x541C,
             0xFF_0000_5412, 0x01200011, 0x10000011, 0x02000000)  # fmt: skip


@pytest.mark.parametrize("machine", MACHINES)
def test_a_container_decides_as_the_kernel_does(machine: str) -> None:
    program, profile = filter_program(machine), filter_profile(machine)
    assert program is not None
    assert profile is not None
    for name, number in CALLS[machine].items():
        for given in ARGUMENTS:
            for arguments in ((given,) * 4, (0, 0, 0o100, given), (given, 0, 0, 0)):
                decided = decide(program, MACHINES[machine], number, *arguments)
                assert read_profile(profile, name, *arguments) == decided, (name, arguments)


def test_calls_by_other_numbers_do_not_get_through() -> None:
    program = filter_program("x86_64")
    assert program is not None
    assert decide(program, 0x40000003, 26) == KILL
    assert decide(program, MACHINES["x86_64"], 0x40000000 + 521) == UNKNOWN


def test_the_filter_fits_the_kernel() -> None:
    for machine in MACHINES:
        program = filter_program(machine)
        assert program is not None
        assert len(program) // 8 < 4096


def test_an_unknown_machine_has_no_filter() -> None:
    assert filter_program("pdp11") is None
    assert filter_profile("pdp11") is None
