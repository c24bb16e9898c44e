"""The sandbox through the whole program: chosen for a run, kept by the task, shown by `roo ps`."""

import json
import sys

import pytest

from tests.builtin_tools.test_user_tools import GREET
from tests.cli.conftest import Roo, calls, completion
from tests.sandbox.box import works_here

pytestmark = pytest.mark.skipif(not works_here(), reason="no sandbox works here")

LOOK = "cat calc.py; env | grep API_KEY || echo no keys; touch /usr/was-here"


def test_commands_and_tools_of_a_run_are_confined(roo: Roo) -> None:
    (roo.home / "tools").mkdir(parents=True)
    peek = GREET.replace('f"Hello, {arguments.who}!"', "str(sorted(__import__('os').listdir('.')))")
    (roo.home / "tools" / "greet.py").write_text(peek)
    server = roo.serve(
        calls(execute_command={"command": LOOK}),
        calls(greet={"who": "Ada"}),
        completion("Done."),
    )
    done = roo.run("--sandbox", "required", "--approve", "all", "-p", "Look.")
    assert done.returncode == 0, done.stderr
    looked = str(server.requests[1].body["messages"][-1])
    assert "def add" in looked
    assert "no keys" in looked
    assert "Read-only file system" in looked
    assert "calc.py" in str(server.requests[2].body["messages"][-1])


def test_the_task_keeps_what_was_chosen(roo: Roo) -> None:
    look = calls(execute_command={"command": "touch /usr/was-here; echo looked"})
    server = roo.serve(look, completion("Done."), look, completion("Again."))
    first = roo.run("--sandbox", "required", "-p", "Look.")
    assert first.returncode == 0, first.stderr
    again = roo.run("--continue", "-p", "Look again.")
    assert again.returncode == 0, again.stderr
    assert "Read-only file system" in str(server.requests[-1].body["messages"][-1])


def test_full_auto_is_refused_where_there_is_no_sandbox(roo: Roo) -> None:
    roo.serve(completion("Done."))
    done = roo.run("--approve", "full-auto-in-sandbox", "-p", "Look.", PATH=str(roo.workspace))
    assert done.returncode == 1
    assert "needs a sandbox" in done.stderr
    assert "bubblewrap is not installed" in done.stderr


def test_a_wrong_word_is_refused(roo: Roo) -> None:
    done = roo.run("--sandbox", "perhaps", "-p", "Look.")
    assert done.returncode == 1
    assert "'off', 'unasked', 'auto', 'required'" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_ps_shows_what_a_run_has_started(roo: Roo) -> None:
    ask = f"{sys.executable} -m roo_code ps --json"
    server = roo.serve(calls(execute_command={"command": ask}), completion("Done."))
    done = roo.run("--approve", "all", "-p", "Look.")
    assert done.returncode == 0, done.stderr
    (content,) = [
        block["content"]
        for block in server.requests[1].body["messages"][-1]["content"]
        if block["type"] == "tool_result"
    ]
    told = content if isinstance(content, str) else content[0]["text"]
    listed = json.loads(told[told.index("{") :])["running"]
    (child,) = [child for child in listed if child["command"].endswith(ask)]
    assert (child["kind"], child["is_orphan"]) == ("command", False)
    assert child["task_id"]
