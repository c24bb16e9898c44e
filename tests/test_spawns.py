"""Which processes this program starts: the few places that do, and what they are started with."""

import ast
import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from roo_code.workspace.child_marks import ChildKind
from roo_code.workspace.process_list import marks_are_seen
from roo_code.workspace.running import RunningChild, running
from tests.builtin_tools.calls import Caller, FolderOfArtifacts, eventually

ROOT = Path(__file__).resolve().parent.parent / "roo_code"

STARTS = {
    "workspace/processes.py": "commands, after approval and in the sandbox if there is one",
    "workspace/short_process.py": "our own workers, users' tools in the sandbox, rg and git",
    "workspace/reaper.py": "the reaper, which ends all others",
    "mcp_client/server_process.py": "MCP servers",
    "builtin_tools/browser_session.py": "the browser",
    "sandbox/detection.py": "the sandbox's own programs, to see whether they work",
    "sandbox/docker_client.py": "the docker program, to ask its daemon",
    "sandbox/docker_launcher.py": "a container, and the keeper that removes it",
    "sandbox/network_namespace.py": "the maker of a network for commands, and a trial of it",
    "cli/doctor_environment.py": "programs that the user asks us to look for, for their version",
    "cli/demo.py": "the tests of the demonstration's own project",
}
"""All there are; a new place must say what it starts and why, and is looked at by whoever reads."""
OPENS = {"cli/compose_mcp.py": "the user's own browser, when they log in to an MCP server"}
"""By way of the desktop, with no environment to choose."""

MODULES = {"subprocess", "multiprocessing", "pty", "webbrowser"}
CALLS = {
    "create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell",
    "Popen", "run", "call", "check_call", "check_output", "getoutput", "launch", "system", "popen",
    "fork", "forkpty", "posix_spawn", "posix_spawnp", "ProcessPoolExecutor", "startfile",
    *(f"{kind}{how}" for kind in ("exec", "spawn") for how in ("l", "le", "lp", "v", "ve", "vp")),
}  # fmt: skip
ONLY_OF = {
    "run": {"subprocess"}, "call": {"subprocess"}, "check_call": {"subprocess"},
    "check_output": {"subprocess"}, "launch": {"chromium"}, "system": {"os"}, "popen": {"os"},
    "fork": {"os", "pty"},
}  # fmt: skip
"""Names that others have too: of whom they start something."""


def spawns(source: str) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Attribute):
            name, owner = node.func.attr, ast.unparse(node.func.value).rpartition(".")[2]
        elif isinstance(node.func, ast.Name):
            name, owner = node.func.id, ""
        else:
            continue
        if name in CALLS and (name not in ONLY_OF or owner in ONLY_OF[name]):
            yield node


def sources() -> dict[str, str]:
    return {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for path in sorted(ROOT.rglob("*.py"))
    }


def imported(source: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module.partition(".")[0], *(alias.name for alias in node.names)}
    return names


@pytest.mark.requirement("security:spawn:limited")
def test_processes_are_started_in_the_listed_places_only() -> None:
    found = {path for path, source in sources().items() if any(spawns(source))}
    assert found == set(STARTS)
    hidden = MODULES | {"system", "popen", "fork"}  # by names of their own
    importing = {path for path, source in sources().items() if imported(source) & hidden}
    assert importing <= set(STARTS) | set(OPENS)


def test_each_says_what_environment_it_gives() -> None:
    for path in STARTS:
        for call in spawns(sources()[path]):
            given = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
            assert "env" in given, f"{path}:{call.lineno} hands on all of ours"
            assert "os.environ" not in given["env"], f"{path}:{call.lineno}"


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("import subprocess\nsubprocess.run(['x'])", 1),
        ("import os\nos.system('x')\nos.execvp('x', [])", 2),
        ("asyncio.create_subprocess_shell('x')", 1),
        ("from subprocess import Popen\nPopen(['x'])", 1),
        ("loop.subprocess_exec(p, 'x')", 1),
        ("asyncio.run(main())\nagent.run('x')\nplatform.system()", 0),
    ],
)
def test_the_search_finds_what_starts_something(code: str, count: int) -> None:
    assert len(list(spawns(code))) == count


@pytest.mark.requirement("security:spawn:limited")
@pytest.mark.skipif(not marks_are_seen(), reason="this system does not show marks")
async def test_what_runs_is_of_a_known_kind_and_ends_with_the_task(tmp_path: Path) -> None:
    caller = Caller(tmp_path, FolderOfArtifacts(tmp_path / "artifacts"))
    for n in range(200):
        (caller.folder / f"{n}.txt").write_text("x\n" * 200)
    await caller.call("execute_command", command="sleep 1000", timeout=0.05)
    searching = asyncio.create_task(caller.call("search_files", path=".", regex="x+"))
    seen: set[str] = set()
    while not searching.done():
        seen |= {child.kind for child in ours()}
        await asyncio.sleep(0)
    assert not (await searching).is_error
    assert {"command", "worker"} <= seen <= set(get_args(ChildKind))
    await caller.resources.aclose()
    await eventually(lambda: not ours())


def ours() -> list[RunningChild]:
    return [child for child in running() if child.owner == os.getpid()]
