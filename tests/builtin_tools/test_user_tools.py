"""Tools that users add: what is loaded, from where, and who must have said so."""

import sys
from pathlib import Path

import pytest

from roo_code.builtin_tools.registry import create_registry
from roo_code.builtin_tools.user_tools import (
    UserTools,
    everybody_trusts,
    load_user_tools,
    nobody_trusts,
)
from roo_code.messages import ToolUseContent
from roo_code.tools import AnyTool
from roo_code.workspace.files import digest

GREET = """
from __future__ import annotations

from pydantic import BaseModel

from roo_code import Tool, ToolContext


class GreetInput(BaseModel):
    who: Name


class Greet(Tool[GreetInput]):
    name = "greet"
    description = "Greets."
    group = "read"
    input_type = GreetInput

    async def execute(self, arguments: GreetInput, context: ToolContext) -> str:
        return f"Hello, {arguments.who}!"


Name = str
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools").mkdir()
    return tmp_path / "tools"


def load(folder: Path) -> tuple[list[AnyTool], list[str]]:
    told: list[str] = []
    return load_user_tools(folder, everybody_trusts, told.append), told


def names(tools: list[AnyTool]) -> list[str]:
    return [tool.name for tool in tools]


async def test_a_tool_of_a_file_is_offered_and_called_like_any_other(folder: Path) -> None:
    (folder / "greet.py").write_text(GREET)
    tools, told = load(folder)
    assert told == []
    registry = create_registry(*tools)
    assert "greet" in [definition.name for definition in registry.definitions()]
    call = ToolUseContent(id="1", name="Greet", input={"who": "Ada"})
    assert (await registry.execute(call)).content == "Hello, Ada!"
    bad = await registry.execute(ToolUseContent(id="2", name="greet", input={}))
    assert bad.is_error
    assert "who" in bad.content


def test_a_folder_that_is_missing_has_none_and_loads_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "roo_code.builtin_tools.user_tool_files", None)
    assert load(tmp_path / "none") == ([], [])
    assert UserTools(tmp_path, lambda _: None, places=[]).of(tmp_path) == []


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def f(:\n", "SyntaxError"),
        ("\n1 / 0\n", "ZeroDivisionError: division by zero (line 2)"),
        ("import sys\nsys.exit(3)\n", "SystemExit"),
        ("import no_such_module_here\n", "ModuleNotFoundError"),
        ("x = 1\n", "no class in it that derives from roo_code.Tool"),
        ("from roo_code import Tool\n", "no class in it"),
        (GREET.replace('    description = "Greets."\n', ""), "does not say its description"),
        (GREET.replace('"greet"', '"greet me"'), "is no name for a tool"),
        (GREET.replace("input_type = GreetInput", "input_type = dict"), "a pydantic model"),
        (GREET.replace("Name = str\n", ""), "Greet cannot be used"),
        (GREET.replace("async def execute", "async def carry_out"), "no class in it"),
        ("\0", "left out"),
        ("#" * (1 << 20) + "\n", "larger than a megabyte"),
    ],
)
def test_a_file_that_is_broken_is_told_and_left_out(folder: Path, code: str, told: str) -> None:
    (folder / "a.py").write_text(code)
    (folder / "greet.py").write_text(GREET)
    tools, notices = load(folder)
    assert names(tools) == ["greet"]
    (notice,) = notices
    assert told in notice
    assert str(folder / "a.py") in notice


def test_a_file_that_failed_leaves_no_module_behind(folder: Path) -> None:
    (folder / "half.py").write_text(f"{GREET}\n1 / 0\n")
    assert names(load(folder)[0]) == []
    assert [name for name in sys.modules if name.startswith("roo_user_tools.half_")] == []


def test_files_that_begin_with_an_underscore_and_others_are_not_loaded(folder: Path) -> None:
    (folder / "_shared.py").write_text("1 / 0\n")
    (folder / "README.md").write_text("# Tools\n")
    assert load(folder) == ([], [])


def test_a_file_is_judged_by_path_and_content_before_any_of_it_runs(folder: Path) -> None:
    code = f"open({str(folder / 'ran')!r}, 'w').close()\n{GREET}"
    (folder / "greet.py").write_text(code)
    judged: list[tuple[Path, str]] = []

    def refuse(path: Path, found: str) -> bool:
        judged.append((path, found))
        return False

    told: list[str] = []
    assert load_user_tools(folder, refuse, told.append) == []
    assert judged == [(folder / "greet.py", digest(code.encode()))]
    assert "greet.py" in told[0]
    assert "not trusted" in told[0]
    assert not (folder / "ran").exists()


def test_what_runs_is_what_was_judged(folder: Path) -> None:
    file = folder / "greet.py"
    file.write_text(GREET)

    def swap(path: Path, found: str) -> bool:
        path.write_text("1 / 0\n", encoding="utf-8")
        return found == digest(GREET.encode())

    told: list[str] = []
    assert names(load_user_tools(folder, swap, told.append)) == ["greet"]
    assert told == []


def greeting(folder: Path, description: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "greet.py").write_text(GREET.replace("Greets.", description))


def test_the_users_own_are_loaded_and_a_projects_only_if_trusted(tmp_path: Path) -> None:
    workspace, home = tmp_path / "w", tmp_path / "home"
    greeting(home / "tools", "The user's.")
    greeting(workspace / ".roo" / "tools", "The project's.")
    told: list[str] = []
    wary = UserTools(home, told.append, places=[])
    assert [tool.description for tool in wary.of(workspace)] == ["The user's."]
    assert wary.of(workspace) is wary.of(workspace)
    assert len(told) == 1  # once, however many tasks there are
    trusting = UserTools(home, told.append, is_trusted=everybody_trusts, places=[])
    assert [tool.description for tool in trusting.of(workspace)] == ["The project's."]
    assert not nobody_trusts(workspace, "")


def install(site: Path, entry: str, code: str) -> None:
    package = site / "greeting-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(f"[roo_code.tools]\n{entry}\n")
    (site / "greeting_tools.py").write_text(code)


@pytest.mark.parametrize("entry", ["greet = greeting_tools:Greet", "all = greeting_tools"])
def test_an_installed_package_brings_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    install(tmp_path / "site", entry, GREET)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), *sys.path])
    monkeypatch.delitem(sys.modules, "greeting_tools", raising=False)
    told: list[str] = []
    tools = UserTools(tmp_path, told.append, places=[str(tmp_path / "site"), "/none"])
    assert names(tools.of(tmp_path)) == ["greet"]
    assert told == []
    monkeypatch.delitem(sys.modules, "greeting_tools")


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("greet = greeting_tools:GREETING", "neither a Tool class nor a module"),
        ("greet = greeting_tools:Missing", "AttributeError"),
        ("greet = no_greeting_tools", "ModuleNotFoundError"),
    ],
)
def test_an_entry_point_that_is_broken_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str, told: str
) -> None:
    install(tmp_path / "site", entry, "GREETING = 'Hello'\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), *sys.path])
    monkeypatch.delitem(sys.modules, "greeting_tools", raising=False)
    notices: list[str] = []
    places = [str(tmp_path / "site")]
    assert UserTools(tmp_path, notices.append, places=places).of(tmp_path) == []
    assert told in notices[0]
    assert "greeting" in notices[0]
    monkeypatch.delitem(sys.modules, "greeting_tools", raising=False)
