import json
import logging
from pathlib import Path

import pytest
from msgspec.structs import replace

from roo_code.errors import ToolError
from roo_code.json_text import from_json, to_json
from roo_code.mcp_client.benchmark import LINE, McpEvent
from roo_code.mcp_client.hub import McpHub
from roo_code.redaction import redact
from tests.mcp_client.hubs import Place, closing, small

LOGGER = "roo_code.mcp_client.benchmark"


@pytest.mark.requirement("telemetry:mcp:events", "telemetry:mcp:measures")
async def test_all_that_happens_with_servers_is_measured(place: Place) -> None:
    place.name(a=small())
    async with place.hub() as hub:
        heard: list[McpEvent] = []
        hub.benchmark.listeners.append(heard.append)
        servers = await hub.ready(place.workspace)
        answer = await servers.call_tool("a", "echo", {"text": "hello"})
        with pytest.raises(ToolError):
            await servers.call_tool("a", "nothing", {})
        await servers.read_resource("a", "small://note")
        assert [event.name for event in heard] == [
            "mcp:connection",
            "mcp:connection",
            "mcp:tool:start",
            "mcp:tool:success",
            "mcp:tool:start",
            "mcp:tool:error",
            "mcp:resource",
        ]
        assert list(hub.benchmark.events) == heard
        connected, success = from_json(to_json(heard[1])), from_json(to_json(heard[3]))
        assert (connected["transport"], connected["condition"]) == ("stdio", "connected")
        assert connected["duration"] > 0
        assert {*success} == {
            *("name", "serverName", "toolName", "duration", "responseSize", "timestamp"),
        }
        assert (success["serverName"], success["toolName"]) == ("a", "echo")
        assert success["responseSize"] == len(json.dumps(answer.raw, separators=(",", ":")))
        assert 0 < success["duration"] < 60_000


@pytest.mark.requirement("telemetry:mcp:benchmark-line")
async def test_each_call_is_a_line_of_the_log_where_that_is_on(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, LOGGER)
    place.name(a=small())
    async with closing(McpHub(replace(place.options(hide=redact), detailed=True))) as hub:
        key = "sk-ant-api03-" + "a1B2" * 20
        await hub.call_tool("a", "echo", {"text": f"key {key}"})
        (line,) = [record.getMessage() for record in caplog.records if record.name == LOGGER]
        assert line.startswith(f"{LINE} {{")
        told = json.loads(line.removeprefix(LINE))
        assert list(told) == [
            *("serverName", "toolName", "duration", "responseSize", "arguments", "result"),
        ]
        assert told["result"]["content"][0]["text"].startswith("key ")
        assert key not in line
        assert key not in to_json(hub.benchmark.events[-1]).decode()


@pytest.mark.requirement("telemetry:mcp:switch")
async def test_arguments_and_results_are_nowhere_where_it_is_off(
    place: Place, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG, "roo_code")
    place.name(a=small())
    async with place.hub() as hub:
        await hub.call_tool("a", "echo", {"text": "private words"})
        assert "private words" not in caplog.text
        assert all("private words" not in repr(event) for event in hub.benchmark.events)
