"""`roo demo`: a whole task on a scratch project, the model's part played from a recording."""

from __future__ import annotations

import asyncio
import difflib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from roo_code.approval_values import ApprovalSettings
from roo_code.cli.answers import NoAnswers
from roo_code.cli.conversation import Conversation
from roo_code.cli.markdown import formatted
from roo_code.cli.render_text import TextRenderer
from roo_code.cli.screen import Screen
from roo_code.cli.style import Style
from roo_code.commands import StartTask
from roo_code.errors import UserFacingError
from roo_code.events import TaskSpec
from roo_code.task.watch import Watch
from roo_code.workspace.child_environment import child_environment

RECORDING = Path(__file__).with_name("demo.jsonl")
PROJECT = Path(__file__).with_name("demo_project")
TEST_COMMAND = "python3 -m unittest"
PROMPT = "The tests of this project fail. Find out why and fix the code, not the tests."
_NEXT = """\
To let it work for you, give it a model:
  export ANTHROPIC_API_KEY=...        (or OPENAI_API_KEY, OPENROUTER_API_KEY)
  roo "explain this project to me"    (in a folder of yours; roo --help says the rest)"""


@click.command()
@click.option("--keep", is_flag=True, help="Leave the scratch folder where it is afterwards.")
def demo(keep: bool) -> int:
    """Watch a whole task without a key, a network or a risk.

    In a scratch folder, the agent mends a small project whose tests fail: it reads the files, runs
    the tests, edits, and runs them again. What the model says comes from a recording; every tool
    runs for real. Exit status 0 means that the tests failed before and pass now.

    \b
    Example:
      roo demo --keep
    """
    scratch = Path(tempfile.mkdtemp(prefix="roo-demo-"))
    try:
        return _demo(scratch, Screen(sys.stdout, sys.stderr))
    finally:
        if keep:
            click.echo(f"\nKept: {scratch}")
        else:
            shutil.rmtree(scratch, ignore_errors=True)


def _demo(scratch: Path, screen: Screen) -> int:
    style = screen.style
    project = prepare(scratch)
    click.echo(f"A small project with a fault or two: {style.bold(str(project))}")
    click.echo(style.dim("The model's replies come from a recording; every tool runs for real.\n"))
    before = run_tests(project)
    if before.passed:
        raise UserFacingError("The demo's project is not broken, so there is nothing to show.")
    with environment(scratch):
        asyncio.run(_work(scratch, project, screen))
    after = run_tests(project)
    click.echo("".join(_changes(project, style)))
    click.echo(f"Tests before: {style.bad(before.summary)}")
    click.echo(f"Tests now:    {(style.good if after.passed else style.bad)(after.summary)}")
    if not after.passed:
        click.echo(after.output, err=True)
        return 1
    click.echo(f"\n{_NEXT}")
    return 0


def prepare(scratch: Path) -> Path:
    """A copy of the project to work on."""
    project = scratch / "project"
    project.mkdir()
    for path in PROJECT.glob("*.*"):
        shutil.copyfile(path, project / path.name)  # as new: where it is installed may be read-only
    return project


def task_spec(project: Path) -> TaskSpec:
    """Unattended, with nothing allowed but reading, edits here, and the one test command."""
    return TaskSpec(
        prompt=PROMPT,
        workspace=str(project),
        provider={"api_provider": "recording", "api_model_id": "demo"},
        approval=ApprovalSettings(level="auto", unattended=True, allowed_commands=(TEST_COMMAND,)),
    )


@contextmanager
def environment(scratch: Path) -> Generator[None]:
    """Where `python3` is the Python we run on, and leaves no bytecode.

    A file edited within the second would otherwise be run as it was.
    """
    folder = scratch / "bin"
    folder.mkdir()
    (folder / "python3").write_text(
        f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n', encoding="utf-8"
    )
    (folder / "python3").chmod(0o755)
    path = (str(folder), str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath))
    changed = {"PATH": os.pathsep.join(path), "PYTHONDONTWRITEBYTECODE": "1"}
    earlier = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    try:
        yield
    finally:
        for name, value in earlier.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


async def _work(scratch: Path, project: Path, screen: Screen) -> None:
    from roo_code.cli.compose import HostOptions, open_host, replaying  # noqa: PLC0415 - help needs none of it

    style = screen.style
    options = HostOptions(
        folder=scratch / "state", provider=replaying(RECORDING, speed=1 if style.terminal else 0)
    )
    markdown = partial(formatted, style=style) if style.terminal else None
    async with (
        open_host(options) as composed,
        Watch(composed.host, composed.executor.failure) as watch,
    ):
        renderer = TextRenderer(style, markdown=markdown)
        conversation = Conversation(composed.host, watch, screen, renderer, NoAnswers())
        command = StartTask(spec=task_spec(project))
        screen.write([style.bold("> "), PROMPT, "\n"])
        conversation.begin(command.task_id, (), 0)
        await conversation.send(command)
        await conversation.run()
        conversation.close()
        report = conversation.report
        screen.write(["\n", style.dim(report.closing(report.seconds)), "\n\n"])


@dataclass(frozen=True)
class TestRun:
    passed: bool
    output: str

    @property
    def summary(self) -> str:
        """What unittest says last, such as `FAILED (failures=4)`."""
        return next((line for line in reversed(self.output.splitlines()) if line.strip()), "?")


def run_tests(project: Path) -> TestRun:
    """The tests, seen with our own eyes."""
    done = subprocess.run(
        [sys.executable, "-B", "-m", "unittest"],
        cwd=project, capture_output=True, text=True, encoding="utf-8", errors="replace",
        timeout=60, check=False, env=child_environment(),
    )  # fmt: skip
    return TestRun(done.returncode == 0, done.stdout + done.stderr)


def _changes(project: Path, style: Style) -> Iterator[str]:
    for path in sorted(PROJECT.glob("*.*")):
        old = path.read_text(encoding="utf-8").splitlines(keepends=True)
        new = (project / path.name).read_text(encoding="utf-8").splitlines(keepends=True)
        for line in difflib.unified_diff(old, new, f"a/{path.name}", f"b/{path.name}", n=1):
            paint = {"+": style.good, "-": style.bad}.get(line[0], style.dim)
            yield paint(line.rstrip("\n")) + "\n"
