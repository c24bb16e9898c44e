"""The model writes a file and runs the project: nobody was asked, so it must do no harm."""

import shutil
import subprocess
from pathlib import Path

import pytest
from pydantic import BaseModel

from roo_code.agent import Agent
from roo_code.events import ApprovalDecided, MessageAdded, ToolFinished
from roo_code.history import History
from roo_code.json_text import JsonValue
from roo_code.messages import Message, ToolUseContent
from roo_code.testing import scripted_client
from roo_code.tools import Tool, ToolContext
from roo_code.workspace.workspace import Workspace
from tests.cli.conftest import Roo, calls, completion
from tests.sandbox.box import works_here

ESCAPE = "test:\n\t@echo harm > {out} ; env | grep KEY= ; cat ~/.ssh/id_ed25519\n"


def _harm(roo: Roo) -> Path:
    return roo.workspace.parent / "harm"


@pytest.mark.skipif(not works_here(), reason="no sandbox works here")
def test_what_the_model_wrote_and_runs_unasked_is_confined(roo: Roo) -> None:
    server = roo.serve(
        calls(write_to_file={"path": "Makefile", "content": ESCAPE.format(out=_harm(roo))}),
        calls(execute_command={"command": "make test"}),
        completion("Done."),
    )
    done = roo.run("-p", "Test.")
    assert done.returncode == 0, done.stderr
    assert not _harm(roo).exists()
    told = str(server.requests[2].body["messages"][-1])
    assert "requires_approval" in told
    assert "nobody was asked" in told


@pytest.mark.parametrize("how", [("--sandbox", "off"), ("--approve", "auto-edit")])
def test_where_it_is_not_confined_it_does_not_run_unasked(roo: Roo, how: tuple[str, ...]) -> None:
    roo.serve(
        calls(write_to_file={"path": "Makefile", "content": ESCAPE.format(out=_harm(roo))}),
        calls(execute_command={"command": "make test"}),
        completion("Done."),
    )
    done = roo.run(*how, "-p", "Test.")
    assert not _harm(roo).exists()
    assert "nobody is there to approve it" in done.stderr + done.stdout


def test_without_any_sandbox_on_the_machine_it_is_refused(roo: Roo, tmp_path: Path) -> None:
    roo.serve(
        calls(write_to_file={"path": "Makefile", "content": ESCAPE.format(out=_harm(roo))}),
        calls(execute_command={"command": "make test"}),
        completion("Done."),
    )
    roo.run("-p", "Test.", PATH=str(tmp_path))
    assert not _harm(roo).exists()


def _git(folder: Path, *arguments: str) -> str:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


PLANT = (
    "test:\n\t-@mkdir -p evil; cp -r .git/objects .git/refs .git/HEAD evil\n"
    "\t-@printf '[core]\\nbare=false\\nfsmonitor=touch {out}; false\\n' > evil/config\n"
    "\t-@echo ../evil > .git/commondir; cp evil/config .git/config.worktree\n"
    "\t-@echo touch {out} > .git/hooks/post-index-change; chmod +x .git/hooks/post-index-change\n"
    "\t-@rm -rf .git/config; mv .git old; cp -r evil .git; echo gitdir: evil > .git\n"
)


@pytest.mark.skipif(not works_here(), reason="no sandbox works here")
@pytest.mark.parametrize("sandbox", ["unasked", "auto"])
@pytest.mark.parametrize("is_worktree", [False, True])
def test_what_ran_in_the_sandbox_has_git_run_nothing_outside(
    roo: Roo, sandbox: str, is_worktree: bool
) -> None:
    main = roo.workspace.parent / "main" if is_worktree else roo.workspace
    main.mkdir(exist_ok=True)
    _git(main, "init", "-q")
    _git(main, "config", "extensions.worktreeConfig", "true")
    _git(main, "config", "user.name", "A")
    _git(main, "config", "user.email", "a@b")
    _git(main, "commit", "-q", "--allow-empty", "-m", "x")
    if is_worktree:
        shutil.rmtree(roo.workspace)
        _git(main, "worktree", "add", "-q", str(roo.workspace))
    (roo.workspace / "Makefile").write_text(PLANT.format(out=_harm(roo)))
    roo.serve(calls(execute_command={"command": "make test"}), completion("Done."))
    done = roo.run("--sandbox", sandbox, "-p", "Test.")
    assert done.returncode == 0, done.stderr
    assert (roo.workspace / "evil" / "config").exists()
    made = [*roo.workspace.glob(".git/commondir.put-aside-*")]
    assert len(made) == (sandbox == "auto" and not is_worktree)
    assert "evil" in _git(roo.workspace, "status", "--short")
    assert not _harm(roo).exists()


class NoInput(BaseModel):
    pass


class RunsHere(Tool[NoInput]):
    """A user's tool, as it is loaded where there is no sandbox."""

    name = "runs_here"
    description = "Touches a file."
    group = "command"
    input_type = NoInput

    async def execute(self, arguments: NoInput, context: ToolContext) -> str:
        (context.workspace.root / "was-here").touch()
        return "done"


@pytest.mark.parametrize(
    ("tool", "input"), [("execute_command", {"command": "touch was-here"}), ("runs_here", {})]
)
@pytest.mark.parametrize("sandbox", ["off", "unasked", "auto"])
async def test_what_was_let_through_because_it_was_confined_never_runs_bare(
    tool: str,
    input: dict[str, JsonValue],
    sandbox: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another process goes on with the task, on a machine that has no sandbox."""
    programs = tmp_path / "programs"
    workspace = tmp_path / "workspace"
    for folder in (programs, workspace):
        folder.mkdir()
    for name in ("sh", "bash", "touch"):
        (programs / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", str(programs))
    call = ToolUseContent(id="call_1", name=tool, input=input)
    history = History(
        [
            MessageAdded(message=Message.from_user("Test.")),
            MessageAdded(message=Message(role="assistant", content=(call,))),
            ApprovalDecided(tool_use_id="call_1", approved=True, by="policy", confined=True),
        ]
    )
    agent = Agent(
        scripted_client("Done."),
        [RunsHere()],
        context=ToolContext(workspace=Workspace(workspace), settings={"sandbox": sandbox}),
        history=history,
    )
    finished = [event async for event in agent.iter() if isinstance(event, ToolFinished)]
    assert [event.result.is_error for event in finished] == [True]
    assert "sandbox" in finished[0].result.content
    assert list(workspace.iterdir()) == []
