"""`roo completion`: the script that lets a shell complete our commands."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

VARIABLE = "_ROO_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    \b
    Examples:
      echo 'eval "$(roo completion bash)"' >> ~/.bashrc
      echo 'eval "$(roo completion zsh)"' >> ~/.zshrc
      roo completion fish > ~/.config/fish/completions/roo.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None  # it is one of the choices
    click.echo(kind(ctx.find_root().command, {}, "roo", VARIABLE).source())
