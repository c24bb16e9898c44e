"""`roo --help` and what is loaded for it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from roo_code.cli.main import SUBCOMMANDS, build_cli
from roo_code.cli.options import run_parameters
from roo_code.version import VERSION


def roo(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "importtime", "-m", "roo_code", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)


@pytest.fixture(scope="module")
def manual() -> subprocess.CompletedProcess[str]:
    return roo("--help")


def test_the_manual_has_its_sections_in_order(manual: subprocess.CompletedProcess[str]) -> None:
    assert manual.returncode == 0
    assert re.findall(r"^([A-Z][a-z ]+):$", manual.stdout, re.MULTILINE) == [
        "Usage", "Task", "Model", "Approval", "Limits", "Output", "Recording", "Help", "Commands",
        "Examples", "Environment", "Files", "Exit status",
    ]  # fmt: skip


def test_the_manual_names_every_option_and_command(
    manual: subprocess.CompletedProcess[str],
) -> None:
    for parameter in run_parameters():
        for name in parameter.opts:
            assert name in manual.stdout or parameter.param_type_name == "argument"
    assert all(f"\n  {name} " in manual.stdout for name in SUBCOMMANDS)


def test_the_manual_fits_a_terminal(manual: subprocess.CompletedProcess[str]) -> None:
    assert max(len(line) for line in manual.stdout.splitlines()) <= 84


def test_help_loads_nothing_heavy(manual: subprocess.CompletedProcess[str]) -> None:
    lines = [line for line in manual.stderr.splitlines() if line.startswith("import time:")]
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}
    assert "click" in loaded
    assert not loaded & {"asyncio", "httpx2", "pydantic", "rich", "sqlite3"}


def test_help_loads_no_subcommand(manual: subprocess.CompletedProcess[str]) -> None:
    for subcommand in SUBCOMMANDS.values():
        assert f" {subcommand.module}\n" not in manual.stderr


@pytest.mark.parametrize("arguments", [("-h",), ("-p", "--help"), ("--help", "list")])
def test_help_is_given_wherever_it_is_asked_for(arguments: tuple[str, ...]) -> None:
    done = roo(*arguments)
    assert (done.returncode, done.stdout[:6]) == (0, "Usage:")


@pytest.mark.parametrize("arguments", [("-V",), ("-p", "--version")])
def test_the_version(arguments: tuple[str, ...]) -> None:
    done = roo(*arguments)
    assert (done.returncode, done.stdout) == (0, f"roo {VERSION}\n")


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_subcommands_load_and_have_help(name: str) -> None:
    assert build_cli().main([name, "--help"], prog_name="roo", standalone_mode=False) in (0, None)


def pages(group: click.Group, context: click.Context) -> Iterator[tuple[str, str]]:
    """Every command of the group, and the page that its --help shows."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        below = click.Context(command, info_name=name, parent=context, terminal_width=80)
        yield below.command_path, command.get_help(below)
        if isinstance(command, click.Group):
            yield from pages(command, below)


def test_every_page_fits_a_terminal_and_shows_an_example() -> None:
    cli = build_cli()
    shown = dict(pages(cli, click.Context(cli, info_name="roo", terminal_width=80)))
    assert len(shown) > 50
    for command, page in shown.items():
        lines = page.splitlines()
        assert [line for line in lines if len(line) > 80] == [], command
        assert [line for line in lines[1:] if line.endswith("...")] == [], command
        assert "Commands:" in page or "Example" in page, command


@pytest.mark.parametrize(("words", "meant"), [("task list", "tasks"), ("doctr", "doctor")])
def test_a_command_that_is_nearly_named_is_no_prompt(words: str, meant: str) -> None:
    done = roo(*words.split())
    assert done.returncode == 1
    word = words.partition(" ")[0]
    told = (
        f"Error: There is no command {word!r}. Did you mean roo {meant}? As a prompt: roo -- {word}"
    )
    assert told in done.stderr


@pytest.mark.parametrize(
    ("arguments", "page"), [(["--no-such"], "roo"), (["workflow", "run"], "roo workflow run")]
)
def test_a_mistake_points_at_the_page_of_its_command(arguments: list[str], page: str) -> None:
    done = roo(*arguments)
    assert done.returncode == 1
    assert f"  See {page} --help.\n" in done.stderr
