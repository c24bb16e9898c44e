"""The example: five phases that write a small interactive Python, on a recording."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "recreate_python_interpreter.py"


@pytest.mark.requirement("workflow:example:interpreter")
def test_it_defines_the_five_phases() -> None:
    spec = importlib.util.spec_from_file_location("example", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    phases = example.PythonInterpreterWorkflowRunner.phases
    assert [(phase.name, phase.mode) for phase in phases] == [
        ("Planning", "architect"),
        ("Core Implementation", "code"),
        ("Features", "code"),
        ("Testing", "code"),
        ("Documentation", "architect"),
    ]


@pytest.mark.requirement("workflow:example:interpreter")
def test_it_runs_offline_and_what_it_makes_works(tmp_path: Path) -> None:
    made = tmp_path / "made"
    environment = {**os.environ, "ROO_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), "--replay", "--workspace", str(made)],
        env=environment, capture_output=True, text=True, timeout=50, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "11/11 done" in done.stdout
    state = json.loads((made / "workflow.json").read_text(encoding="utf-8"))
    assert {phase["status"] for phase in state["phases"]} == {"completed"}
    tests = subprocess.run(
        [sys.executable, "-m", "unittest"], cwd=made, capture_output=True, text=True, check=False
    )
    assert "Ran 6 tests" in tests.stderr
    assert tests.returncode == 0
    said = subprocess.check_output(
        [sys.executable, "-m", "minipy"], cwd=made, input="x = 20\nx + 1\n", text=True
    )
    assert said == "21\n"
