"""Several processes on one store: one drives a task, others watch, answer, cancel, take over."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import CTRL_C, Terminal

ROO = (sys.executable, "-m", "roo_code")
ASKED = "what to do instead:"
COMPLETE = {"id": "done", "name": "attempt_completion", "input": {"result": "All is well."}}


def runs(command: str, id: str = "c1", text: str = "I run this.") -> dict[str, Any]:
    call = {"id": id, "name": "execute_command", "input": {"command": command}}
    return {"text": text, "tool_calls": [call]}


def until(condition: Callable[[], object], what: str, seconds: float = 20) -> None:
    give_up = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < give_up, f"{what} did not happen"
        time.sleep(0.02)


@dataclass
class Shell:
    """A user at a machine with a model service, a folder and a home."""

    folder: Path
    url: str = ""
    started: list[subprocess.Popen[str]] = field(default_factory=list[subprocess.Popen[str]])

    @property
    def workspace(self) -> Path:
        return self.folder / "w"

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {
            "ROO_HOME": str(self.folder / "home"),
            "ANTHROPIC_API_KEY": "test",
            "PYTHONPATH": str(Path(__file__).parents[2]),
            "TERM": "xterm",
            "NO_COLOR": "1",
        }

    def serve(self, *replies: dict[str, Any]) -> None:
        script = self.folder / "script.json"
        script.write_text(json.dumps(list(replies)), encoding="utf-8")
        server = self._popen([sys.executable, "-m", "roo_code.testing.model_server",
                              "--script", str(script)])  # fmt: skip
        assert server.stdout is not None
        self.url = server.stdout.readline().strip()

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return self._popen([*ROO, *arguments])

    def roo(self, *arguments: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [*ROO, *arguments], cwd=self.workspace, env=self.environment, text=True,
            stdin=subprocess.DEVNULL, capture_output=True, start_new_session=True,
            timeout=40, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    def terminal(self, *arguments: str) -> Terminal:
        in_folder = ["sh", "-c", 'cd "$0" && exec "$@"', str(self.workspace)]
        return Terminal([*in_folder, *ROO, *arguments], self.environment)

    def new_task(self, *options: str) -> tuple[str, ...]:
        model = ("--provider", "anthropic", "--base-url", self.url, "-m", "scripted")
        return (*model, *options, "Do it.")

    def task(self) -> dict[str, Any]:
        code, out, _ = self.roo("tasks", "list", "--format", "json")
        assert code == 0
        listed = json.loads(out)["tasks"]
        return listed[0] if listed else {"id": "", "status": "", "stopped": False}

    def close(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def _popen(self, command: list[str]) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            command, cwd=self.workspace, env=self.environment, text=True, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.started.append(process)
        return process


@pytest.fixture
def shell(tmp_path: Path) -> Generator[Shell]:
    (tmp_path / "w").mkdir()
    opened = Shell(tmp_path)
    yield opened
    opened.close()


def test_an_approval_outlives_its_process_and_is_answered_from_another(shell: Shell) -> None:
    shell.serve(runs("echo once >> out.txt"), {"tool_calls": [COMPLETE]})
    with shell.terminal(*shell.new_task("-a")) as terminal:
        terminal.wait_for(ASKED)
        terminal.process.kill()
    task = shell.task()
    assert task["status"] == "parked"
    code, _, told = shell.roo("tasks", "resume", task["id"])
    assert code == 1
    assert "waits for approval of c1: execute_command echo once" in told

    code, out, _ = shell.roo("tasks", "answer", task["id"][:6], "--approve")
    assert (code, out) == (
        0,
        f"The answer is stored. To go on: roo tasks resume {task['id']}\n",
    )
    assert not (shell.workspace / "out.txt").exists(), "answering drives nothing"
    code, out, _ = shell.roo("tasks", "resume", task["id"])
    assert code == 0
    assert "All is well." in out
    assert (shell.workspace / "out.txt").read_text(encoding="utf-8") == "once\n"


@pytest.mark.requirement("agent:engine:task-lifecycle")
def test_one_terminal_drives_another_watches_a_third_answers(shell: Shell) -> None:
    shell.serve(runs("echo once >> out.txt"), {"tool_calls": [COMPLETE]})
    with shell.terminal(*shell.new_task("-a", "--oneshot")) as terminal:
        terminal.wait_for(ASKED)
        task_id = shell.task()["id"]
        watching = shell.start("tasks", "watch", task_id)
        assert watching.stderr is not None
        assert "waits for approval of c1" in watching.stderr.readline()
        code, out, _ = shell.roo("tasks", "answer", task_id, "--approve", "--message", "go ahead")
        assert (code, out) == (0, "The process that drives the task has taken it up.\n")
        terminal.wait_for("All is well.")
        assert terminal.exit_code() == 0
    shown, _ = watching.communicate(timeout=20)
    assert watching.returncode == 0
    assert "• execute_command echo once >> out.txt" in shown
    assert "All is well." in shown
    assert (shell.workspace / "out.txt").read_text(encoding="utf-8") == "once\n"


@pytest.mark.requirement("agent:engine:cancel-stops-work")
def test_a_task_is_cancelled_from_another_process(shell: Shell) -> None:
    shell.serve(runs("echo $$ > pid; exec sleep 600"), {"tool_calls": [COMPLETE]})
    driving = shell.start(*shell.new_task("-p", "--approve", "all"))
    until((shell.workspace / "pid").exists, "the command")
    task_id = shell.task()["id"]
    code, _, told = shell.roo("tasks", "delete", task_id, "--yes")
    assert code == 1
    assert "is running" in told
    code, out, _ = shell.roo("tasks", "cancel", task_id, "--reason", "enough")
    assert code == 0
    assert f"Task {task_id} is cancelled." in out
    _, told = driving.communicate(timeout=20)
    assert driving.returncode == 1
    assert "Cancelled. enough" in told
    assert shell.task()["status"] == "cancelled"
    pid = int((shell.workspace / "pid").read_text(encoding="utf-8"))
    until(lambda: not Path(f"/proc/{pid}").exists(), "the end of the command")


@pytest.mark.requirement("agent:history:resume")
def test_a_killed_task_is_seen_to_be_stopped_and_resumed(shell: Shell) -> None:
    shell.serve(
        runs("echo first >> out.txt", "c1"),
        runs("echo second >> out.txt; touch begun; sleep 600", "c2"),
        {"tool_calls": [COMPLETE]},
    )
    driving = shell.start(*shell.new_task("-p", "--approve", "all"))
    until((shell.workspace / "begun").exists, "the second command")
    os.kill(driving.pid, signal.SIGKILL)
    driving.wait()
    task = shell.task()
    assert (task["status"], task["stopped"]) == ("running", True)
    watching = shell.start("tasks", "watch", task["id"])
    assert watching.stderr is not None
    assert "No process drives this task." in watching.stderr.readline()

    code, out, _ = shell.roo("tasks", "resume", task["id"])
    assert code == 0
    assert "All is well." in out
    assert (shell.workspace / "out.txt").read_text(encoding="utf-8") == "first\nsecond\n"
    watching.communicate(timeout=20)
    assert watching.returncode == 0


def test_two_processes_resume_one_task_and_its_effects_happen_once(shell: Shell) -> None:
    shell.serve(
        {"text": "Ready."},
        runs("echo once >> out.txt; while [ ! -e go ]; do sleep 0.05; done"),
        {"tool_calls": [COMPLETE]},
    )
    assert shell.roo(*shell.new_task("-p", "--approve", "all"))[0] == 0
    task_id = shell.task()["id"]
    assert shell.roo("tasks", "answer", task_id, "Go on.")[0] == 0
    both = [shell.start("tasks", "resume", task_id) for _ in range(2)]
    until((shell.workspace / "out.txt").exists, "the command")
    late = shell.start("tasks", "resume", task_id)
    (shell.workspace / "go").touch()
    for process in (*both, late):
        out, told = process.communicate(timeout=30)
        assert process.returncode == 0, told
        assert "All is well." in out
    assert (shell.workspace / "out.txt").read_text(encoding="utf-8") == "once\n"


def test_a_task_goes_on_with_a_higher_limit(shell: Shell) -> None:
    shell.serve(runs("true"), {"tool_calls": [COMPLETE]})
    code, _, _ = shell.roo(*shell.new_task("-p", "--approve", "all", "--max-turns", "1"))
    assert code == 1
    task_id = shell.task()["id"]
    code, out, told = shell.roo("tasks", "resume", task_id, "--max-turns", "2")
    assert code == 0, told
    assert "All is well." in out


def test_an_ended_task_hears_a_message_and_goes_on_here(shell: Shell) -> None:
    shell.serve({"text": "First answer."}, {"text": "Second answer."}, {"text": "Third answer."})
    assert shell.roo(*shell.new_task("-p"))[0] == 0
    task_id = shell.task()["id"]
    code, out, _ = shell.roo("tasks", "resume", task_id)
    assert (code, out.strip()) == (0, "First answer."), "there was nothing to resume"
    code, out, _ = shell.roo("tasks", "answer", task_id, "And now?", "--resume")
    assert code == 0
    assert "Second answer." in out
    assert shell.roo("tasks", "answer", task_id, "And then?")[0] == 0
    code, out, _ = shell.roo("tasks", "resume", task_id)
    assert code == 0
    assert "Third answer." in out
    assert "And then?" in out


def test_a_question_is_answered_and_driven_on_in_one_go(shell: Shell) -> None:
    question = {"id": "q1", "name": "ask_followup_question", "input": {"question": "Which?"}}
    shell.serve({"tool_calls": [question]}, {"tool_calls": [COMPLETE]})
    with shell.terminal(*shell.new_task("-a")) as terminal:
        terminal.wait_for("Which?")
        terminal.process.kill()
    task_id = shell.task()["id"]
    code, out, _ = shell.roo("tasks", "answer", task_id, "the blue one", "--resume")
    assert code == 0
    assert "the blue one" in out
    assert "All is well." in out


def test_resume_at_a_terminal_asks_what_is_open_and_ctrl_c_cancels(shell: Shell) -> None:
    shell.serve(
        runs("touch one", "c1"),
        runs("touch two; sleep 600", "c2", "And this."),
        {"tool_calls": [COMPLETE]},
    )
    with shell.terminal(*shell.new_task("-a")) as terminal:
        terminal.wait_for(ASKED)
        terminal.process.kill()
    task_id = shell.task()["id"]
    with shell.terminal("tasks", "resume", task_id) as terminal:
        terminal.wait_for(ASKED)
        terminal.line("y")
        terminal.wait_for(ASKED)
        terminal.line("y")
        until((shell.workspace / "two").exists, "the second command")
        terminal.send(CTRL_C)
        terminal.wait_for("Cancelled.")
        assert terminal.exit_code() == 130
    assert (shell.workspace / "one").exists()
    assert shell.task()["status"] == "cancelled"


def test_deleting_is_confirmed_at_a_terminal(shell: Shell) -> None:
    shell.serve({"text": "Done."})
    assert shell.roo(*shell.new_task("-p"))[0] == 0
    task_id = shell.task()["id"]
    for answer, kept in (("n", True), ("y", False)):
        with shell.terminal("tasks", "delete", task_id) as terminal:
            terminal.wait_for("Delete task")
            terminal.line(answer)
            assert terminal.exit_code() == (1 if kept else 0)
        assert bool(shell.task()["id"]) == kept
