"""`roo list`: the form of the original."""

import json
import os
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from roo_code.cli.main import run_cli
from roo_code.events import RunCompleted
from tests.cli.stored_tasks import spec, store_tasks
from tests.providers.oracles.serving import json_reply, serving


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


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    folder = tmp_path / "project"
    for path, text in {
        home / "commands" / "tidy.md": "Tidy up.",
        folder / ".roo" / "commands" / "review.md": REVIEW,
        home / "settings" / "custom_modes.yaml": "customModes: }",
        folder / ".roomodes": ROOMODES,
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


REVIEW = '---\ndescription: "Look\\nat \\e[2Jit"\nargument-hint: <file>\nmode: ask\n---\nReview.'
ROOMODES = """\
customModes:
  - {slug: ask, name: "Ask\\tus", roleDefinition: You., groups: [], whenToUse: Often}
  - {slug: docs, name: Docs, roleDefinition: You., groups: [], description: Texts}
"""


def test_commands_are_listed_as_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["list", "commands", "-w", str(project)]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [Path(command.pop("filePath")).name for command in listed["commands"]] == [
        "review.md",
        "tidy.md",
    ]
    assert listed == snapshot(
        {
            "commands": [
                {
                    "name": "review",
                    "source": "project",
                    "description": "Look\nat \x1b[2Jit",
                    "argumentHint": "<file>",
                    "mode": "ask",
                },
                {"name": "tidy", "source": "global"},
            ]
        }
    )


def test_commands_are_listed_as_text_a_line_each(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["list", "commands", "-w", str(project), "--format", "text"]) == 0
    assert capsys.readouterr().out == snapshot(
        "/review (project) - Look at [2Jit\n/tidy (global)\n"
    )


def test_an_unreadable_command_is_told_beside_the_list(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".roo" / "commands" / "bad.md").write_bytes(b"\xff")
    assert run_cli(["list", "commands", "-w", str(project), "--format", "text"]) == 0
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 2
    assert "bad.md:1: it is not UTF-8 text" in shown.err


def test_modes_are_listed_as_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["list", "modes", "-w", str(project)]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out) == snapshot(
        {
            "modes": [
                {"slug": "code", "name": "💻 Code", "source": "built-in"},
                {"slug": "architect", "name": "🏗️ Architect", "source": "built-in"},
                {"slug": "ask", "name": "Ask\tus", "source": "project", "whenToUse": "Often"},
                {"slug": "debug", "name": "🪲 Debug", "source": "built-in"},
                {"slug": "orchestrator", "name": "🪃 Orchestrator", "source": "built-in"},
                {"slug": "docs", "name": "Docs", "source": "project", "description": "Texts"},
            ]
        }
    )
    assert "settings/custom_modes.yaml:1: the YAML is broken" in shown.err


def test_modes_are_listed_as_text(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["list", "modes", "-w", str(project), "--format", "text"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.count("\t") for line in lines] == [1] * 6
    assert (lines[0], lines[2], lines[5]) == ("code\t💻 Code", "ask\tAsk us", "docs\tDocs")


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    return monkeypatch


@pytest.mark.usefixtures("no_keys")
def test_models_are_listed_as_json_without_a_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["list", "models", "-w", str(tmp_path), "--provider"]
    assert run_cli([*arguments, "anthropic"]) == 0
    shown = capsys.readouterr()
    assert "Note: There is no API key for anthropic" in shown.err
    models = json.loads(shown.out)["models"]
    assert all(id == model["id"] for id, model in models.items())
    assert models["claude-3-5-haiku-20241022"] == snapshot(
        {
            "id": "claude-3-5-haiku-20241022",
            "contextWindow": 200000,
            "maxTokens": 8192,
            "inputPrice": 0.8,
            "outputPrice": 4,
            "cacheReadsPrice": 0.08,
            "cacheWritesPrice": 1,
            "supportsImages": False,
            "supportsPromptCache": True,
        }
    )
    assert run_cli([*arguments, "together"]) == 0  # of whose models nothing is known
    models = json.loads(capsys.readouterr().out)["models"]
    assert list(models.values()) == [{"id": "Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8"}]


@pytest.mark.usefixtures("no_keys")
def test_models_are_listed_as_text_by_the_ids_their_service_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for provider, ids in {
        "deepseek": ["deepseek-chat", "deepseek-reasoner"],
        "openrouter": ["anthropic/claude-sonnet-4.5"],
        "ollama": ["devstral:24b"],
    }.items():
        arguments = ["-w", str(tmp_path), "--provider", provider, "--format", "text", "--offline"]
        assert run_cli(["list", "models", *arguments]) == 0
        assert capsys.readouterr().out.splitlines() == ids
    arguments = ["--provider", "fireworks", "--format", "text", "--offline"]
    assert run_cli(["list", "models", *arguments]) == 0
    ids = capsys.readouterr().out.splitlines()
    assert ids == sorted(ids)
    assert all(id.startswith("accounts/fireworks/models/") for id in ids)


def test_models_are_those_of_the_service_in_use(
    tmp_path: Path, home: Path, no_keys: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["list", "models", "-w", str(tmp_path), "--format", "text", "--offline"]
    assert run_cli(arguments) == 1
    assert "not said which model service" in capsys.readouterr().err
    no_keys.setenv("XAI_API_KEY", "xai-not-a-key")
    assert run_cli(arguments) == 0
    assert "grok-code-fast-1" in capsys.readouterr().out
    (home / "settings").mkdir(parents=True)
    (home / "settings" / "settings.json").write_text('{"apiProvider": "mistral"}')
    assert run_cli(arguments) == 0
    assert "codestral-latest" in capsys.readouterr().out


@pytest.mark.usefixtures("no_keys")
def test_models_are_those_the_service_lists_or_last_listed(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["list", "models", "-w", str(tmp_path), "--format", "text"]
    listed = [{"id": id, "context_length": 1000} for id in ("mine", "other")]
    with serving(json_reply({"data": listed})) as server:
        (home / "settings").mkdir(parents=True)
        stored = {"apiProvider": "openai", "openAiBaseUrl": f"{server.url}/v1"}
        (home / "settings" / "settings.json").write_text(json.dumps(stored))
        for flags, requests in (([], 1), ([], 1), (["--refresh"], 2), (["--offline"], 2)):
            assert run_cli([*arguments, *flags]) == 0
            assert capsys.readouterr().out.splitlines() == ["mine", "other"]
            assert len(server.requests) == requests
    assert run_cli([*arguments, "--refresh"]) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines() == ["mine", "other"]
    assert "Could not connect" in shown.err
    assert "This is what openai told 0 min ago." in shown.err
    assert run_cli([*arguments, "--refresh", "--offline"]) == 1
    assert "choose one" in capsys.readouterr().err


def test_an_unknown_service_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["list", "models", "--provider", "antropic"]) == 1
    error = capsys.readouterr().err
    assert "There is no provider 'antropic'." in error
    assert "Did you mean 'anthropic'?" in error


@pytest.mark.parametrize("kind", ["commands", "modes", "models"])
def test_a_workspace_must_be_a_folder(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["list", kind, "-w", str(tmp_path / "gone")]) == 1
    assert "is not a folder" in capsys.readouterr().err
