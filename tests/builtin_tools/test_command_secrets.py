"""The run's keys come to nobody's eyes by way of a command."""

import asyncio
import os
from pathlib import Path

import pytest

from roo_code.builtin_tools.command_output import CommandOutput
from roo_code.builtin_tools.hiding import hiding
from roo_code.redaction import Redactor
from tests.builtin_tools.calls import Caller

KEY = "sk-test-0123456789abcdef"


@pytest.fixture
def secretive(caller: Caller) -> Caller:
    caller.hide = Redactor([KEY])
    caller.registry.recovery = hiding(caller.registry.recovery, caller.hide)
    return caller


def kept(caller: Caller) -> bytes:
    return b"".join(file.read_bytes() for file in caller.artifacts.folder.iterdir())


async def test_a_key_printed_among_much_is_hidden_in_the_artifact(secretive: Caller) -> None:
    command = f"seq 1 5000; echo key={KEY}; seq 1 5000"
    result = await secretive.call("execute_command", command=command)
    name = next(iter(secretive.artifacts.folder.iterdir())).name
    read = await secretive.call("read_command_output", artifact_id=name, search="key=")
    assert " 5001 | key=***" in read.content
    assert b"\nkey=***\n" in kept(secretive)
    everything = kept(secretive).decode() + result.content + secretive.live + read.content
    assert KEY not in everything


async def test_a_key_printed_in_two_pieces_is_hidden(secretive: Caller) -> None:
    os.mkfifo(secretive.folder / "gate")
    half = len(KEY) // 2
    command = (
        f"seq 1 5000; printf %s {KEY[:half]}; read line < gate; echo {KEY[half:]} end; seq 1 9999"
    )
    running = asyncio.create_task(secretive.call("execute_command", command=command))
    await asyncio.to_thread((secretive.folder / "gate").write_text, "go\n", encoding="ascii")
    result = await running
    assert b"\n*** end\n" in kept(secretive)
    shown = secretive.live + result.content + kept(secretive).decode()
    assert KEY[half:] not in shown
    assert KEY[:half] not in shown


@pytest.mark.parametrize("step", [1, 7, 64])
def test_offsets_and_sizes_are_those_of_what_is_kept(tmp_path: Path, step: int) -> None:
    output = CommandOutput(lambda: tmp_path / "cmd-1.txt", preview=100, hide=Redactor([KEY]))
    data = f"before {KEY} between\xff {KEY} {KEY} after\n".encode("latin-1") * 20
    for start in range(0, len(data), step):
        output.write(data[start : start + step])
    output.finish()
    hidden = (tmp_path / "cmd-1.txt").read_bytes()
    assert hidden == data.replace(KEY.encode(), b"***")
    assert output.total == output.saved == len(hidden)


def test_the_end_of_an_output_is_not_lost_if_it_looks_like_a_key(tmp_path: Path) -> None:
    output = CommandOutput(None, preview=100, hide=Redactor([KEY]))
    output.write(b"the key begins with sk-te")
    assert output.preview() == "the key begins with "
    output.finish()
    assert output.preview() == "the key begins with sk-te"


def test_any_other_way_of_hiding_is_used_on_each_piece(tmp_path: Path) -> None:
    output = CommandOutput(
        lambda: tmp_path / "cmd-1.txt", preview=4, hide=lambda text: text.replace("x", "*")
    )
    output.write(b"axb\xff\xc3")
    output.write(b"\xa9x")
    output.finish()
    assert (tmp_path / "cmd-1.txt").read_bytes() == b"a*b\xff\xc3\xa9*"
