import asyncio
import json
from itertools import groupby
from pathlib import Path

import pytest

from roo_code.errors import ToolError
from roo_code.mcp_client.hub import McpHub, McpServerManager
from roo_code.mcp_client.status import McpStatus
from tests.mcp_client.hubs import Place, small
from tests.waiting import until


@pytest.mark.requirement("mcp-hub:transport:stdio")
async def test_a_server_is_started_as_its_entry_says(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_API_KEY", "not-for-servers")
    (place.workspace / "sub").mkdir()
    place.name(a=small(cwd="sub", env={"OWN": "value"}))
    async with place.servers() as servers:
        told = await servers.call_tool("a", "environment", {})
        environment = json.loads(told.text)
        assert environment["OWN"] == "value"
        assert "SERVICE_API_KEY" not in environment
        who = await servers.call_tool("a", "who", {})
        assert who.text.endswith(str(place.workspace / "sub"))


@pytest.mark.requirement("mcp-hub:config:project-wins")
async def test_of_a_name_in_both_files_the_projects_server_is_called(place: Place) -> None:
    place.name(a=small(env={"WHOSE": "user"}))
    place.name(project=True, a=small(env={"WHOSE": "project"}))
    async with place.servers() as servers:
        (status,) = servers.statuses()
        assert status.source == "project"
        told = await servers.call_tool("a", "environment", {})
        assert json.loads(told.text)["WHOSE"] == "project"


async def test_a_server_works_in_the_workspace_by_default(place: Place) -> None:
    place.name(a=small())
    async with place.servers() as servers:
        assert (await servers.call_tool("a", "who", {})).text.endswith(str(place.workspace))


async def test_texts_images_and_errors_come_as_the_model_reads_them(place: Place) -> None:
    place.name(a=small())
    async with place.servers() as servers:
        assert (await servers.call_tool("a", "echo", {"text": "hello"})).text == "hello"
        assert (await servers.call_tool("a", "echo", {})).text == "(No response)"
        picture = await servers.call_tool("a", "picture", {})
        assert picture.text == "[1 image(s) received]"
        assert picture.images[0].media_type == "image/png"
        failed = await servers.call_tool("a", "fails", {})
        assert (failed.is_error, failed.text) == (True, "Error:\nit did not work")


async def test_names_are_found_with_other_dashes_if_only_one_is_meant(place: Place) -> None:
    place.write(json.dumps({"mcpServers": {"my-server": small()}}))
    async with place.servers() as servers:
        assert (await servers.call_tool("my_server", "echo", {"text": "x"})).text == "x"
        assert not servers.always_allows("my_server", "echo")


async def test_progress_is_told_while_a_call_runs(place: Place) -> None:
    place.name(a=small())
    told: list[str] = []
    async with place.servers() as servers:
        await servers.call_tool("a", "steps", {}, on_progress=told.append)
        await until(lambda: len(told) == 2)
    assert told == ["working (1 of 2)", "working (2 of 2)"]


@pytest.mark.requirement("mcp-hub:call:no-connection")
async def test_an_unknown_server_is_refused_with_those_there_are(place: Place) -> None:
    place.name(a=small())
    async with place.hub() as hub:
        with pytest.raises(ToolError) as refused:
            await hub.call_tool("b", "echo", workspace=place.workspace)
        assert str(refused.value).startswith(
            "No connection found for server: b. Please make sure to use MCP servers available "
            "under 'Connected MCP Servers'."
        )
        with pytest.raises(ToolError, match=r"for server: a with source project\. Please"):
            await hub.callTool("a", "echo", source="project")


@pytest.mark.requirement("mcp-hub:call:order")
async def test_a_call_goes_from_finding_the_server_to_its_events(place: Place) -> None:
    place.name(a=small(timeout=1), off=small(disabled=True))
    async with place.hub() as hub:
        answer = await hub.callTool("a", "echo", {"text": "hi"})
        assert answer.text == "hi"
        with pytest.raises(ToolError, match="disabled"):
            await hub.callTool("off", "echo", {})
        with pytest.raises(ToolError, match="did not answer within 1 s"):
            await hub.callTool("a", "sleep", {})
        names = [event.name for event in hub.benchmark.events if event.name != "mcp:connection"]
        assert names == ["mcp:tool:start", "mcp:tool:success", "mcp:tool:start", "mcp:tool:error"]


@pytest.mark.requirement("mcp-hub:call:timeout")
async def test_a_call_that_takes_too_long_fails_and_the_connection_stays(
    place: Place, tmp_path: Path
) -> None:
    cancelled = tmp_path / "cancelled"
    place.name(a=small(timeout=1, env={"CANCELLED": str(cancelled)}))
    async with place.servers() as servers:
        pid = (await servers.call_tool("a", "who", {})).text
        with pytest.raises(ToolError, match="did not answer within 1 s"):
            await servers.call_tool("a", "sleep", {})
        assert servers.benchmark.events[-1].name == "mcp:tool:error"
        assert (await servers.call_tool("a", "who", {})).text == pid
        await until(cancelled.exists)  # and the server was told to stop


async def test_a_cancelled_call_is_cancelled_at_the_server(place: Place, tmp_path: Path) -> None:
    cancelled = tmp_path / "cancelled"
    place.name(a=small(env={"CANCELLED": str(cancelled)}))
    async with place.servers() as servers:
        call = asyncio.create_task(servers.call_tool("a", "sleep", {}))
        await servers.call_tool("a", "echo", {})
        call.cancel()
        await until(cancelled.exists)
        assert (await asyncio.wait([call]))[0].pop().cancelled()


@pytest.mark.requirement("mcp-hub:read:resource")
async def test_a_resource_is_read_and_measured(place: Place) -> None:
    place.name(a=small(), off=small(disabled=True))
    async with place.hub() as hub:
        answer = await hub.readResource("a", "small://note")
        assert answer.text.startswith("read at ")
        event = hub.benchmark.events[-1]
        assert (event.name, event.uri) == ("mcp:resource", "small://note")
        assert event.response_size == len(json.dumps(answer.raw, separators=(",", ":")))
        assert event.duration > 0
        with pytest.raises(ToolError, match="disabled"):
            await hub.readResource("off", "small://note")
        with pytest.raises(ToolError, match="No connection found"):
            await hub.readResource("none", "small://note")


@pytest.mark.requirement("mcp-hub:read:large")
async def test_a_large_resource_comes_whole_while_others_are_served(place: Place) -> None:
    place.name(a=small(), b=small())
    async with place.servers() as servers:
        large = asyncio.create_task(servers.read_resource("a", "small://large"))
        async with asyncio.timeout(20):
            for _ in range(20):
                await servers.call_tool("b", "echo", {"text": "x"})
        assert len((await large).text) == 5_000_000


@pytest.mark.requirement("mcp-hub:cache:responses")
async def test_reads_may_be_answered_again_for_a_while(place: Place) -> None:
    now = [1000.0]
    place.name(kept=small(cacheSeconds=60), fresh=small())
    async with place.servers(clock=lambda: now[0]) as servers:
        first = await servers.read_resource("kept", "small://note")
        assert await servers.read_resource("kept", "small://note") is first
        now[0] += 61
        assert await servers.read_resource("kept", "small://note") != first
        assert await servers.read_resource("fresh", "small://note") != await servers.read_resource(
            "fresh", "small://note"
        )


@pytest.mark.requirement("mcp-hub:connection:single")
async def test_there_is_one_connection_for_all_tasks_of_a_workspace(
    place: Place, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    place.name(a=small(env={"PIDS": str(pids)}))
    async with place.hub() as hub:
        ready = await asyncio.gather(*(hub.ready(place.workspace) for _ in range(5)))
        calls = (one.call_tool("a", "who", {}) for one in ready)
        assert len({answer.text for answer in await asyncio.gather(*calls)}) == 1
        assert len(pids.read_text(encoding="ascii").split()) == 1


@pytest.mark.requirement("mcp-hub:pool:connections")
async def test_calls_may_be_spread_over_several_connections(place: Place, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    place.name(a=small(connections=3, env={"PIDS": str(pids)}))
    async with place.servers() as servers:
        members = servers.find("a").members
        await until(lambda: all(member.condition == "connected" for member in members))
        waiting = [asyncio.create_task(servers.call_tool("a", "sleep", {})) for _ in range(2)]
        await until(lambda: sum(member.calls for member in members) == 2)
        assert sorted(member.calls for member in members) == [0, 1, 1]
        await servers.call_tool("a", "echo", {})
        for call in waiting:
            call.cancel()
        await asyncio.wait(waiting)
        assert len(pids.read_text(encoding="ascii").split()) == 3


@pytest.mark.requirement("mcp-hub:hub:singleton", "mcp-hub:manager:lifecycle")
async def test_the_hub_is_there_from_the_first_front_end_to_the_last(place: Place) -> None:
    place.name(a=small())
    made: list[McpHub] = []

    def create() -> McpHub:
        made.append(McpHub(place.options()))
        return made[-1]

    manager = McpServerManager(create)
    assert not made
    first, second = manager.enter(), manager.enter()
    assert first is second
    servers = await first.ready(place.workspace)
    assert [status.condition for status in servers.statuses()] == ["connected"]
    await manager.leave()
    assert (await servers.call_tool("a", "echo", {"text": "still"})).text == "still"
    await manager.leave()
    assert not first.statuses()
    assert manager.enter() is not first
    await manager.leave()
    assert len(made) == 2


@pytest.mark.requirement("mcp-hub:start:not-blocking")
async def test_a_slow_server_delays_no_other(place: Place) -> None:
    place.name(slow=small("slow-start"), quick=small())
    async with place.hub() as hub:
        servers = hub.at(place.workspace)
        await until(lambda: bool(servers.statuses()))
        quick, slow = servers.find("quick"), servers.find("slow")
        await quick.first.settled()
        assert (await servers.call_tool("quick", "echo", {"text": "x"})).text == "x"
        assert slow.first.condition == "connecting"


@pytest.mark.requirement("mcp-hub:health:status")
async def test_every_change_of_a_server_is_announced(place: Place) -> None:
    place.name(a=small(), off=small(disabled=True))
    async with place.hub() as hub:
        heard: list[McpStatus] = []
        hub.listeners.append(heard.append)
        servers = await hub.ready(place.workspace)
        assert {s.name: s.condition for s in servers.statuses()} == {
            "a": "connected",
            "off": "disabled",
        }
        with pytest.raises(ToolError):
            await servers.call_tool("a", "die", {})
        await until(lambda: len([s for s in heard if s.condition == "connected"]) == 2)
        conditions = [status.condition for status in heard if status.name == "a"]
        changes = [condition for condition, _ in groupby(conditions)]
        assert changes == ["connecting", "connected", "disconnected", "connecting", "connected"]


async def test_prompts_are_there_as_slash_commands(place: Place) -> None:
    place.name(a=small())
    async with place.servers() as servers:
        told = await servers.get_prompt("mcp--a--review", "French very short")
        assert told == 'Review with {"language": "French", "style": "very short"}.'
        assert await servers.get_prompt("mcp--a--other", "") is None
        assert await servers.get_prompt("review", "") is None
        assert servers.instructions() == {"a": "Be brief."}
