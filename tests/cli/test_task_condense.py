"""`roo tasks condense` and `roo tasks show --context`, with a model served over HTTP."""

import subprocess
from contextlib import closing

import pytest

from roo_code.cli.main import run_cli
from roo_code.commands import CondenseContext
from roo_code.events import ContextCondensed, MessageAdded, RunCompleted
from roo_code.messages import Message
from roo_code.task import inbox, rows
from tests.cli.conftest import Roo
from tests.cli.stored_tasks import asks_approval, call, database, spec, store_tasks

STORY = MessageAdded(
    message=Message(role="assistant", content=Message.from_user("A long story. " * 300).content)
)
SAID = MessageAdded(message=Message.from_user("Tell it again."))


def roo_tasks(roo: Roo, *arguments: str) -> tuple[int, str, str]:
    roo.model = ()
    command = [*roo.program, "tasks", *arguments]
    done = subprocess.run(
        command, env=roo.environment, capture_output=True, text=True, timeout=50, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_a_task_that_has_ended_is_condensed_and_stays_ended(roo: Roo) -> None:
    server = roo.serve("They told a story.")
    provider = {
        "api_provider": "anthropic",
        "api_model_id": "claude-sonnet-4-5",
        "api_base_url": server.url,
    }
    task = spec("Tell a story.", str(roo.workspace), provider=provider)
    ended = RunCompleted(result="Told.")
    store_tasks(roo.home, [("task-one", task, [STORY, SAID, STORY, ended])])
    code, out, err = roo_tasks(roo, "condense", "task-one")
    assert (code, err) == (0, "")
    assert out.startswith("Condensed ")
    with closing(database(roo.home)) as db:
        records = rows.read(db, "task-one", 0, 100)
        summary = rows.summary(db, "task-one")
    assert summary is not None
    assert summary.status == "completed"
    assert (summary.tokens_in, summary.tokens_out) == (100, 20)
    assert records[-1].event == ended
    made = [r.event for r in records if isinstance(r.event, ContextCondensed)]
    assert [event.error for event in made] == [""]
    code, out, _ = roo_tasks(roo, "show", "task-one", "--context")
    assert code == 0
    assert "<summary>\nThey told a story.\n</summary>" in out
    assert "Tell a story." in out
    assert roo_tasks(roo, "condense", "task-one")[1] == "There is nothing to condense.\n"
    assert len(server.requests) == 1


def test_a_task_that_waits_is_condensed_when_it_goes_on(
    roo: Roo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ROO_HOME", str(roo.home))
    parked = asks_approval(call("c1", "make"))
    store_tasks(roo.home, [("task-one", spec(workspace=str(roo.workspace)), parked)])
    assert run_cli(["tasks", "condense", "task-one"]) == 0
    assert "roo tasks resume task-one" in capsys.readouterr().out
    with closing(database(roo.home)) as db:
        [command] = inbox.waiting(db, "task-one")
    assert isinstance(command, CondenseContext)
