import asyncio
import os
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.builtin_tools.calls import Caller, eventually


def keep(caller: Caller, data: bytes, name: str = "cmd-1.txt") -> None:
    caller.artifacts.write(name, data)


async def read(caller: Caller, **input: object) -> str:
    result = await caller.call("read_command_output", **{"artifact_id": "cmd-1.txt", **input})
    assert not result.is_error, result.content
    return result.content


async def test_a_whole_output_is_shown_with_numbers(caller: Caller) -> None:
    keep(caller, b"one\ntwo\n\nfour")
    assert await read(caller) == snapshot(
        """\
[Command Output: cmd-1.txt]
Total size: 13 B | Showing bytes 0-13 | COMPLETE

    1 | one
    2 | two
    3 | \n\
    4 | four
"""
    )


async def test_parts_fit_together_and_their_lines_are_numbered_on(caller: Caller) -> None:
    data = "".join(f"line {n} é€\n" for n in range(200)).encode()
    keep(caller, data)
    offset = 0
    while offset < len(data):
        shown = await read(caller, offset=offset, limit=333)
        head, _, body = shown.partition("\n\n")
        end = int(head.partition("Showing bytes ")[2].partition(" ")[0].partition("-")[2])
        assert ("TRUNCATED" in head) == (end < len(data))
        assert (f"\n(Go on with offset {end}.)" in body) == (end < len(data))
        lines = [line.partition(" | ") for line in body.partition("\n(Go on")[0].splitlines()]
        assert "\n".join(line[2] for line in lines) == data[offset:end].decode().removesuffix("\n")
        assert int(lines[0][0]) == data[:offset].count(b"\n") + 1
        offset = end


async def test_the_default_part_is_forty_kilobytes(caller: Caller) -> None:
    keep(caller, b"x" * 100_000)
    assert "Total size: 97.7 KB | Showing bytes 0-40960 | TRUNCATED" in await read(caller)


async def test_a_search_shows_the_lines_that_match_in_either_case(caller: Caller) -> None:
    keep(caller, b"start\nERROR one\nfine\nan error: two\n")
    assert await read(caller, search="error.*(one|two)") == snapshot(
        """\
[Command Output: cmd-1.txt] (search: "error.*(one|two)")
Total matches: 2 | Showing first 2

    2 | ERROR one
    4 | an error: two
"""
    )


async def test_a_search_stops_at_the_limit(caller: Caller) -> None:
    keep(caller, b"match this line\n" * 10_000)
    shown = await read(caller, search="match", limit=100)
    assert "Total matches: more than 5 | Showing first 5" in shown


async def test_a_pattern_that_is_none_is_searched_literally(caller: Caller) -> None:
    keep(caller, b"call f(x\nother\n")
    assert "    1 | call f(x" in await read(caller, search="f(x")


async def test_an_expression_cannot_hang_the_search(caller: Caller) -> None:
    keep(caller, b"a" * 5000 + b"!\n")
    async with asyncio.timeout(20):
        assert "No line matches." in await read(caller, search="(a+)+$")


async def test_lines_are_shown_as_a_terminal_would(caller: Caller) -> None:
    keep(caller, b" 10%\r100%\n\x1b[31mred\x1b[0m\n")
    shown = await read(caller)
    assert shown.endswith("    1 | 100%\n    2 | red\n")
    assert "    2 | red\n" in await read(caller, search="red")


@pytest.mark.parametrize(
    ("input", "message"),
    [
        ({"artifact_id": "../secret.txt"}, "is not the name of an output"),
        ({"artifact_id": "cmd-1.txt/../../x"}, "is not the name of an output"),
        ({"artifact_id": "cmd-2.txt"}, "there is no output cmd-2.txt"),
        ({"artifact_id": "cmd-3.txt"}, "there is no output cmd-3.txt"),
        ({"artifact_id": "cmd-1.txt", "offset": 4}, "beyond the end; there are 3 bytes"),
        ({"artifact_id": "cmd-1.txt", "search": "a\0b"}, "cannot be searched for"),
        ({"artifact_id": "cmd-1.txt", "limit": 0}, "limit"),
    ],
)
async def test_what_cannot_be_read_is_an_error(
    caller: Caller, tmp_path: Path, input: dict[str, object], message: str
) -> None:
    keep(caller, b"abc")
    (tmp_path / "secret.txt").write_bytes(b"secret")
    (caller.artifacts.folder / "cmd-3.txt").symlink_to(tmp_path / "secret.txt")
    result = await caller.call("read_command_output", **input)
    assert result.is_error
    assert message in result.content


async def test_the_output_of_a_running_command_can_be_followed(caller: Caller) -> None:
    os.mkfifo(caller.folder / "gate")
    command = "echo one; read line < gate; echo $line; read line < gate"
    result = await caller.call("execute_command", command=command, timeout=0.3)
    assert "still running" in result.content
    [artifact] = caller.artifacts.folder.iterdir()
    shown = await read(caller, artifact_id=artifact.name)
    assert shown.endswith(
        "(The command still runs; what it prints from now on begins at offset 4.)"
    )
    await asyncio.to_thread((caller.folder / "gate").write_text, "two\n", encoding="ascii")
    await eventually(lambda: artifact.stat().st_size == 8)
    assert "    2 | two\n" in await read(caller, artifact_id=artifact.name, offset=4)
    assert "Showing bytes 8-8 | COMPLETE" in await read(caller, artifact_id=artifact.name, offset=8)
