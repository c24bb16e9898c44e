"""The command line's front door: which command is meant, and where errors become text."""

from __future__ import annotations

import contextlib
import gc
import io
import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

import click

from roo_code.cli.manual import ManualCommand
from roo_code.cli.options import collect, run_parameters
from roo_code.cli.own_path import keep_absolute_path
from roo_code.errors import RooCodeError, UserFacingError, explain
from roo_code.version import VERSION

_log = logging.getLogger(__name__)


class Subcommand(NamedTuple):
    module: str
    name: str
    purpose: str


SUBCOMMANDS = {
    "tasks": Subcommand(
        "roo_code.cli.tasks",
        "tasks",
        "List, show, watch, answer, cancel, resume, record, delete tasks.",
    ),
    "list": Subcommand(
        "roo_code.cli.listing", "list_group", "List commands, modes, models and sessions."
    ),
    "config": Subcommand("roo_code.cli.config_command", "config", "Show and change settings."),
    "profiles": Subcommand(
        "roo_code.cli.profiles_command", "profiles", "Keep several services and models at hand."
    ),
    "modes": Subcommand("roo_code.cli.modes_command", "modes", "Show, make and exchange modes."),
    "ipc": Subcommand(
        "roo_code.cli.ipc_command", "ipc", "Serve tasks to programs that speak Roo's protocol."
    ),
    "policy": Subcommand(
        "roo_code.cli.policy_command", "policy", "Say what may run unasked, and why."
    ),
    "prompt": Subcommand("roo_code.cli.prompt_command", "prompt", "See what a model is told."),
    "ps": Subcommand("roo_code.cli.ps", "ps", "List what runs of all that tasks have started."),
    "trust": Subcommand(
        "roo_code.cli.trust_command", "trust", "Say what of a workspace may run, and see it."
    ),
    "workflow": Subcommand(
        "roo_code.cli.workflow_command", "workflow", "Run phases of subtasks from a file."
    ),
    "mcp": Subcommand(
        "roo_code.cli.mcp_command", "mcp", "Name MCP servers, try them, log in, call their tools."
    ),
    "doctor": Subcommand(
        "roo_code.cli.doctor", "doctor", "Find what is wrong, and how to mend it."
    ),
    "completion": Subcommand(
        "roo_code.cli.completion", "completion", "Print a shell's completion script."
    ),
    "demo": Subcommand("roo_code.cli.demo", "demo", "Watch a whole task, without network or key."),
}


class LazyGroup(click.Group):
    """Loads a subcommand's module when it is used; anything else is for the default command."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if subcommand := SUBCOMMANDS.get(cmd_name):
            command = getattr(import_module(subcommand.module), subcommand.name)
            assert isinstance(command, click.Command)
            _all_loaded()
            return command
        return super().get_command(ctx, cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in SUBCOMMANDS:
            if args and args[0].isalpha():
                _refuse_misspelt(args[0])
            args = ["run", *args]
        return super().parse_args(ctx, args)


def _refuse_misspelt(word: str) -> None:
    """A command that is nearly named is not paid for as a prompt."""
    from difflib import get_close_matches  # noqa: PLC0415 - few prompts begin with a bare word

    if found := get_close_matches(word, SUBCOMMANDS, 1, 0.8):
        raise click.UsageError(
            f"There is no command {word!r}. Did you mean roo {found[0]}? As a prompt: roo -- {word}"
        )


def _start(**given: Any) -> int:
    options = collect(given)
    from roo_code.cli.run import run  # noqa: PLC0415 - help and mistakes need none of it

    _all_loaded()
    return run(options)


def _all_loaded() -> None:
    """From here on there is garbage; what is loaded by now never becomes any."""
    gc.freeze()
    gc.enable()


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"roo {VERSION}")
        ctx.exit()


def build_cli() -> click.Group:
    version = click.Option(
        ["-V", "--version"], is_flag=True, is_eager=True, expose_value=False, callback=_show_version
    )
    start = ManualCommand("run", params=[*run_parameters(), version], callback=_start)
    start.commands = {name: subcommand.purpose for name, subcommand in SUBCOMMANDS.items()}
    return LazyGroup(
        "roo", commands={"run": start}, context_settings={"help_option_names": ["-h", "--help"]}
    )


def cli(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    gc.disable()  # loading is a twentieth faster without
    keep_absolute_path()
    _skip_pydantic_plugins()
    _open_missing_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a character it cannot show must not end the run
            stream.reconfigure(errors="backslashreplace")
    logging.getLogger().addHandler(logging.NullHandler())  # nothing of the log on the screen
    _leave(run_cli(arguments))


def _leave(code: int) -> NoReturn:
    """At once: all is written and closed by now, and to take the program apart takes a while."""
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # whoever read it is gone
            stream.flush()
    os._exit(code)


def _skip_pydantic_plugins() -> None:
    """We have none, and to look for them takes a twentieth of a start."""
    loader: Any = ModuleType("pydantic.plugin._loader")
    loader.get_plugins = tuple
    sys.modules.setdefault("pydantic.plugin._loader", loader)


def _open_missing_streams() -> None:
    """A caller may close them; the next file opened would then take their place, and our output."""
    for fd, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
            setattr(sys, name, os.fdopen(fd, mode, encoding="utf-8"))


def run_cli(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0, 1, 130, 143 or a verdict's. Every error ends here as a sentence."""
    try:
        code = build_cli().main(arguments, prog_name="roo", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        click.echo(err=True)  # the line of the question is still open
        return 130
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _give_up_stdout()
        return 1
    except click.ClickException as error:
        show_error(UserFacingError(error.format_message(), hint=_usage_hint(error)))
        return 1
    except RooCodeError as error:
        _log.debug("ended by an error", exc_info=True)
        show_error(explain(error))
        return 1
    except Exception as error:  # noqa: BLE001 - the CLI's boundary: a bug is no page of traceback
        _log.exception("internal error")
        show_error(explain(error))
        return 1
    return code if isinstance(code, int) else 0


def show_error(error: UserFacingError) -> None:
    click.echo(f"Error: {error}", err=True)
    for line in error.hint.splitlines():
        click.echo(f"  {line}", err=True)


def _usage_hint(error: click.ClickException) -> str:
    if not isinstance(error, click.UsageError):
        return ""
    path = error.ctx.command_path if error.ctx else "roo"
    return f"See {'roo' if path == 'roo run' else path} --help."


def _give_up_stdout() -> None:
    """Whoever read our output has gone; without this Python complains once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
