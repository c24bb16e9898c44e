from typing import Any

import pytest

from roo_code.builtin_tools.registry import create_registry
from roo_code.mcp_client.status import Listing, McpTool
from roo_code.mcp_client.task_tools import RESOURCE_TOOL, TaskTools
from roo_code.mcp_client.workspace_servers import WorkspaceServers
from roo_code.messages import ToolResult, ToolUseContent
from roo_code.tools import ToolContext, ToolRegistry
from tests.mcp_client.hubs import Place, small
from tests.waiting import until


def names(registry: ToolRegistry) -> list[str]:
    return [definition.name for definition in registry.definitions()]


def servers_tools(registry: ToolRegistry) -> list[str]:
    return [name for name in names(registry) if name.startswith("mcp--")]


def tools_of(servers: WorkspaceServers, told: list[str] | None = None) -> TaskTools:
    registry = create_registry()
    tools = TaskTools(registry, servers, (told if told is not None else []).append)
    registry.find_other = tools.find
    tools.update()
    return tools


async def call(tools: TaskTools, name: str, **input: Any) -> ToolResult:
    return await tools.registry.execute(
        ToolUseContent(id="c", name=name, input=input), ToolContext()
    )


async def test_each_tool_has_a_name_of_its_own_and_its_servers_schema(place: Place) -> None:
    place.name(a=small(disabledTools=["die"]), b=small())
    async with place.servers() as servers:
        tools = tools_of(servers)
        listed = servers_tools(tools.registry)
        assert listed[0] == "mcp--a--echo"
        assert "mcp--a--die" not in listed
        assert "mcp--b--die" in listed
        echo = next(d for d in tools.registry.definitions() if d.name == "mcp--a--echo")
        assert echo.description == "Say it again.\n\nAbout the server a: Be brief."
        told = [d.description for d in tools.registry.definitions() if "Be brief" in d.description]
        assert len(told) == 2  # once for each server
        assert echo.input_schema["properties"] == {"text": {"type": "string"}}
        tool = tools.registry.get("mcp--a--echo")
        assert tool is not None
        assert (tool.group, tool.repeatable) == ("mcp", False)
        assert tool.server(tool.input_type.model_validate({})) == ("a", "echo")
        assert (await call(tools, "mcp--a--echo", text="hi")).content == "hi"
        assert (await call(tools, "mcp__b__echo", text="loosely")).content == "loosely"
        unknown = await call(tools, "mcp--a--fly")
        assert unknown.is_error
        assert "No MCP server offers mcp--a--fly. There are: mcp--a--echo," in unknown.content


async def test_the_list_changes_only_with_what_is_offered(place: Place) -> None:
    place.name(a=small(), b=small())
    async with place.servers() as servers:
        tools = tools_of(servers)
        before = tools.registry.definitions()
        await call(tools, "mcp--a--die")
        await until(lambda: servers.statuses()[0].restarts == 1)
        tools.update()
        assert tools.registry.definitions() == before  # the same while a server is gone
        await call(tools, "mcp--a--grow")
        await until(lambda: "mcp--a--grown" in servers.places())
        tools.update()
        grown = names(tools.registry)
        assert grown == [*(definition.name for definition in before), "mcp--a--grown"]
        place.name(b=small())
        await servers.reload()
        tools.update()
        assert all(name.startswith("mcp--b--") for name in servers_tools(tools.registry))


async def test_resources_are_told_of_where_there_are_some(place: Place) -> None:
    place.name(a=small())
    async with place.servers() as servers:
        tools = tools_of(servers)
        told = next(d for d in tools.registry.definitions() if d.name == RESOURCE_TOOL)
        assert "- a: small://note (A note.)" in told.description
        assert "- a: small://{name} (any)" in told.description
        place.name(a=small(disabled=True))
        await servers.reload()
        tools.update()
        assert RESOURCE_TOOL not in names(tools.registry)
        assert tools.registry.get(RESOURCE_TOOL) is not None


async def test_a_call_left_by_an_earlier_process_waits_for_its_server(place: Place) -> None:
    place.name(a=small())
    async with place.hub() as hub:
        registry = create_registry()
        servers = hub.at(place.workspace)
        registry.find_other = TaskTools(registry, servers, lambda text: None).find
        await servers.is_loaded.wait()
        call = ToolUseContent(id="c", name="mcp--a--echo", input={"text": "late"})
        assert (await registry.execute(call, ToolContext())).content == "late"


async def test_many_tools_are_warned_of_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.name(a=small())
    told: list[str] = []
    async with place.servers() as servers:
        many = Listing(tools=tuple(McpTool(f"tool{n}") for n in range(61)))
        servers.find("a").first.listing = many
        tools = tools_of(servers, told)
        servers.version += 1
        tools.update()
    assert len(told) == 1
    assert "61 tools" in told[0]
