"""What each mode lets its task do."""

import unicodedata
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from roo_code.builtin_tools.registry import BUILTIN_TOOLS, get_tool_by_name
from roo_code.config.mode import Mode, ModeGroup
from roo_code.errors import FileRestrictionError, NotAllowed
from roo_code.messages import ToolUseContent
from roo_code.modes.access import check_call, spelled_on_disk
from roo_code.modes.builtin import BUILTIN_MODES
from roo_code.tools import AnyTool, Tool, ToolContext
from roo_code.workspace.workspace import Workspace
from tests.modes.calls import use

MODES = {mode.slug: mode for mode in BUILTIN_MODES}
ALWAYS = {
    *("ask_followup_question", "attempt_completion", "update_todo_list"),
    *("run_slash_command", "skill"),
}
READING = {
    *("read_file", "search_files", "list_files", "list_code_definition_names"),
    "fetch_instructions",
}
EDITING = {
    *("write_to_file", "apply_diff", "insert_content", "apply_patch", "edit", "search_replace"),
    *("edit_file", "generate_image"),
}
MCP = {"use_mcp_tool", "access_mcp_resource"}


class PathInput(BaseModel):
    path: str = "a.txt"


def own_tool(group: str, *, repeatable: bool = False, name: str = "mine") -> AnyTool:
    """A tool of the user's."""

    async def execute(self: AnyTool, arguments: PathInput, context: ToolContext) -> str:
        return "done"

    fields: dict[str, Any] = {
        "name": name,
        "description": "Mine.",
        "group": group,
        "input_type": PathInput,
        "repeatable": repeatable,
        "execute": execute,
        "__module__": "roo_user_tools.mine",
    }
    return type("Mine", (Tool,), fields)()


def mode(*groups: str | ModeGroup) -> Mode:
    named = tuple(ModeGroup(group) if isinstance(group, str) else group for group in groups)
    return Mode(slug="mine", name="Mine", role="You.", groups=named)


def is_allowed(mode: Mode, tool: AnyTool, folder: Path, **input: Any) -> bool:
    try:
        check_call(mode, tool, use("1", tool.name, **input), Workspace(folder))
    except NotAllowed:
        return False
    return True


def builtin(name: str) -> AnyTool:
    tool = get_tool_by_name(name)
    assert tool is not None
    return tool


@pytest.mark.requirement("modes:access:group-check", "modes:access:always-tools")
@pytest.mark.parametrize(
    ("slug", "allowed"),
    [
        ("orchestrator", ALWAYS),
        ("ask", ALWAYS | READING | MCP),
        ("architect", ALWAYS | READING | EDITING | MCP),
        ("code", {tool.name for tool in BUILTIN_TOOLS}),
        ("debug", {tool.name for tool in BUILTIN_TOOLS}),
    ],
)
def test_the_tools_of_each_mode(tmp_path: Path, slug: str, allowed: set[str]) -> None:
    """By their groups; which files they may change is another matter."""
    tools = {tool.name: builtin(tool.name) for tool in BUILTIN_TOOLS}
    # With no input a call names no file, and is refused where it matters.
    found = {name for name, tool in tools.items() if is_allowed(MODES[slug], tool, tmp_path)}
    assert found == allowed


@pytest.mark.requirement("modes:access:advanced-tools")
def test_advanced_tools_follow_what_they_do(tmp_path: Path) -> None:
    picture = builtin("generate_image")
    order = {"prompt": "A cat", "path": "cat.png"}
    assert not is_allowed(mode("read"), picture, tmp_path, **order)
    assert is_allowed(mode("edit"), picture, tmp_path, **order)
    search = own_tool("advanced", repeatable=True, name="codebase_search")
    assert is_allowed(mode("read"), search, tmp_path)
    assert not is_allowed(mode("edit"), search, tmp_path)
    assert is_allowed(mode(), builtin("run_slash_command"), tmp_path, command="x")
    for tool in (search, builtin("run_slash_command")):
        assert is_allowed(mode("advanced"), tool, tmp_path)
    assert is_allowed(mode("advanced", "edit"), picture, tmp_path, **order)


@pytest.mark.parametrize(
    ("group", "repeatable", "needs"),
    [
        ("read", True, ["read"]),
        ("edit", False, ["edit"]),
        ("command", False, ["command"]),
        ("mcp", False, ["mcp"]),
        ("advanced", True, ["read"]),
        ("advanced", False, ["edit", "command"]),
        ("modes", True, ["read"]),
        ("modes", False, ["edit", "command"]),
    ],
)
def test_a_tool_of_the_users_needs_what_it_says_it_does(
    tmp_path: Path, group: str, repeatable: bool, needs: list[str]
) -> None:
    tool = own_tool(group, repeatable=repeatable)
    assert is_allowed(mode(*needs), tool, tmp_path)
    others = {"read", "edit", "command", "browser", "mcp"} - {needs[0]}
    assert not is_allowed(mode(*others), tool, tmp_path)
    assert not is_allowed(mode(), tool, tmp_path)


def test_a_group_that_nobody_knows_is_allowed_nowhere(tmp_path: Path) -> None:
    assert not is_allowed(MODES["code"], own_tool("cook"), tmp_path)


@pytest.mark.parametrize("name", ["skill", "run_slash_command", "generate_image"])
def test_a_name_of_ours_gives_a_tool_of_the_users_no_rights(tmp_path: Path, name: str) -> None:
    assert not is_allowed(mode("read", "edit"), own_tool("advanced", name=name), tmp_path)


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


@pytest.mark.requirement("modes:access:file-check", "modes:builtin:architect-markdown")
@pytest.mark.parametrize(
    ("name", "input", "allowed"),
    [
        ("write_to_file", {"path": "docs/a.md", "content": "x"}, True),
        ("write_to_file", {"path": "a.py", "content": "x"}, False),
        ("write_to_file", {"file_path": "a.py", "content": "x"}, False),
        ("write_to_file", {"path": "a.md/../a.py", "content": "x"}, False),
        ("write_to_file", {"path": "./x/../a.md", "content": "x"}, True),
        ("write_to_file", {"path": "a.py\n.md", "content": "x"}, True),
        ("write_to_file", {"path": "a.md\n", "content": "x"}, False),
        ("write_to_file", {"path": "a.MD", "content": "x"}, False),
        ("write_to_file", {"path": "../a.md", "content": "x"}, False),
        ("insert_content", {"path": "a.py", "line": 1, "content": "x"}, False),
        ("edit", {"file_path": "a.py", "old_string": "a", "new_string": "b"}, False),
        ("edit", {"file_path": "a.md", "old_string": "a", "new_string": "b"}, True),
        ("search_replace", {"path": "a.py", "old_string": "a", "new_string": "b"}, False),
        ("edit_file", {"target_file": "a.py", "old_string": "a", "new_string": "b"}, False),
        ("apply_diff", {"path": "a.py", "diff": "x"}, False),
        ("apply_patch", {"patch": patch("*** Add File: a.md", "+x")}, True),
        ("apply_patch", {"patch": patch("*** Add File: a.md", "+", "*** Add File: b", "+")}, False),
        ("apply_patch", {"patch": patch("*** Delete File: a.py")}, False),
        (
            "apply_patch",
            {"patch": patch("*** Update File: a.md", "*** Move to: a.py", "-x", "+y")},
            False,
        ),
        ("apply_patch", {"patch": "nonsense"}, False),
        ("generate_image", {"prompt": "x", "path": "a.md"}, False),
        ("generate_image", {"prompt": "x", "path": "a.png"}, False),
        ("read_file", {"path": "a.py"}, True),
    ],
)  # fmt: skip
def test_the_architect_changes_markdown_only(
    tmp_path: Path, name: str, input: dict[str, Any], allowed: bool
) -> None:
    assert is_allowed(MODES["architect"], builtin(name), tmp_path, **input) is allowed


def test_what_a_browser_saves_is_an_edit(tmp_path: Path) -> None:
    browser = builtin("browser_action")
    look = {"action": "screenshot"}
    pictures = ModeGroup("edit", r"\.png$")
    assert is_allowed(mode("browser"), browser, tmp_path, **look)
    assert not is_allowed(mode("browser"), browser, tmp_path, **look, path="a.png")
    assert is_allowed(mode("browser", pictures), browser, tmp_path, **look, path="a.png")
    assert not is_allowed(mode("browser", pictures), browser, tmp_path, **look, path="a.jpg")


def test_the_ending_that_a_picture_may_get_is_judged(tmp_path: Path) -> None:
    order = {"prompt": "A cat", "path": "cat.png"}
    picture = builtin("generate_image")
    assert not is_allowed(mode(ModeGroup("edit", r"\.png$")), picture, tmp_path, **order)
    any_picture = ModeGroup("edit", r"\.(png|jpg|gif|webp)$")
    assert is_allowed(mode(any_picture), picture, tmp_path, **order)


@pytest.mark.parametrize("path", [".roomodes", ".RooModes", ".roo/modes/a.yaml", ".ROO/modes/b"])
def test_limits_cannot_be_lifted_from_within(tmp_path: Path, path: str) -> None:
    tool = builtin("write_to_file")
    most = mode(ModeGroup("edit", r"roo|Roo|ROO"))
    assert not is_allowed(most, tool, tmp_path, path=path, content="x")
    assert is_allowed(mode("edit"), tool, tmp_path, path=path, content="x")


def restriction(mode: Mode, folder: Path, path: str) -> str:
    call = ToolUseContent(id="1", name="write_to_file", input={"path": path, "content": "x"})
    with pytest.raises(FileRestrictionError) as raised:
        check_call(mode, builtin("write_to_file"), call, Workspace(folder))
    return str(raised.value)


@pytest.mark.requirement("modes:access:restriction-error")
def test_the_error_names_mode_pattern_file_and_way_out(tmp_path: Path) -> None:
    (tmp_path / "main.py").touch()
    (tmp_path / "link.md").symlink_to("main.py")
    said = restriction(MODES["architect"], tmp_path, "link.md")
    assert said.startswith(r"architect mode can only edit files matching \.md$ (Markdown files on")
    assert "'link.md' (which is 'main.py') does not" in said
    assert "switch_mode" in said
    assert "new_task" in said


def test_a_missing_group_is_an_error_of_another_kind(tmp_path: Path) -> None:
    call = use("1", "execute_command", command="ls")
    with pytest.raises(NotAllowed, match="needs the tool group command, and the mode has read, ed"):
        check_call(MODES["architect"], builtin("execute_command"), call, Workspace(tmp_path))


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_letters_count_however_they_are_put_together(
    tmp_path: Path, form: Literal["NFC", "NFD"]
) -> None:
    path = unicodedata.normalize(form, "é.md")
    for pattern in ("NFC", "NFD"):
        accented = mode(ModeGroup("edit", unicodedata.normalize(pattern, r"^é\.md$")))
        tool = builtin("write_to_file")
        assert is_allowed(accented, tool, tmp_path, path=path, content="x")
        assert not is_allowed(accented, tool, tmp_path, path="e.md", content="x")


def test_a_path_is_spelled_as_on_the_disk(tmp_path: Path) -> None:
    """On a file system that takes upper for lower case, which this one only pretends to be."""
    (tmp_path / "Secret").mkdir()
    (tmp_path / "Secret" / "main.py").touch()

    def exists(path: Path) -> bool:
        return path.name.casefold() in {entry.name.casefold() for entry in path.parent.iterdir()}

    def spelled(path: str) -> str:
        found = spelled_on_disk(tmp_path / path, lambda _: tmp_path, exists)
        return str(found.relative_to(tmp_path))

    assert spelled("SECRET/Main.PY") == "Secret/main.py"
    assert spelled("Secret/main.py") == "Secret/main.py"
    assert spelled("sEcret/New.py") == "Secret/New.py"
