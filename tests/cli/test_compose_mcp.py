"""Tasks that use MCP servers, put together as the command line does it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from roo_code.cli.compose import HostOptions, open_host
from roo_code.commands import StartTask
from roo_code.config.trust import TrustStore
from roo_code.config.trust_contents import mcp_servers
from roo_code.events import ApprovalSettings, Event, TaskSpec, ToolFinished
from roo_code.messages import ToolUseContent
from roo_code.sandbox.detection import find_sandbox
from roo_code.task.host import until_pause
from roo_code.testing import ScriptedProvider
from tests.mcp_client.hubs import SMALL, Place, small


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(tmp_path)
    monkeypatch.setenv("ROO_HOME", str(place.home))
    return place


def use(name: str, **input: str) -> list[ToolUseContent]:
    return [ToolUseContent(id="c1", name=name, input=dict(input))]


async def run(
    place: Place, provider: ScriptedProvider, told: list[str] | None = None
) -> list[Event]:
    options = HostOptions(
        provider=lambda setup: provider, tell=(told if told is not None else []).append
    )
    spec = TaskSpec(
        prompt="Go.",
        workspace=str(place.workspace),
        provider={"api_provider": "ollama", "api_model_id": "scripted"},
        approval=ApprovalSettings(level="all"),
    )
    async with open_host(options) as composed:
        start = StartTask(spec=spec)
        await composed.host.handle(start)
        return [r.event async for r in until_pause(composed.host.follow(start.task_id, 0))]


def results(events: list[Event]) -> list[str]:
    return [event.result.content for event in events if isinstance(event, ToolFinished)]


async def test_a_task_is_told_of_servers_tools_and_calls_them(place: Place) -> None:
    place.name(a=small())
    provider = ScriptedProvider(use("mcp--a--echo", text="through the hub"), "Done.")
    events = await run(place, provider)
    assert results(events) == ["through the hub"]
    offered = [tool.name for tool in provider.requests[0].tools]
    assert "mcp--a--echo" in offered
    assert "access_mcp_resource" in offered
    assert provider.requests[0].tools == provider.requests[1].tools


async def test_servers_of_the_project_need_consent(place: Place) -> None:
    place.name(project=True, a=small())
    told: list[str] = []
    provider = ScriptedProvider(use("mcp--a--echo", text="x"), "Done.")
    events = await run(place, provider, told)
    assert "No MCP server offers mcp--a--echo" in results(events)[0]
    assert any("you have not consented" in line for line in told)
    for content in mcp_servers(place.workspace):
        TrustStore(place.home).grant(content)
    events = await run(place, ScriptedProvider(use("mcp--a--echo", text="trusted"), "Done."))
    assert results(events) == ["trusted"]


async def test_mcp_can_be_switched_off(place: Place) -> None:
    place.name(a=small())
    (place.home / "settings").mkdir()
    (place.home / "settings" / "settings.json").write_text(
        '{"mcpEnabled": false}', encoding="utf-8"
    )
    provider = ScriptedProvider("Done.")
    await run(place, provider)
    assert not [tool for tool in provider.requests[0].tools if tool.name.startswith("mcp--")]


@pytest.mark.skipif(not find_sandbox().name, reason="there is no sandbox on this machine")
@pytest.mark.parametrize(
    "chosen",
    ['{"sandbox": "required", "sandboxMcp": true}', '{"sandbox": "off", "sandboxMcp": true}'],
)
async def test_servers_may_be_held_in_the_sandbox(place: Place, chosen: str) -> None:
    (place.home / "settings").mkdir()
    (place.home / "settings" / "settings.json").write_text(chosen, encoding="utf-8")
    shutil.copy(SMALL, place.workspace / "server.py")
    place.name(a={"command": "/usr/bin/python3", "args": ["server.py"]})
    secret = place.home / "secret.txt"
    secret.write_text("of the home", encoding="utf-8")
    provider = ScriptedProvider(use("mcp--a--read", path=str(secret)), "Done.")
    (answer,) = results(await run(place, provider))
    assert answer == "there is no such file"


def test_a_run_without_servers_loads_nothing_of_mcp(place: Place) -> None:
    program = (
        "import asyncio, sys; from pathlib import Path\n"
        "from tests.cli.test_compose_mcp import run; from tests.mcp_client.hubs import Place\n"
        "from roo_code.testing import ScriptedProvider\n"
        "before = {*sys.modules}\n"
        "class Here(Place):\n"
        "    def __init__(self, folder): self.workspace = Path(folder)\n"
        f"asyncio.run(run(Here({str(place.workspace)!r}), ScriptedProvider('Hi.')))\n"
        "print(*sorted({*sys.modules} - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert not {name for name in loaded if name == "mcp" or name.startswith("roo_code.mcp_client.")}
