"""`roo demo`: a whole task with nothing but a recording."""

import json
import os
import re
import subprocess
import sys
import time
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

from roo_code.cli import demo
from roo_code.cli.main import run_cli
from roo_code.messages import Message
from roo_code.providers.base import ModelRequest
from roo_code.providers.recording import read_recording
from roo_code.providers.replay import ReplayProvider
from roo_code.stream import ApiStream

ROOT = Path(__file__).resolve().parents[2]


def bare_environment(tmp_path: Path) -> dict[str, str]:
    """A machine with no Python on its path, no key, no home and no colours."""
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL") if name in os.environ}
    (tmp_path / "tmp").mkdir()
    return kept | {
        "PATH": "/nowhere",
        "HOME": "/nonexistent",
        "ROO_HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path / "tmp"),
        "NO_COLOR": "1",
    }


@pytest.mark.requirement("agent:engine:no-editor")
def test_the_demo_mends_its_project_and_leaves_nothing_behind(tmp_path: Path) -> None:
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "roo_code", "demo"],
        env=bare_environment(tmp_path),
        cwd=ROOT,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=50,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert time.monotonic() - began < 20
    assert done.stdout.count("• read_file") == 4
    assert done.stdout.index("✗ exit code 1") < done.stdout.index("• write_to_file money.py")
    assert done.stdout.index("• write_to_file stall.py") < done.stdout.index("✓ exit code 0")
    assert "Tests before: FAILED (failures=4)\nTests now:    OK\n" in done.stdout
    assert "export ANTHROPIC_API_KEY" in done.stdout
    assert "\x1b" not in done.stdout
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not (tmp_path / "home").exists()


def test_the_scratch_folder_is_kept_on_request(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = dict(os.environ)
    assert run_cli(["demo", "--keep"]) == 0
    kept = Path(re.findall(r"^Kept: (.*)$", capsys.readouterr().out, re.MULTILINE)[0])
    assert demo.run_tests(kept / "project").passed
    assert (kept / "state" / "tasks.sqlite3").exists()
    assert not list(kept.rglob("__pycache__"))
    assert dict(os.environ) == before


def test_the_demo_fails_if_the_tests_still_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    recorded = demo.RECORDING.read_text(encoding="utf-8")
    spoilt = tmp_path / "spoilt.jsonl"
    spoilt.write_text(recorded.replace("{rest:02}", "{rest}"), encoding="utf-8")
    monkeypatch.setattr(demo, "RECORDING", spoilt)
    assert run_cli(["demo"]) == 1
    shown = capsys.readouterr()
    assert "Tests now:    FAILED" in shown.out
    assert "export" not in shown.out
    assert "AssertionError" in shown.err


def test_nothing_but_the_test_command_is_approved(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    recorded = demo.RECORDING.read_text(encoding="utf-8")
    other = tmp_path / "other.jsonl"
    other.write_text(
        recorded.replace("python3 -m unittest", "python3 -m http.server"), encoding="utf-8"
    )
    monkeypatch.setattr(demo, "RECORDING", other)
    assert run_cli(["demo"]) == 0, "the edits are right all the same"
    assert capsys.readouterr().out.count("refused: ") == 2


def test_a_damaged_recording_is_told_plainly(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes(demo.RECORDING.read_bytes().replace(b'"reply"', b'"repli"', 1))
    monkeypatch.setattr(demo, "RECORDING", damaged)
    assert run_cli(["demo"]) == 1
    assert "is damaged in line 3" in capsys.readouterr().err


async def test_the_recording_says_what_the_scenario_says(record_demo: ModuleType) -> None:
    recording = read_recording(demo.RECORDING)
    provider = ReplayProvider(recording, speed=0)
    said: list[Message] = []
    for _, request in recording.requests():
        asked = ModelRequest(system_prompt="", messages=request.messages)
        said.append(await ApiStream(provider.stream(asked)).get_final_message())
    lines = [record_demo.with_ids(line, n) for n, line in enumerate(record_demo.scenario())]
    assert [message.content for message in said] == [line.content for line in lines], (
        "run scripts/record-demo"
    )


def test_the_recording_holds_the_project_as_it_is_shipped() -> None:
    results = [json.dumps(r.content) for r in read_recording(demo.RECORDING).results.values()]
    for path in demo.PROJECT.glob("*.*"):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert any(json.dumps(line)[1:-1] in result for result in results), (
                f"{path.name}: run scripts/record-demo"
            )


@pytest.fixture
def record_demo() -> ModuleType:
    loader = SourceFileLoader("record_demo", str(ROOT / "scripts" / "record-demo"))
    module = ModuleType(loader.name)
    loader.exec_module(module)
    return module
