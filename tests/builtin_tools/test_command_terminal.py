"""Commands on a terminal of their own, and on none."""

import asyncio
import os

import pytest

from tests.builtin_tools.calls import Caller, is_alive, read_pid

IS_TERMINAL = "for n in 0 1 2; do test -t $n && echo $n yes || echo $n no; done; echo $TERM"


async def output(caller: Caller, command: str, **input: object) -> str:
    result = await caller.call("execute_command", command=command, **input)
    assert not result.is_error, result.content
    return result.content.partition("Output:\n")[2]


async def test_a_command_runs_without_a_terminal_by_default(caller: Caller) -> None:
    assert await output(caller, IS_TERMINAL) == "0 no\n1 no\n2 no\ndumb\n"


@pytest.mark.parametrize("how", ["input", "settings"])
async def test_the_call_or_the_user_can_want_a_terminal(caller: Caller, how: str) -> None:
    if how == "settings":
        caller.settings = {"terminalShellIntegrationDisabled": False}
    wanted = {"terminal": True} if how == "input" else {}
    shown = await output(caller, IS_TERMINAL, **wanted)
    assert shown == "0 yes\n1 yes\n2 yes\nxterm-256color\n"
    assert await output(caller, "stty size < /dev/tty", **wanted) == "40 160\n"


async def test_the_call_decides_against_the_settings(caller: Caller) -> None:
    caller.settings = {"terminalShellIntegrationDisabled": False}
    assert "1 no" in await output(caller, IS_TERMINAL, terminal=False)


async def test_who_asks_on_a_terminal_is_not_answered_but_does_not_hang(caller: Caller) -> None:
    command = "cat; read x || echo closed; python3 -c 'input()' 2>&1 | tail -1; exit 5"
    result = await caller.call("execute_command", command=command, terminal=True)
    assert "Exit code: 5" in result.content
    assert result.content.endswith("Output:\nclosed\nEOFError: EOF when reading a line\n")


async def test_redrawn_lines_on_a_terminal_become_the_last_screen(caller: Caller) -> None:
    command = r"""
    printf 'a 0%%\nb 0%%\n'
    for n in 50 100; do printf "\033[2A\033[2Ka $n%%\n\033[2Kb $n%%\n"; done; echo done
    """
    assert await output(caller, command, terminal=True) == "a 100%\nb 100%\ndone\n"


async def test_long_output_of_a_terminal_is_kept_without_carriage_returns(caller: Caller) -> None:
    result = await caller.call("execute_command", command="seq 1 20000", terminal=True)
    assert "Exit code: 0" in result.content
    [artifact] = caller.artifacts.folder.iterdir()
    assert artifact.read_bytes() == b"".join(b"%d\n" % n for n in range(1, 20_001))


async def test_cancelling_ends_a_command_on_a_terminal(caller: Caller) -> None:
    os.mkfifo(caller.folder / "up")
    command = "sleep 1031 & echo $! > child; echo $$ > pid; echo > up; wait"
    running = asyncio.create_task(caller.call("execute_command", command=command, terminal=True))
    await asyncio.to_thread((caller.folder / "up").read_bytes)
    pids = [read_pid(caller.folder / name) for name in ("pid", "child")]
    assert all(map(is_alive, pids))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not any(map(is_alive, pids))
