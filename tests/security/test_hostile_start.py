"""Files of a workspace that are none: a run starts, says so, and comes to its end."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Roo, completion

NAMES = (
    "AGENTS.md", ".roomodes", ".roorules", ".roo/settings.json", ".roo/mcp.json", ".roo/rules/a.md",
    ".roo/rules-code/a.md", ".roo/commands/a.md", ".roo/skills/x/SKILL.md", ".roo/tools/a.py",
    ".roo/modes/a.yaml", ".agents/skills/x/SKILL.md",
)  # fmt: skip


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _circle(path: Path) -> None:
    path.symlink_to(path.name)


def _large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(20 << 30)


@pytest.mark.parametrize("make", [_pipe, _endless, _circle, _large])
@pytest.mark.parametrize("names", [NAMES, (".rooignore",)])
def test_no_file_of_a_workspace_keeps_a_run_from_its_end(
    roo: Roo, make: Callable[[Path], None], names: tuple[str, ...]
) -> None:
    for name in names:
        (roo.workspace / name).parent.mkdir(parents=True, exist_ok=True)
        make(roo.workspace / name)
    server = roo.serve(completion("Done."))
    done = roo.run("-p", "Say done.")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert len(server.requests) == 1
