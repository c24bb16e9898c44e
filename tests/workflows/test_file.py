"""Workflow files: what they hold, and what is said of those that cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from roo_code.errors import ConfigError
from roo_code.workflows.file import read_workflow
from roo_code.workflows.graph import as_mermaid, as_text, bar
from roo_code.workflows.state import WorkflowState

RELEASE = """\
name: Release
phases:
  - id: plan
    name: Planning
    mode: architect
    subtasks:
      - id: outline
        message: Say what is to be done.
  - id: build
    retries: 2
    checks: [make test]
    gate: Begin?
    subtasks:
      - id: code
        message: "Do this: {{plan.outline}}"
      - {id: docs, mode: ask, message: "Describe {{build.code}}."}
  - id: ship
    parallel: true
    subtasks:
      - {id: linux, message: Ship it.}
      - {id: mac, message: Ship it too.}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "release.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_is_read_with_all_its_fields(tmp_path: Path) -> None:
    workflow = read_workflow(write(tmp_path, RELEASE))
    plan, build, ship = workflow.phases
    assert (workflow.name, plan.title, plan.mode, build.title) == (
        "Release", "Planning", "architect", "build",
    )  # fmt: skip
    assert (build.retries, build.checks, build.gate) == (2, ("make test",), "Begin?")
    assert [(s.subtask_id, s.mode) for s in build.subtasks] == [("code", ""), ("docs", "ask")]
    assert ship.parallel


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("phases: 3", 1, "list of phases"),
        ("phases: []", 1, "list of phases"),
        ("steps: []\nphases:\n- {id: a, subtasks: [{id: b, message: c}]}", 1, "nothing is known"),
        ("phases:\n- 1", 2, "must be an object"),
        ("phases:\n- id: a b\n  subtasks: [{id: b, message: c}]", 2, "a word of letters"),
        ("phases:\n- {id: a}", 2, "list of subtasks"),
        ("phases:\n- id: a\n  subtasks:\n  - id: x\n", 4, "it must be a text"),
        ("phases:\n- id: a\n  subtasks:\n  - {id: x, message: m}\n  - {id: x, message: m}", 5,
         "'x' is taken already"),
        ("phases:\n- id: a\n  retries: -1\n  subtasks: [{id: b, message: c}]", 3, "0 to 100"),
        ("phases:\n- id: a\n  retries: yes\n  subtasks: [{id: b, message: c}]", 3, "0 to 100"),
        ("phases:\n- id: a\n  checks: make\n  subtasks: [{id: b, message: c}]", 3, "commands"),
        ("phases:\n- id: a\n  parallel: 1\n  subtasks: [{id: b, message: c}]", 3, "true or false"),
        ("phases:\n- id: a\n  mdoe: code\n  subtasks: [{id: b, message: c}]", 3, "nothing is"),
        ("phases:\n- id: a\n  subtasks:\n  - {id: b, message: 'use {{a.c}}'}", 4, "'a.c'"),
        ("phases:\n- id: a\n  parallel: true\n  subtasks:\n  - {id: b, message: m}\n"
         "  - {id: c, message: 'use {{a.b}}'}", 6, "'a.b'"),
        ("phases: [", 1, "YAML is broken"),
    ],
)  # fmt: skip
def test_every_fault_is_told_with_its_line(tmp_path: Path, text: str, line: int, told: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as raised:
        read_workflow(path)
    assert told in str(raised.value)
    assert f"{path}:{line}" in str(raised.value) or "broken" in told


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="There is no workflow file"):
        read_workflow(tmp_path / "no.yaml")


def test_it_is_drawn_as_text_and_for_pages(tmp_path: Path) -> None:
    workflow = read_workflow(write(tmp_path, RELEASE))
    state = WorkflowState(phases=workflow.phases)
    assert as_text(workflow.name, state).splitlines()[:6] == [
        "Release",
        "○ Planning (architect)",
        "  ○ outline",
        "○ build (code)",
        "    asks: Begin?",
        "  ○ code",
    ]
    mermaid = as_mermaid(workflow)
    assert "p0s0 --> p1s0" in mermaid
    assert "p1s0 --> p1s1" in mermaid
    assert {"  p1s1 --> p2s0", "  p1s1 --> p2s1"} <= set(mermaid.splitlines())
    assert bar(state, width=4) == "[░░░░] 0/5 Planning"
