from pathlib import Path
from typing import Any

import pytest

from roo_code.mcp_client.workspace_servers import WorkspaceServers
from tests.mcp_client.hubs import SMALL, Place, small
from tests.waiting import until


async def pid_of(servers: WorkspaceServers, name: str) -> str:
    return (await servers.call_tool(name, "who", {})).text.split()[0]


def names(servers: WorkspaceServers) -> list[str]:
    return [status.name for status in servers.statuses() if status.condition == "connected"]


@pytest.mark.requirement("mcp-hub:config:hot-reload")
async def test_saving_a_file_touches_only_the_servers_it_changes(place: Place) -> None:
    place.name(same=small(), changed=small(), gone=small())
    async with place.followed() as servers:
        same, changed = await pid_of(servers, "same"), await pid_of(servers, "changed")
        place.name(same=small(), changed=small(env={"A": "b"}), added=small())
        await until(lambda: names(servers) == ["same", "changed", "added"])
        assert await pid_of(servers, "same") == same
        assert await pid_of(servers, "changed") != changed
        place.name(project=True, theirs=small())
        await until(lambda: "theirs" in names(servers))
        assert await pid_of(servers, "same") == same
        (place.workspace / ".roo" / "mcp.json").unlink()
        await until(lambda: "theirs" not in names(servers))
        assert await pid_of(servers, "same") == same


async def test_what_needs_no_new_connection_is_taken_over(place: Place) -> None:
    place.name(a=small())
    async with place.followed() as servers:
        pid = await pid_of(servers, "a")
        place.name(a=small(alwaysAllow=["echo"], timeout=7, disabledTools=["die"]))
        await until(lambda: servers.always_allows("a", "echo"))
        assert "mcp--a--die" not in servers.places()
        assert await pid_of(servers, "a") == pid


async def test_a_file_that_is_half_written_changes_nothing(place: Place) -> None:
    place.name(a=small())
    async with place.followed() as servers:
        pid = await pid_of(servers, "a")
        place.write('{"mcpServers": {')
        await until(lambda: bool(servers.problems))
        assert await pid_of(servers, "a") == pid
        place.name(b=small())
        await until(lambda: names(servers) == ["b"])
        assert not servers.problems


@pytest.mark.requirement("mcp-hub:watch:paths", "mcp-hub:watch:build-output")
@pytest.mark.parametrize("is_build", [False, True])
async def test_a_changed_file_restarts_its_server_only(place: Place, is_build: bool) -> None:
    built = place.workspace / "build" / "index.js"
    built.parent.mkdir()
    built.write_text(Path(SMALL).read_text(encoding="utf-8"), encoding="utf-8")
    entry: dict[str, Any] = small(watchPaths=["build/index.js"])
    if is_build:  # which is watched without being named
        entry = {**small(), "args": ["build/index.js"]}
    place.name(watched=entry, other=small())
    async with place.followed() as servers:
        watched, other = await pid_of(servers, "watched"), await pid_of(servers, "other")
        built.write_text(built.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        pool = servers.find("watched")
        await until(lambda: pool.first.restarts == 1)
        assert await pid_of(servers, "watched") != watched
        assert await pid_of(servers, "other") == other
        assert servers.find("other").first.restarts == 0
