"""`roo mcp`: which MCP servers there are, whether they work, and what they offer."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from msgspec.structs import replace

from roo_code.cli.compose_mcp import hub_options, log_in_at, problems_of
from roo_code.cli.config_view import to_json
from roo_code.cli.mcp_serve import serve
from roo_code.cli.style import Style
from roo_code.config.json_shapes import is_object
from roo_code.config.layers import LayeredSettings
from roo_code.errors import ConfigError
from roo_code.json_text import from_json
from roo_code.mcp_client.config import ConfigFiles, read_servers
from roo_code.mcp_client.config_edit import set_server
from roo_code.mcp_client.entry import ServerEntry
from roo_code.mcp_client.entry_checks import BadEntry, checked_entry
from roo_code.mcp_client.hub import HubOptions, McpHub
from roo_code.mcp_client.status import McpStatus
from roo_code.mcp_client.workspace_servers import WorkspaceServers

T = TypeVar("T")

_workspace = click.option(
    "-w", "--workspace", metavar="DIR", default=".", help="Folder of the project. Default: here."
)
_json = click.option("--json", "as_json", is_flag=True, help="For a program.")
_project = click.option(
    "--project", is_flag=True, help="In the project's .roo/mcp.json, not in your own settings."
)


@click.group("mcp")
def mcp() -> None:
    """Name MCP servers, try them, log in to them, use them by hand; serve Roo as one."""


mcp.add_command(serve)


@mcp.command("list")
@_workspace
@_json
def list_servers(workspace: str, as_json: bool) -> None:
    """List the servers of the user and of the project. Nothing is started.

    \b
    Examples:
      roo mcp list
      roo mcp list --json
    """
    root = Path(workspace).resolve()
    found = read_servers(ConfigFiles.of(root), root)
    is_trusted = _options(root).is_trusted
    rows: list[dict[str, Any]] = []
    for name, server in found.servers.items():
        entry = server.entry
        asks = entry.source == "project" and not is_trusted(root, server)
        state = "disabled" if entry.disabled else "not trusted" if asks else "enabled"
        what = server.raw.get("url") or " ".join(
            (server.raw["command"], *server.raw.get("args", ()))
        )
        rows.append(
            {"name": name, "source": entry.source, "type": entry.type, "state": state, "what": what}
        )
    if as_json:
        told = [problem.as_json() for problem in found.problems]
        click.echo(to_json({"servers": rows, "problems": told}))
        return
    style = Style.of(sys.stdout)
    for row in rows:
        line = (
            f"{row['name']:20} {row['source']:8} {row['type']:16} {row['state']:12} {row['what']}"
        )
        click.echo(style.clean(line))
    if not rows:
        click.echo("No MCP servers. Add one with: roo mcp add NAME -- COMMAND")
    for problem in found.problems:
        click.echo(style.clean(str(problem)), err=True)


@mcp.command("add")
@click.argument("name")
@click.argument("words", nargs=-1, required=True, metavar="URL | -- COMMAND [ARG]...")
@click.option("--type", "kind", type=click.Choice(["stdio", "sse", "streamable-http"]))
@click.option("--env", multiple=True, metavar="NAME=VALUE", help="A variable for the command.")
@click.option("--header", multiple=True, metavar="NAME=VALUE", help="A header for the address.")
@click.option("--timeout", type=float, metavar="SECONDS", help="1 to 3600. Default: 60.")
@_project
@_workspace
def add(
    name: str,
    words: tuple[str, ...],
    kind: str | None,
    env: tuple[str, ...],
    header: tuple[str, ...],
    timeout: float | None,
    project: bool,
    workspace: str,
) -> None:
    """Name a server: a command that is started, or an address.

    Write ${env:NAME} where a secret belongs; it is filled in from the environment.

    \b
    Examples:
      roo mcp add files -- npx -y @modelcontextprotocol/server-filesystem .
      roo mcp add docs https://example.com/mcp --header 'X-Key=${env:DOCS_KEY}'
    """
    first, *more = words
    is_address = first.startswith(("http://", "https://"))
    if is_address and more:
        raise click.UsageError("An address takes no further words.")
    entry: dict[str, Any] = (
        {"type": kind or "streamable-http", "url": first}
        if is_address
        else {"command": first, "args": more}
    )
    entry |= {"env": _pairs(env)} if env else {}
    entry |= {"headers": _pairs(header)} if header else {}
    entry |= {"timeout": timeout} if timeout is not None else {}
    try:
        checked_entry(name, "project" if project else "global", entry)
    except BadEntry as error:
        raise ConfigError(f"{error.field}: {error}" if error.field else str(error)) from None
    file = _file(workspace, project)
    was_there = set_server(file, name, entry)
    click.echo(f"{'Changed' if was_there else 'Added'} {name} in {file}.")


@mcp.command("remove")
@click.argument("name")
@_project
@_workspace
def remove(name: str, project: bool, workspace: str) -> None:
    """Take a server out of the settings.

    \b
    Example:
      roo mcp remove files
    """
    file = _file(workspace, project)
    if not set_server(file, name, None):
        raise ConfigError(f"There is no server {name} in {file}.", hint="See: roo mcp list")
    click.echo(f"Removed {name} from {file}.")


@mcp.command("test")
@click.argument("name", required=False)
@_workspace
@_json
def test(name: str | None, workspace: str, as_json: bool) -> int:
    """Connect to the servers, or to one, and say whether they work.

    The exit status is 0 if all do, else 1.

    \b
    Examples:
      roo mcp test
      roo mcp test files
    """

    if name is not None:
        _entry(name, workspace)

    async def look(servers: WorkspaceServers) -> tuple[list[McpStatus], list[str]]:
        if name is not None:
            servers.find(name)
        return servers.statuses(), problems_of(servers)

    statuses, problems = _connected(workspace, look)
    chosen = [status for status in statuses if name in (None, status.name)]
    if as_json:
        click.echo(to_json([_shown(status) for status in chosen]))
    else:
        style = Style.of(sys.stdout)
        for status in chosen:
            offers = f"{len(status.listing.tools)} tools, {len(status.listing.resources)} resources"
            told = offers if status.condition == "connected" else status.error
            click.echo(style.clean(f"{status.name:20} {status.condition:13} {told}"))
        for problem in problems if name is None else ():
            click.echo(style.clean(problem), err=True)
    return int(any(status.condition not in ("connected", "disabled") for status in chosen))


@mcp.command("tools")
@click.argument("name")
@_workspace
@_json
def tools(name: str, workspace: str, as_json: bool) -> None:
    """List what a server offers: tools, resources, prompts.

    \b
    Example:
      roo mcp tools files
    """

    _entry(name, workspace)

    async def look(servers: WorkspaceServers) -> McpStatus:
        pool = servers.find(name)
        await pool.first.connection()
        return pool.status()

    listing = _connected(workspace, look).listing
    if as_json:
        click.echo(to_json(listing))
        return
    style = Style.of(sys.stdout)
    for kind, rows in (
        ("tool", [(tool.name, tool.description) for tool in listing.tools]),
        ("resource", [(one.uri, one.description or one.name) for one in listing.resources]),
        ("template", [(one.uri, one.description or one.name) for one in listing.templates]),
        ("prompt", [(prompt.name, prompt.description) for prompt in listing.prompts]),
    ):
        for title, told in rows:
            words = " ".join(told.split())
            click.echo(style.clean(f"{kind:9} {title}  {words}"[:200].rstrip()))


@mcp.command("call")
@click.argument("name")
@click.argument("tool")
@click.argument("arguments", default="{}")
@_workspace
@_json
def call(name: str, tool: str, arguments: str, workspace: str, as_json: bool) -> int:
    """Call a server's tool by hand, with its input as a JSON object.

    \b
    Examples:
      roo mcp call files list_directory '{"path": "."}'
    """
    try:
        given: Any = from_json(arguments)
    except ValueError as error:
        raise ConfigError(f"The input is not JSON: {error}") from None
    if not is_object(given):
        raise ConfigError('The input must be a JSON object, such as \'{"path": "."}\'.')
    _entry(name, workspace)
    answer = _connected(workspace, lambda servers: servers.call_tool(name, tool, given))
    style = Style.of(sys.stdout)
    click.echo(to_json(answer.raw) if as_json else style.clean(answer.text))
    return int(answer.is_error)


@mcp.command("login")
@click.argument("name")
@click.option(
    "--paste", is_flag=True, help="Open the page elsewhere, and paste the address it ends at."
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="For the browser's return.")
@_workspace
def login(name: str, paste: bool, port: int, workspace: str) -> None:
    """Log in to a server that wants to know who you are (OAuth).

    \b
    Examples:
      roo mcp login docs
      roo mcp login docs --paste    on a machine without a browser
    """
    entry, root = _entry(name, workspace), Path(workspace).resolve()
    count = asyncio.run(log_in_at(entry, root, paste=paste, port=port, tell=click.echo))
    click.echo(f"Logged in to {name}, which offers {count} tools.")


def _entry(name: str, workspace: str) -> ServerEntry:
    """That of a server which one of the files names; nothing is started for any other."""
    root = Path(workspace).resolve()
    found = read_servers(ConfigFiles.of(root), root).servers.get(name)
    if found is None:
        raise ConfigError(f"There is no server {name}.", hint="See: roo mcp list")
    return found.entry


def _connected(workspace: str, use: Callable[[WorkspaceServers], Awaitable[T]]) -> T:
    root = Path(workspace).resolve()

    async def run() -> T:
        hub = McpHub(replace(_options(root), is_watching=False))
        try:
            return await use(await hub.ready(root, seconds=60))
        finally:
            await hub.aclose()

    return asyncio.run(run())


def _options(root: Path) -> HubOptions:
    return hub_options(LayeredSettings(root).resolve().values, root)


def _file(workspace: str, project: bool) -> Path:
    return ConfigFiles.of(Path(workspace).resolve()).of_source("project" if project else "global")


def _pairs(given: tuple[str, ...]) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in given]
    if wrong := next((name for name, sign, _ in pairs if not sign), None):
        raise click.UsageError(f"{wrong!r} is not of the form NAME=VALUE.")
    return {name: value for name, _, value in pairs}


def _shown(status: McpStatus) -> dict[str, Any]:
    return {
        "name": status.name,
        "source": status.source,
        "type": status.type,
        "condition": status.condition,
        "error": status.error,
        "needsLogin": status.needs_login,
        "tools": [tool.name for tool in status.listing.tools],
        "resources": [resource.uri for resource in status.listing.resources],
        "prompts": [prompt.name for prompt in status.listing.prompts],
    }
