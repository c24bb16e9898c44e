"""`roo list sessions`: the form of the original."""

import json
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from roo_code.cli.main import run_cli
from roo_code.events import RunCompleted
from tests.cli.stored_tasks import spec, store_tasks


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def workspace(tmp_path: Path, home: Path) -> Path:
    folder = tmp_path / "w"
    folder.mkdir()
    store_tasks(
        home,
        [
            ("one", spec("First\tline\nand more", str(folder)), [RunCompleted(result="ok")]),
            ("other", spec("Elsewhere", "/elsewhere"), []),
            ("two", spec(" \n ", str(folder)), []),
        ],
    )
    return folder


def test_sessions_are_listed_as_json_newest_first(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["list", "sessions", "-w", str(workspace)]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["workspace"] == str(workspace)
    assert all(session.pop("workspace") == str(workspace) for session in listed["sessions"])
    assert listed["sessions"] == snapshot(
        [
            {"id": "two", "task": "", "ts": 1767225602000, "mode": "code", "status": "active"},
            {
                "id": "one",
                "task": "First\tline",
                "ts": 1767225600000,
                "mode": "code",
                "status": "completed",
            },
        ]
    )


def test_sessions_are_listed_as_text(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["list", "sessions", "-w", str(workspace), "--format", "TEXT"]) == 0
    assert capsys.readouterr().out.splitlines() == snapshot(
        ["two\t2026-01-01T00:00:02.000Z\t(untitled)", "one\t2026-01-01T00:00:00.000Z\tFirst line"]
    )


def test_the_workspace_is_the_current_folder_unless_said(
    workspace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace)
    assert run_cli(["list", "sessions"]) == 0
    assert len(json.loads(capsys.readouterr().out)["sessions"]) == 2


def test_an_unknown_format_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["list", "sessions", "--format", "xml"]) == 1
    assert "'xml' is not one of 'json', 'text'" in capsys.readouterr().err


def test_a_workspace_without_sessions_has_an_empty_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["list", "sessions", "-w", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out) == {"workspace": str(tmp_path), "sessions": []}
