import asyncio
import os
import signal
from pathlib import Path

import pytest

from roo_code.errors import ToolError
from roo_code.mcp_client.circumstances import Confined, RestartRules
from roo_code.mcp_client.status import McpStatus
from tests.builtin_tools.calls import is_alive
from tests.mcp_client.hubs import Place, small
from tests.waiting import until


def pids_in(file: Path) -> list[int]:
    return [int(pid) for pid in file.read_text(encoding="ascii").split()] if file.exists() else []


@pytest.mark.requirement("mcp-hub:stdio:restart-on-exit")
async def test_a_server_that_ends_is_started_again_with_growing_waits_and_a_limit(
    place: Place, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    waits: list[float] = []

    async def pause(seconds: float) -> None:
        waits.append(seconds)

    place.name(a=small("dies", env={"PIDS": str(pids)}))
    rules = RestartRules(tries=5, first_wait=1, growth=2, longest_wait=5)
    async with place.hub(rules=rules, pause=pause) as hub:
        heard: list[McpStatus] = []
        hub.listeners.append(heard.append)
        await hub.ready(place.workspace)
        await until(lambda: len(pids_in(pids)) == 5)
        await until(lambda: hub.statuses()[0].condition == "disconnected")
        assert waits == [1, 2, 4, 5]
        status = hub.statuses()[0]
        told, _, last_words = status.error.partition(" Its last words: ")
        assert told == "Connection closed."
        assert last_words.count("cannot find my database") == 1
        assert "Connection closed" not in last_words
        assert status.restarts == 4
        assert [s.condition for s in heard].count("connecting") == 5


async def test_a_call_starts_a_server_again_that_was_given_up(place: Place, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    place.name(a=small("dies", env={"PIDS": str(pids)}))
    async with place.servers(rules=RestartRules(tries=1)) as servers:
        assert len(pids_in(pids)) == 1
        with pytest.raises(ToolError, match=r"is not connected: .*cannot find my database"):
            await servers.call_tool("a", "echo", {})
        assert len(pids_in(pids)) == 2


async def test_a_missing_program_is_said_and_not_tried_again(place: Place) -> None:
    place.name(a={"command": "no-such-program"}, b={"command": "sh", "cwd": "no/such/folder"})
    async with place.servers() as servers:
        a, b = servers.statuses()
        assert "There is no program 'no-such-program'" in a.error
        assert "There is no folder" in b.error
        assert (a.restarts, b.restarts) == (0, 0)


async def test_pending_calls_fail_at_once_when_a_server_is_killed(place: Place) -> None:
    place.name(a=small(timeout=3600))
    async with place.servers() as servers:
        pid = int((await servers.call_tool("a", "who", {})).text.split()[0])
        calls = [asyncio.create_task(servers.call_tool("a", "sleep", {})) for _ in range(3)]
        await until(lambda: servers.find("a").first.calls == 3)
        await servers.call_tool("a", "echo", {})
        os.kill(pid, signal.SIGKILL)
        async with asyncio.timeout(10):
            ended = await asyncio.gather(*calls, return_exceptions=True)
        assert all("connection to the server ended" in str(error) for error in ended)
        other = int((await servers.call_tool("a", "who", {})).text.split()[0])
        assert other != pid


async def test_a_server_that_stops_reading_does_not_hold_us_up(place: Place) -> None:
    place.name(deaf=small("deaf", timeout=1), well=small())
    async with place.servers(connect_seconds=1, rules=RestartRules(tries=1)) as servers:
        deaf, well = servers.statuses()
        assert (deaf.condition, well.condition) == ("disconnected", "connected")
        assert "did not answer in time" in deaf.error


@pytest.mark.parametrize(("fault", "restarts"), [("strict", 0), ("modern", 1)])
async def test_servers_of_old_and_new_protocols_are_connected(
    place: Place, fault: str, restarts: int
) -> None:
    """One ends at any first word but the handshake, the other does not know that any more."""
    place.name(a=small(fault))
    async with place.servers() as servers:
        answer = await servers.call_tool("a", "echo", {"text": fault})
        assert answer.text == fault
        assert servers.statuses()[0].restarts == restarts
        with pytest.raises(ToolError):
            await servers.call_tool("a", "die", {})
        assert (await servers.call_tool("a", "echo", {"text": "again"})).text == "again"
        assert servers.statuses()[0].restarts == restarts + 1  # what worked is remembered


async def test_a_frozen_server_is_ended_with_the_hub(place: Place, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    place.name(a=small("child", env={"PIDS": str(pids)}))
    async with place.servers() as servers:
        assert servers.statuses()[0].condition == "connected"
        server, child = pids_in(pids)
        os.kill(server, signal.SIGSTOP)
    assert not is_alive(server)
    assert not is_alive(child)


@pytest.mark.requirement("mcp-hub:stdio:stderr", "mcp-hub:error:transport")
async def test_what_goes_wrong_is_in_the_history_of_errors(place: Place) -> None:
    place.name(a=small(env={"TOKEN": "my-secret-token"}))
    async with place.hub() as hub:
        heard: list[McpStatus] = []
        others: list[McpStatus] = []
        hub.listeners += [heard.append, others.append]
        servers = await hub.ready(place.workspace)
        await servers.call_tool("a", "noise", {})
        server = servers.find("a").first
        await until(lambda: len(server.errors) == 2)
        said = [note.message for note in server.errors]
        assert "something went wrong" in said
        assert any("no message: this is no message" in message for message in said)
        server.note("failed with my-secret-token")
        assert server.errors[-1].message == "failed with (hidden)"
        with pytest.raises(ToolError):
            await servers.call_tool("a", "die", {})
        await until(lambda: any(n.message == "The server ended." for n in server.errors))
        assert "disconnected" in [status.condition for status in heard]
        assert heard == others


@pytest.mark.requirement("mcp-hub:error:history-limit")
async def test_the_newest_hundred_errors_are_kept_or_as_many_as_wanted(place: Place) -> None:
    place.name(a=small(disabled=True))
    for kept, around in ((100, {}), (7, {"errors_kept": 7})):
        async with place.servers(**around) as servers:
            server = next(iter(servers)).first
            for number in range(150):
                server.note(f"error {number}")
            assert len(server.status().errors) == kept
            assert server.status().errors[-1].message == "error 149"
            server.note("x" * 5000)
            assert len(server.errors[-1].message) == 1000


async def test_a_tool_that_comes_later_can_be_called(place: Place) -> None:
    place.name(a=small())
    async with place.servers() as servers:
        before = servers.version
        with pytest.raises(ToolError, match=r"has no tool 'grown'\. Its tools are: echo,"):
            await servers.call_tool("a", "grown", {})
        await servers.call_tool("a", "grow", {})
        await until(lambda: "mcp--a--grown" in servers.places())
        assert servers.version > before
        assert (await servers.call_tool("a", "grown", {})).text == "grown indeed"


async def test_a_tool_is_found_with_other_dashes_and_a_disabled_one_is_not_run(
    place: Place,
) -> None:
    place.name(
        a=small(disabledTools=["environment"], alwaysAllow=["echo"]), all=small(alwaysAllow=["*"])
    )
    async with place.servers() as servers:
        with pytest.raises(ToolError, match="switched off"):
            await servers.call_tool("a", "environment", {})
        assert "mcp--a--environment" not in servers.places()
        assert servers.always_allows("a", "echo")
        assert not servers.always_allows("a", "who")
        assert servers.always_allows("all", "who")
        with pytest.raises(ToolError, match="No connection found"):
            await servers.call_tool("al", "echo", {})
        assert not servers.always_allows("none", "echo")


async def test_an_untrusted_server_of_the_project_never_starts(
    place: Place, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    place.name(project=True, a=small(env={"PIDS": str(pids)}))
    place.name(b=small())
    place.trusted = False
    async with place.servers() as servers:
        assert [status.name for status in servers.statuses()] == ["b"]
        assert servers.untrusted == ("a",)
        with pytest.raises(ToolError, match="has not consented to: roo trust grant"):
            await servers.call_tool("a", "echo", {})
        assert not pids.exists()
        place.trusted = True
        await servers.reload()
        assert (await servers.call_tool("a", "echo", {"text": "now"})).text == "now"
        place.trusted = False  # what its command runs has changed
        await servers.find("a").restart()
        with pytest.raises(ToolError, match="has changed since you consented"):
            await servers.call_tool("a", "echo", {})
        assert len(pids_in(pids)) == 1


async def test_servers_can_be_confined(place: Place) -> None:

    place.name(a=small())

    def confine(workspace: Path, argv: object, cwd: Path, environment: object, /) -> Confined:
        assert isinstance(argv, tuple)
        assert isinstance(environment, dict)
        return Confined(("env", "CONFINED=yes", *argv), environment)

    async with place.servers(confine=confine) as servers:
        assert '"CONFINED": "yes"' in (await servers.call_tool("a", "environment", {})).text
