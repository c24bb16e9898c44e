"""`roo prompt`: what a model is told before the user's first word."""

from __future__ import annotations

from pathlib import Path

import click

from roo_code.cli.compose import first_request
from roo_code.cli.compose_prompt import count_tokens
from roo_code.config.layers import LayeredSettings
from roo_code.config.run_settings import stored_provider
from roo_code.errors import ConfigError
from roo_code.events import TaskSpec
from roo_code.json_text import to_json
from roo_code.modes.collection import Modes


@click.group("prompt")
def prompt() -> None:
    """See what a model is told."""


@prompt.command("show")
@click.option("-m", "--mode", metavar="MODE", help="As in this mode. Default: as the settings say.")
@click.option("--tools", "with_tools", is_flag=True, help="Also the tools, as they are described.")
@click.option("--json", "as_json", is_flag=True, help="For a program.")
@click.option(
    "-w", "--workspace", metavar="DIR", default=".", help="Folder of the project. Default: here."
)
def show(mode: str | None, with_tools: bool, as_json: bool, workspace: str) -> None:
    """Print the system prompt exactly as a model gets it.

    Rules, AGENTS.md, skills and commands are in it as their files stand now. Nobody is asked, and
    no MCP server is started: the tools of those are not among the tools. Counts are by OpenAI's
    tokenizer; other services count a little differently.

    \b
    Examples:
      roo prompt show --mode architect
      roo prompt show --tools --json | jq .tokens
    """
    folder = Path(workspace).absolute()
    settings = LayeredSettings(folder).resolve({"mode": mode} if mode else {})
    slug = str(settings.values.get("mode"))
    known = Modes(folder, settings=settings.values)
    if known.get(slug) is None:
        names = ", ".join(mode.slug for mode in known.all)
        raise ConfigError(f"There is no mode {slug!r}. Modes: {names}.")
    provider = {"api_provider": "anthropic"} | stored_provider(settings)
    spec = TaskSpec(prompt="", workspace=str(folder), mode=slug, provider=provider)
    request = first_request(spec, lambda text: click.echo(f"Problem: {text}", err=True))
    tools = [tool.to_dict() for tool in request.tools]
    tokens = {
        "system_prompt": count_tokens(request.system_prompt),
        "tools": count_tokens("", request.tools),
    }
    if as_json:
        told = {"mode": slug, "system_prompt": request.system_prompt, "tokens": tokens}
        click.echo(to_json(told | ({"tools": tools} if with_tools else {})))
    else:
        click.echo(request.system_prompt)
        for tool in tools if with_tools else ():
            click.echo(to_json(tool))
    click.echo(
        f"{tokens['system_prompt']:,} tokens; {len(tools)} tools, {tokens['tools']:,} tokens more.",
        err=True,
    )
