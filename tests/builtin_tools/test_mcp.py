from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from roo_code.agent import Agent
from roo_code.approval_values import ApprovalSettings
from roo_code.builtin_tools.registry import create_registry
from roo_code.events import ApprovalDecided, ApprovalRequested, Event, ToolOutput
from roo_code.mcp_client.workspace_servers import WorkspaceServers
from roo_code.messages import ToolResult, ToolUseContent
from roo_code.policy.levels import PolicyApprover
from roo_code.testing import scripted_client
from roo_code.tools import MAX_RESULT_CHARACTERS, ToolContext
from roo_code.workspace.workspace import Workspace
from tests.builtin_tools.calls import FolderOfArtifacts
from tests.mcp_client.hubs import Place, small
from tests.waiting import until


class Connected:
    """Tools with a hub behind them."""

    def __init__(self, place: Place, servers: WorkspaceServers, artifacts: Path) -> None:
        self.events: list[Event] = []
        self.context = ToolContext(
            workspace=Workspace(place.workspace),
            emit=self.events.append,
            artifacts=FolderOfArtifacts(artifacts),
            mcp=servers,
        )

    async def call(self, name: str, **input: Any) -> ToolResult:
        return await create_registry().execute(
            ToolUseContent(id="call_1", name=name, input=input), self.context
        )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@asynccontextmanager
async def connected(place: Place) -> AsyncGenerator[Connected]:
    async with place.servers() as servers:
        yield Connected(place, servers, place.home / "artifacts")


@pytest.mark.requirement("tools:use-mcp-tool:call")
async def test_a_servers_tool_is_called_and_its_content_comes_back(place: Place) -> None:
    place.name(a=small())
    async with connected(place) as tools:
        result = await tools.call(
            "use_mcp_tool", server_name="a", tool_name="echo", arguments={"text": "hello"}
        )
        assert (result.content, result.is_error) == ("hello", False)
        as_text = await tools.call(
            "use_mcp_tool", server="a", tool="echo", arguments='{"text": "as text"}'
        )
        assert as_text.content == "as text"
        picture = await tools.call("use_mcp_tool", server_name="a", tool_name="picture")
        assert picture.images[0].media_type == "image/png"
        failed = await tools.call("use_mcp_tool", server_name="a", tool_name="fails")
        assert (failed.is_error, failed.content) == (True, "Error:\nit did not work")
        await tools.call("use_mcp_tool", server_name="a", tool_name="steps")
        await until(lambda: len(tools.events) == 2)
        assert [e.text for e in tools.events if isinstance(e, ToolOutput)] == [
            "working (1 of 2)\n",
            "working (2 of 2)\n",
        ]


@pytest.mark.requirement("tools:access-mcp-resource:read")
async def test_a_resource_is_read_by_server_and_uri(place: Place) -> None:
    place.name(a=small())
    async with connected(place) as tools:
        read = await tools.call("access_mcp_resource", server_name="a", uri="small://note")
        assert read.content.startswith("read at ")
        missing = await tools.call("access_mcp_resource", server_name="b", uri="small://note")
        assert missing.is_error
        assert "No connection found for server: b" in missing.content


async def test_a_giant_result_goes_to_an_artifact(place: Place) -> None:
    place.name(a=small())
    size = MAX_RESULT_CHARACTERS * 3
    async with connected(place) as tools:
        result = await tools.call(
            "use_mcp_tool", server_name="a", tool_name="large", arguments={"size": size}
        )
        assert len(result.content) < MAX_RESULT_CHARACTERS + 1000
        (kept,) = (place.home / "artifacts").iterdir()
        assert kept.stat().st_size == size


async def test_without_servers_the_model_is_told_so() -> None:
    for name, input in (
        ("use_mcp_tool", {"server_name": "a", "tool_name": "b"}),
        ("access_mcp_resource", {"server_name": "a", "uri": "b"}),
    ):
        call = ToolUseContent(id="call_1", name=name, input=dict(input))
        result = await create_registry().execute(call)
        assert result.is_error
        assert "There are no MCP servers here" in result.content


async def test_a_servers_prompt_is_a_slash_command(place: Place) -> None:
    place.name(a=small())
    async with connected(place) as tools:
        told = await tools.call("run_slash_command", command="/mcp--a--review", args="French")
        assert told.content == 'Review with {"language": "French"}.'
        missing = await tools.call("run_slash_command", command="/mcp--a--none")
        assert "There is no command" in missing.content


@pytest.mark.requirement("mcp-hub:config:always-allow")
async def test_what_the_entry_always_allows_is_not_asked_and_the_rest_is(place: Place) -> None:
    place.name(a=small(alwaysAllow=["echo"]))
    async with connected(place) as tools:
        switches = ApprovalSettings(level="switches", grants=("mcp",))
        for settings, tool, kind in (
            (ApprovalSettings(), "echo", ApprovalDecided),
            (ApprovalSettings(), "who", ApprovalRequested),
            (switches, "echo", ApprovalDecided),
            (switches, "who", ApprovalRequested),
        ):
            approver = PolicyApprover(settings, tools.context.workspace)
            agent = Agent(scripted_client("Hi."), context=tools.context, approver=approver)
            call = ToolUseContent(
                id="c", name="use_mcp_tool", input={"server_name": "a", "tool_name": tool}
            )
            verdict = await agent.authorize(call)
            assert isinstance(verdict, kind)
