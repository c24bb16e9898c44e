"""`roo workflow`: a workflow as a task that starts tasks, in processes that may die."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from roo_code.approval_values import ApprovalSettings
from roo_code.cli.compose_workflow import workflow_spec
from roo_code.events import TaskSpec
from roo_code.task.rows import create
from roo_code.task.schema import connect
from roo_code.testing.model_replies import ScriptedReply
from roo_code.workflows.file import read_workflow
from tests.cli.conftest import Roo, calls, completion, roo, serving
from tests.execution.crash_images import completed, crash_images, go_on_from_each, model_server

__all__ = ["roo"]

FLOW = """\
name: Two steps
phases:
  - id: plan
    mode: architect
    subtasks:
      - {id: outline, message: "OUTLINE"}
      - {id: names, message: "NAMES"}
  - id: build
    checks: ["echo checked >> checks.txt; test -e made.txt"]
    retries: 1
    subtasks:
      - {id: make, message: "MAKE from: {{plan.outline}}"}
"""
SAID: dict[str, list[ScriptedReply]] = {
    "OUTLINE": [completion("an outline")],
    "NAMES": [completion("some names")],
    "MAKE from": [completion("made nothing")],
    "The check": [
        calls(write_to_file={"path": "made.txt", "content": "x\n"}),
        completion("mended"),
    ],
}


def as_script(said: dict[str, list[ScriptedReply]]) -> dict[str, Any]:
    return {"conversations": {words: [r.to_dict() for r in rs] for words, rs in said.items()}}


def serve(roo: Roo, said: dict[str, list[ScriptedReply]] = SAID) -> Any:
    script = as_script(said)
    server = roo.exits.enter_context(serving(script))
    roo.model = ("--provider", "anthropic", "--base-url", server.url)
    return server


def flow(roo: Roo, text: str = FLOW) -> str:
    path = roo.workspace.parent / "flow.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def workflow(roo: Roo, *arguments: str) -> subprocess.CompletedProcess[str]:
    model = (*roo.model, "-w", str(roo.workspace), "--approve", "all")
    given = model if arguments[0] in ("run", "resume") else ()
    return subprocess.run(
        [*roo.program, "workflow", *arguments, *given],
        env=roo.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        timeout=50,
    )  # fmt: skip


def only_id(roo: Roo) -> str:
    return workflow(roo, "status").stdout.split()[0]


def test_a_workflow_runs_to_its_end_and_its_state_is_shown(roo: Roo) -> None:
    server = serve(roo)
    done = workflow(roo, "run", flow(roo))
    assert done.returncode == 0, done.stderr
    assert "[░░░░░░░░░░░░░░░░░░░░░░░░] 0/3 plan\n" in done.stdout
    assert "subtask in architect mode: OUTLINE" in done.stdout
    assert (roo.workspace / "checks.txt").read_text(encoding="utf-8") == "checked\nchecked\n"
    made = [r for r in server.requests if "MAKE from: an outline" in json.dumps(r.body)]
    assert len(made) == 1
    id = only_id(roo)
    assert workflow(roo, "status", id).stdout.splitlines()[:4] == [
        "Two steps",
        "● plan (architect)",
        "  ● outline",
        "  ● names",
    ]
    state = json.loads(workflow(roo, "status", id, "--json").stdout)
    assert [phase["status"] for phase in state["phases"]] == ["completed", "completed"]
    saved = json.loads((roo.home / "state" / "workflows" / f"{id}.json").read_text())
    assert saved["phases"] == state["phases"]
    assert saved["total_subtasks_completed"] == 3
    assert saved["completed_at"] > saved["started_at"]


def test_what_failed_is_tried_again_and_what_is_done_is_not(roo: Roo) -> None:
    serve(roo, {words: said for words, said in SAID.items() if words != "NAMES"})
    done = workflow(roo, "run", flow(roo))
    assert done.returncode == 1
    assert "Phase 'plan' failed. Subtask names failed" in done.stderr
    assert "roo workflow resume" in done.stderr
    server = serve(roo)
    again = workflow(roo, "resume", only_id(roo))
    assert again.returncode == 0, again.stderr
    said = json.dumps([request.body for request in server.requests])
    assert "OUTLINE" not in said
    assert "NAMES" in said


def test_a_gate_waits_for_a_person_whatever_is_approved(roo: Roo) -> None:
    serve(roo)
    text = FLOW.replace("  - id: build\n", "  - id: build\n    gate: Build it now?\n")
    done = workflow(roo, "run", flow(roo, text))
    assert done.returncode == 1
    assert "Build it now?" in done.stderr
    assert not (roo.workspace / "checks.txt").exists()
    id = only_id(roo)
    answer = [*roo.program, "tasks", "answer", id, "--approve"]
    subprocess.run(answer, env=roo.environment, check=True, capture_output=True)
    assert workflow(roo, "resume", id).returncode == 0
    assert (roo.workspace / "made.txt").exists()


def test_what_looks_like_a_key_is_not_kept_from_a_check_either(roo: Roo) -> None:
    serve(roo)
    key = "sk-ant-api03-" + "Ab1" * 30
    printed = f"printf 'sk-ant-api03-%s\\n' {'Ab1' * 30}"
    done = workflow(roo, "run", flow(roo, FLOW.replace("echo checked", f"{printed}; echo checked")))
    assert done.returncode == 0, done.stderr
    assert key not in done.stdout + done.stderr
    kept = [path for path in roo.store_files() if key.encode() in path.read_bytes()]
    assert kept == []


def test_files_and_ids_that_will_not_do_are_said(roo: Roo) -> None:
    serve(roo)
    bad = workflow(roo, "run", flow(roo, "phases: 3"))
    assert bad.returncode == 1
    assert "flow.yaml:1: phases: there must be a list of phases" in bad.stderr
    server = serve(roo)
    modeless = workflow(roo, "run", flow(roo, FLOW.replace("retries: 1", "mode: wizard")))
    assert (modeless.returncode, server.requests) == (1, [])
    assert "There is no mode 'wizard'. Modes: code," in modeless.stderr
    roo.serve(completion("Done."))
    assert roo.run("-p", "Something else.").returncode == 0
    listing = [*roo.program, "tasks", "list", "--all", "--format", "json"]
    listed = json.loads(subprocess.check_output(listing, env=roo.environment))
    told = workflow(roo, "resume", listed["tasks"][0]["id"])
    assert told.returncode == 1
    assert "does not run a workflow" in told.stderr


@pytest.mark.timeout(600)
@pytest.mark.requirement("workflow:checkpoint:resume")
def test_a_workflow_killed_after_any_commit_goes_on_and_repeats_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    (tmp_path / "workspace").mkdir()

    def check(place: Path) -> None:
        assert "Run the workflow Two steps." in completed(place)

    with model_server(tmp_path, as_script(SAID)) as url:
        store_workflow(tmp_path, url)
        places = crash_images(tmp_path)
        assert len(places) > 30
        go_on_from_each(tmp_path, places, tuple(SAID), check)


def store_workflow(folder: Path, url: str) -> None:
    (folder / "flow.yaml").write_text(FLOW, encoding="utf-8")
    spec = TaskSpec(
        prompt="",
        workspace=str(folder / "workspace"),
        provider={"api_provider": "anthropic", "api_base_url": url, "api_model_id": "scripted"},
        approval=ApprovalSettings(level="all", unattended=True),
    )
    db = connect(folder / "state" / "tasks.sqlite3", write=True)
    create(db, "t", workflow_spec(spec, read_workflow(folder / "flow.yaml")), time.time())
    db.close()
