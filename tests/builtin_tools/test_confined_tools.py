"""Users' tools in the sandbox: nothing of their code comes into this process."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from roo_code.builtin_tools.registry import create_registry
from roo_code.builtin_tools.user_tools import UserTools, everybody_trusts, load_user_tools
from roo_code.messages import ToolResult, ToolUseContent
from roo_code.tools import AnyTool, ToolContext
from roo_code.workspace.running import running
from roo_code.workspace.workspace import Workspace
from tests.builtin_tools.calls import eventually
from tests.builtin_tools.test_user_tools import GREET
from tests.sandbox.box import works_here

REQUIRED: dict[str, Any] = {"sandbox": "required"}
pytestmark = pytest.mark.skipif(not works_here(), reason="no sandbox works here")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    return tmp_path / "workspace"


def write(workspace: Path, code: str) -> Path:
    folder = workspace.parent / "tools"
    folder.mkdir(exist_ok=True)
    (folder / "greet.py").write_text(code)
    return folder


def load(workspace: Path, code: str) -> tuple[list[AnyTool], list[str]]:
    told: list[str] = []
    folder = write(workspace, code)
    tools = load_user_tools(
        folder, everybody_trusts, told.append, settings=REQUIRED, workspace=workspace
    )
    return tools, told


async def call(workspace: Path, code: str, **input: str) -> ToolResult:
    tools, told = load(workspace, code)
    assert told == []
    context = ToolContext(workspace=Workspace(workspace), settings=REQUIRED)
    try:
        use = ToolUseContent(id="1", name="greet", input={**input})
        return await create_registry(*tools).execute(use, context)
    finally:
        await context.resources.aclose()


def answering(expression: str) -> str:
    return GREET.replace('return f"Hello, {arguments.who}!"', expression)


async def test_a_tool_is_described_and_called_as_if_it_were_here(workspace: Path) -> None:
    tools, _ = load(workspace, GREET)
    (definition,) = [d for d in create_registry(*tools).definitions() if d.name == "greet"]
    assert definition.description == "Greets."
    assert definition.input_schema["required"] == ["who"]
    assert (await call(workspace, GREET, who="Ada")).content == "Hello, Ada!"
    bad = await call(workspace, GREET)
    assert bad.is_error
    assert "- who: Field required" in bad.content
    assert not [name for name in sys.modules if name.startswith("roo_user_tools.greet")]


async def test_it_gets_the_variables_that_commands_get(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "named")
    monkeypatch.setenv("OTHER_TOKEN", "not named")
    monkeypatch.setitem(REQUIRED, "commandEnvironment", ["MY_TOKEN"])
    code = answering("import os; return f\"{os.getenv('MY_TOKEN')} {os.getenv('OTHER_TOKEN')}\"")
    assert (await call(workspace, code, who="Ada")).content == "named None"


async def test_what_it_prints_does_not_spoil_the_answer(workspace: Path) -> None:
    code = answering("print('noise', flush=True); return 'said'")
    assert (await call(workspace, code, who="Ada")).content == "said"


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("raise ValueError('odd')", "ValueError: odd"),
        ("import os; os._exit(3)", "it ended without an answer"),
        ("import roo_code.errors as e; raise e.ToolError('not today')", "not today"),
        ("return 'x' * (40 << 20)", "Result cut"),
    ],
)
async def test_whatever_becomes_of_it_there_is_a_result(
    workspace: Path, expression: str, told: str
) -> None:
    assert told in (await call(workspace, answering(expression), who="Ada")).content


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def f(:\n", "SyntaxError"),
        ("\n1 / 0\n", "ZeroDivisionError: division by zero (line 2)"),
        ("import os\nos._exit(0)\n", "it ended without an answer"),
        ("x = 1\n", "no class in it"),
    ],
)
def test_a_file_that_is_broken_is_told_and_left_out(workspace: Path, code: str, told: str) -> None:
    tools, notices = load(workspace, code)
    assert tools == []
    assert told in notices[0]


async def test_a_cancelled_call_leaves_no_process(workspace: Path) -> None:
    code = answering("import asyncio; await asyncio.sleep(1000); return ''")

    def started() -> bool:
        kinds = [child.kind for child in running() if child.owner == os.getpid()]
        return "user tool" in kinds

    calling = asyncio.create_task(call(workspace, code, who="Ada"))
    await eventually(started)
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    await eventually(lambda: not started())


def test_where_a_sandbox_is_required_and_missing_they_are_left_out(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(workspace))
    tools, told = load(workspace, GREET)
    assert tools == []
    assert "are left out. Commands are refused, for there is no sandbox" in told[0]


def test_with_and_without_the_sandbox_they_are_others(workspace: Path) -> None:
    write(workspace, GREET)
    tools = UserTools(workspace.parent, lambda text: None, places=[])
    confined, bare = tools.of(workspace, REQUIRED), tools.of(workspace, {})
    assert [type(tool).__name__ for tool in (*confined, *bare)] == ["ConfinedUserTool", "Greet"]
    assert tools.of(workspace, REQUIRED) is confined
