"""A mode cannot be escaped, whatever the model tries."""

from pathlib import Path
from typing import Any

import pytest

from roo_code.builtin_tools.user_tools import everybody_trusts, load_user_tools
from roo_code.events import ContextCondensed, MessageAdded, ModeSwitched, SpecChanged, TaskSpec
from roo_code.history import History
from roo_code.messages import Message
from roo_code.modes.task import Task
from roo_code.tool_aliases import TOOL_ALIASES
from roo_code.tools import AnyTool, Tool, ToolContext, ToolGroup
from tests.modes.calls import agent, done, results, switch, try_calls, use, write
from tests.modes.test_access import PathInput, own_tool

COMMAND = {"command": "echo x > out.txt"}


class McpTool(Tool[PathInput]):
    """Stands for a tool of a server."""

    name = "mcp--files--write"
    description = "Writes."
    group: ToolGroup = "mcp"  # pyright: ignore[reportIncompatibleVariableOverride]
    input_type = PathInput

    async def execute(self, arguments: PathInput, context: ToolContext) -> str:
        (context.workspace.root / arguments.path).write_text("x")
        return "written"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "main.py").write_text("print(1)\n")
    return folder


def is_unchanged(folder: Path) -> bool:
    files = {path.name: path.read_text() for path in folder.rglob("*") if path.is_file()}
    return files.pop("main.py") == "print(1)\n" and "out.txt" not in files


def aliases(*tools: str) -> list[str]:
    return [alias for alias, tool in TOOL_ALIASES.items() if tool in tools]


async def test_by_another_name_for_a_tool(folder: Path) -> None:
    names = [
        *aliases("execute_command", "background_command", "read_command_output"),
        *("functions.execute_command", "ExecuteCommand", "execute-command", "roo:bash", "Bash"),
    ]
    calls = [use(str(n), name, **COMMAND, action="list") for n, name in enumerate(names)]
    assert await try_calls(folder, "architect", *calls) == [False] * len(calls)
    assert is_unchanged(folder)
    assert any(await try_calls(folder, "code", calls[0]))  # it is the mode that refuses them


async def test_by_another_name_for_an_edit(folder: Path) -> None:
    names = [
        *aliases("write_to_file", "insert_content", "edit", "search_replace", "edit_file"),
        *("functions.write_to_file", "WriteToFile", "write-to-file"),
    ]
    spellings = ("path", "file_path", "filename", "target_file", "file")
    text = {"content": "x", "line": 1, "old_string": "1", "new_string": "2"}
    calls = [
        use(f"{name}-{key}", name, **{key: "main.py"}, **text)
        for name in names
        for key in spellings
    ]
    for mode in ("architect", "ask", "orchestrator"):
        assert not any(await try_calls(folder, mode, *calls))
    assert is_unchanged(folder)
    assert any(await try_calls(folder, "code", *calls))  # it is the mode that refuses them


@pytest.mark.parametrize(
    "path",
    [
        *("link.md", "sub/link.md", "folder.md/main.py", "./main.py", "x.md/../main.py"),
        *("{root}/main.py", "{root}/link.md", "main.py ", "main.py\\", "main.py#.md/../main.py"),
        *("\uff4dain.py", "main.py\u200b", "MAIN.PY"),
    ],
)
async def test_by_another_name_for_a_file(folder: Path, path: str) -> None:
    (folder / "link.md").symlink_to("main.py")
    (folder / "sub").mkdir()
    (folder / "sub" / "link.md").symlink_to(folder / "main.py")
    (folder / "folder.md").symlink_to(".")
    call = write("1", path.format(root=folder))
    assert await try_calls(folder, "architect", call) == [False]
    assert is_unchanged(folder)


async def test_by_a_link_that_leads_nowhere_yet(folder: Path) -> None:
    (folder / "new.md").symlink_to("new.py")
    assert await try_calls(folder, "architect", write("1", "new.md")) == [False]
    assert not (folder / "new.py").exists()


async def test_by_a_tool_of_a_server(folder: Path) -> None:
    names = ("mcp--files--write", "use_mcp_tool", "call_mcp_tool", "access_mcp_resource")
    fields: dict[str, Any] = {
        "server_name": "files",
        "tool_name": "write",
        "arguments": {},
        "uri": "x",
    }
    calls = [use(name, name, path="main.py", **fields) for name in names]
    for mode in ("orchestrator", "docs"):
        (folder / ".roo" / "modes").mkdir(parents=True, exist_ok=True)
        (folder / ".roo" / "modes" / "docs.yaml").write_text("groups: [read, edit]\n")
        tried = await try_calls(folder, mode, *calls, tools=[McpTool()])
        assert tried == [False] * len(calls)
    assert is_unchanged(folder)


@pytest.mark.parametrize("group", ["edit", "command", "mcp", "advanced", "modes", "browser"])
@pytest.mark.parametrize("name", ["mine", "skill", "attempt_completion", "read_file"])
async def test_by_a_tool_of_the_users(folder: Path, group: str, name: str) -> None:
    tool = own_tool(group, name=name)
    call = use("1", name, path="main.py")
    assert await try_calls(folder, "orchestrator", call, tools=[tool]) == [False]


async def test_by_a_tool_that_stands_in_for_one_of_ours(folder: Path) -> None:
    """It has the rights of the group that it names, not of the tool that it replaces."""
    (folder / "tools").mkdir()
    (folder / "tools" / "mine.py").write_text(
        "from pydantic import BaseModel\n"
        "from roo_code import Tool\n"
        "class Input(BaseModel):\n    path: str = ''\n"
        "class Read(Tool[Input]):\n"
        "    name, description, group = 'read_file', 'x', 'command'\n"
        "    input_type = Input\n"
        "    async def execute(self, arguments, context):\n        return 'ran'\n"
    )
    told: list[str] = []
    tools: list[AnyTool] = load_user_tools(folder / "tools", everybody_trusts, told.append)
    assert told == []
    call = use("1", "read_file", path="main.py")
    assert await try_calls(folder, "ask", call, tools=tools) == [False]
    assert await try_calls(folder, "code", call, tools=tools) == [True]


async def test_by_a_slash_command_of_another_mode(folder: Path) -> None:
    (folder / ".roo" / "commands").mkdir(parents=True)
    (folder / ".roo" / "commands" / "build.md").write_text("---\nmode: code\n---\nBuild it.\n")
    calls = [use("1", "run_slash_command", command="build"), write("2", "main.py")]
    made = agent(folder, "architect", *([call] for call in calls), "Done.")
    await made.run("Go.")
    assert results(made)["2"].is_error
    assert made.task.mode_slug == "architect"
    assert is_unchanged(folder)


@pytest.mark.parametrize("calls", [["switch", "write"], ["write", "switch"]])
async def test_by_switching_in_the_same_reply(folder: Path, calls: list[str]) -> None:
    """What the model asked for in one mode is not allowed by the next."""
    made_of = {"switch": switch("switch", "code"), "write": write("write", "main.py")}
    made = agent(folder, "architect", [made_of[name] for name in calls], "Done.")
    await made.run("Go.")
    assert results(made)["write"].is_error
    assert made.task.mode_slug == "code"
    assert is_unchanged(folder)


async def test_a_switch_to_less_counts_at_once(folder: Path) -> None:
    made = agent(folder, "code", [switch("1", "ask"), write("2", "main.py")], "Done.")
    await made.run("Go.")
    assert "not allowed in ask mode" in results(made)["2"].content
    assert is_unchanged(folder)


async def test_by_a_subtask_that_comes_back(folder: Path) -> None:
    """A subtask has a mode of its own; the task that waited for it stays in its."""
    made = agent(
        folder,
        "orchestrator",
        [use("1", "new_task", mode="architect", message="Plan.")],
        [write("2", "main.py"), write("3", "plan.md")],
        [switch("4", "code")],
        [done("5", "Planned.")],
        [write("6", "main.py"), write("7", "plan.md")],
        [done("8")],
    )
    await made.run("Go.")
    (child_id,) = made.task.child_task_ids
    child = made.orchestrator.tasks[child_id]
    assert child.mode_slug == "code"
    assert made.task.mode_slug == "orchestrator"
    assert [results(made)[id].is_error for id in ("6", "7")] == [True, True]
    assert is_unchanged(folder)


async def test_by_having_the_history_condensed(folder: Path) -> None:
    made = agent(folder, "code", [switch("1", "ask")], "Now I am.", [write("2", "main.py")], "Oh.")
    await made.run("Go.")
    condensed = ContextCondensed(
        summary="You are in code mode.", kept=0, tokens_before=9, tokens_after=1
    )
    made.history.apply(condensed)
    await made.run("Go on.")
    assert results(made)["2"].is_error
    assert is_unchanged(folder)


async def test_by_a_restart_or_other_settings(folder: Path) -> None:
    spec = TaskSpec(prompt="Go.", workspace=str(folder), mode="code")
    history = History([MessageAdded(message=Message.from_user("Go."))])
    history.apply(SpecChanged(spec=spec))
    history.apply(ModeSwitched(mode="ask", previous="code"))
    history.apply(SpecChanged(spec=spec.replace(consecutive_mistake_limit=3)))
    task = Task(history.mode, history=history)
    made = agent(folder, "code", [write("1", "main.py")], "Oh.", task=task)
    await made.run("Go on.")
    assert results(made)["1"].is_error
    assert is_unchanged(folder)


async def test_by_writing_a_mode_with_more_rights(folder: Path) -> None:
    roo = folder / ".roo" / "modes"
    roo.mkdir(parents=True)
    (roo / "notes.yaml").write_text(
        "groups: [read, edit]\nfile_restrictions: {allow_patterns: ['ya?ml$', modes]}\n"
    )
    calls = [write("1", ".roo/modes/notes.yaml"), write("2", ".roomodes"), write("3", "a.yml")]
    assert await try_calls(folder, "notes", *calls) == [False, False, True]
