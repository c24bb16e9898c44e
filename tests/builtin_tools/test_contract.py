"""What holds for every built-in tool, whoever wrote it."""

import asyncio
import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from roo_code.builtin_tools.registry import BUILTIN_TOOLS, get_tool_by_name
from roo_code.json_text import from_json
from roo_code.messages import ToolResult
from roo_code.tools import MAX_RESULT_CHARACTERS, AnyTool, Deferred, define
from roo_code.workspace.reaper import Reaper
from roo_code.workspace.workspace import Workspace
from tests.builtin_tools.calls import Caller, FolderOfArtifacts, eventually
from tests.builtin_tools.contract import CODE, ROWS, SECRET, Input, Row, contents, furnished, tree
from tests.builtin_tools.web import needs_browser

NAMES = [tool.name for tool in BUILTIN_TOOLS]
KEYWORDS = {
    *("type", "properties", "required", "additionalProperties", "description", "default"),
    *("items", "enum", "anyOf", "minimum", "maximum", "exclusiveMinimum", "minLength"),
    *("maxLength", "minItems", "maxItems", "pattern", "prefixItems", "const"),
}
TYPES = {"object", "array", "string", "number", "integer", "boolean", "null"}
ROOM = 2_000
"""For the words around what was cut."""


def loaded(name: str) -> AnyTool:
    tool = get_tool_by_name(name)
    assert tool is not None
    return tool


def cases(*names: str) -> pytest.MarkDecorator:
    """Tools by name; those that need a browser are skipped where there is none."""
    marked = [
        pytest.param(name, marks=needs_browser if ROWS[name].needs_browser else ())
        for name in names
        if name in ROWS
    ]
    return pytest.mark.parametrize("name", marked)


def where(holds: Callable[[Row], bool]) -> pytest.MarkDecorator:
    return cases(*(name for name in NAMES if name in ROWS and holds(ROWS[name])))


every_tool = cases(*NAMES)


@pytest.fixture(autouse=True)
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "outside"))
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "roo-home"))
    for name in ("OPENAI_API_KEY", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder with the names that calls use, and a secret in each file."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("one.py", "secret.txt", "shot.png", "cat.png"):  # an edit would find its text
        (outside / name).write_text(f"{CODE}def two(): return 2  # {SECRET}\n")
    return outside


async def call(caller: Caller, name: str, input: Input) -> ToolResult | None:
    """The result; None if it comes later."""
    try:
        return await caller.call(name, **input)
    except Deferred:
        return None


def schemas(node: Any) -> Iterator[dict[str, Any]]:
    """A schema and all that are in it."""
    yield node
    for child in node.get("properties", {}).values():
        yield from schemas(child)
    for key in ("items", "anyOf", "prefixItems"):
        inner = node.get(key, [])
        below: list[Any] = [inner] if isinstance(inner, dict) else inner
        for child in below:
            yield from schemas(child)


def test_every_tool_has_a_row() -> None:
    assert {*NAMES} == {*ROWS}
    assert len({*NAMES}) == len(NAMES)


class TestWhatModelsAreTold:
    @every_tool
    def test_the_schema_is_plain(self, name: str) -> None:
        shown = define(loaded(name))
        assert re.fullmatch(r"[a-z][a-z0-9_]{0,63}", shown.name)
        assert shown.name == name
        assert 0 < len(shown.description) <= 1024
        schema = shown.input_schema
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        for node in schemas(schema):
            assert {*node} <= KEYWORDS  # in particular no titles and no references
            assert node.get("type", "object") in TYPES
            assert {*node.get("required", [])} <= {*node.get("properties", {})}
            for field in node.get("properties", {}).values():
                assert field["description"].strip()

    def test_the_stored_definitions_are_those_of_the_tools(self) -> None:
        file = Path(__file__).parents[2] / "roo_code/builtin_tools/definitions.json"
        assert from_json(file.read_bytes()) == [define(loaded(name)).to_dict() for name in NAMES]


class TestInput:
    @every_tool
    async def test_a_minimal_call_succeeds(self, caller: Caller, name: str) -> None:
        async with furnished(caller, name) as input:
            assert {*input} <= {*loaded(name).input_schema()["properties"]}
            before = contents(caller.folder)
            result = await call(caller, name, input)
        assert (result is None) == ROWS[name].waits
        assert result is None or not result.is_error, result.content
        assert (contents(caller.folder) != before) == ROWS[name].changes

    @every_tool
    async def test_a_missing_field_is_named(self, caller: Caller, name: str) -> None:
        async with furnished(caller, name) as input:
            for field in loaded(name).input_schema().get("required", []):
                left = {key: value for key, value in input.items() if key != field}
                result = await call(caller, name, left)
                assert result is not None
                assert result.is_error
                assert re.search(rf"\b{field}\b", result.content)

    @every_tool
    async def test_a_field_of_the_wrong_type_is_named(self, caller: Caller, name: str) -> None:
        """Some are put up with, as a number for a text; none is an exception or goes unsaid."""
        async with furnished(caller, name) as input:
            for field, schema in loaded(name).input_schema()["properties"].items():
                before = tree(caller.folder)
                wrong = 5 if schema.get("type") == "array" else [[{"odd": "thing"}]]
                result = await call(caller, name, {**input, field: wrong})
                assert result is not None
                if name not in LENIENT.get(field, ()):
                    assert result.is_error
                    assert re.search(rf"\b{field}\b", result.content), result.content
                    assert tree(caller.folder) == before

    @every_tool
    async def test_what_it_does_not_know_is_ignored(self, caller: Caller, name: str) -> None:
        async with furnished(caller, name) as input:
            result = await call(caller, name, {**input, "no_such_field": 1, "other": None})
        assert result is None or not result.is_error


LENIENT = {
    "command": ("execute_command",),
    "todos": ("update_todo_list",),
    "coordinate": ("browser_action",),
    "size": ("browser_action",),
}
"""Where a list is as good as a text, or left alone by most actions."""


def visible(home: Path) -> dict[str, Any]:
    """A browser keeps things of its own in hidden folders of the user's."""
    return {name: found for name, found in tree(home).items() if not name.startswith(".")}


class TestPaths:
    @where(lambda row: row.path is not None)
    @pytest.mark.requirement("security:files:confined")
    @pytest.mark.parametrize(
        "escape",
        [
            *("../outside", "{outside}", "link", "src/../../outside", "/proc/self/root{outside}"),
            *("~", "~/../outside", "src/up/../outside", "./link/../link", "{outside}/./"),
        ],
    )
    async def test_what_is_outside_is_refused(
        self, caller: Caller, outside: Path, name: str, escape: str
    ) -> None:
        row = ROWS[name]
        (caller.folder / "link").symlink_to(outside)
        before = visible(outside)
        async with furnished(caller, name):
            (caller.folder / "src/up").symlink_to(outside.parent)
            (caller.folder / "src/file.png").symlink_to(outside / "cat.png")
            inside = contents(caller.folder)
            folder = escape.format(outside=outside)
            tried = [folder] if row.folder else [f"{folder}/secret.txt", f"{folder}/cat.png"]
            for path in tried if row.folder else (*tried, f"{folder}/new.png", "src/file.png"):
                result = await call(caller, name, row.at(path))
                assert result is not None
                assert result.is_error
                assert SECRET not in result.content
                assert not result.images
        assert visible(outside) == before
        assert contents(caller.folder) == inside

    @where(lambda row: row.path is not None and not row.is_shell)
    @pytest.mark.requirement("security:files:confined")
    @pytest.mark.parametrize("what", ["folder", "file"])
    async def test_what_is_swapped_for_a_link_after_the_check_leads_nowhere(
        self,
        caller: Caller,
        outside: Path,
        monkeypatch: pytest.MonkeyPatch,
        name: str,
        what: str,
    ) -> None:
        before = visible(outside)
        path = caller.folder / str(ROWS[name].path)
        link, target = path, outside / path.name
        if what == "folder" or ROWS[name].folder:
            link, target = caller.folder / "src", outside
        moved = caller.folder / "moved"
        checks: list[str] = []

        def swapping(check: Callable[[Workspace, str], Path]) -> Callable[[Workspace, str], Path]:
            def checked(workspace: Workspace, written: str) -> Path:
                if link.is_symlink():
                    link.unlink()
                    if moved.exists():
                        moved.rename(link)
                found = check(workspace, written)
                if link.exists():
                    link.rename(moved)
                link.symlink_to(target)
                checks.append(written)
                return found

            return checked

        async with furnished(caller, name) as input:
            for check in ("resolve", "resolve_readable"):
                monkeypatch.setattr(Workspace, check, swapping(getattr(Workspace, check)))
            result = await call(caller, name, input)
        assert checks
        assert result is not None
        assert SECRET not in result.content
        assert "secret.txt" not in result.content
        assert visible(outside) == before

    @where(lambda row: row.changes)
    async def test_a_hard_link_elsewhere_keeps_its_content(
        self, caller: Caller, outside: Path, name: str
    ) -> None:
        """Such a file is in the workspace as much as elsewhere, so it is read; but a change is a
        new file in its place, and never reaches through."""
        row = ROWS[name]
        async with furnished(caller, name) as input:
            file = caller.folder / str(row.path)
            twin = outside / "twin"
            if not file.exists():
                file.write_bytes(b"old")
            twin.hardlink_to(file)
            before = twin.read_bytes()
            result = await call(caller, name, input)
        assert result is not None
        assert not result.is_error
        assert twin.read_bytes() == before
        assert file.read_bytes() != before


class TestSize:
    @every_tool
    async def test_a_result_has_bounds(self, caller: Caller, name: str) -> None:
        """Whatever is large: what the call finds, or what it was given."""
        async with furnished(caller, name) as input:
            _enlarge(caller)
            fields = loaded(name).input_schema()["properties"]
            texts = [field for field, schema in fields.items() if schema.get("type") == "string"]
            if ROWS[name].needs_browser:
                texts = ["url", "path"]  # all others are for other actions than this one
            for given in (input, *({**input, field: "long " * 50_000} for field in texts)):
                result = await call(caller, name, given)
                assert result is None or len(result.content) <= MAX_RESULT_CHARACTERS + ROOM


def _enlarge(caller: Caller) -> None:
    source = caller.folder / "src"
    (source / "one.py").write_text("def one():\n    return 1\n" * 40_000)
    caller.artifacts.write("cmd-1.txt", b"printed\n" * 400_000)
    (caller.folder / ".roo/commands/greet.md").write_text("Say hello.\n" * 40_000)
    for number in range(2_000):
        (source / f"a-file-with-a-rather-long-name-{number}.py").touch()


class TestCancellation:
    @every_tool
    async def test_a_cancelled_call_leaves_nothing_behind(self, tmp_path: Path, name: str) -> None:
        """Cut at ever later points, until it comes to its end: all or nothing has happened."""
        Reaper.shared()
        processes = children()
        for number, turns in enumerate(_points(name)):
            folder = tmp_path / str(number)
            caller = Caller(folder / "workspace", FolderOfArtifacts(folder / "artifacts"))
            async with furnished(caller, name) as input:
                before = contents(caller.folder)
                with ThreadPoolExecutor(4) as threads:
                    asyncio.get_running_loop().set_default_executor(threads)
                    await _cut(caller, name, input, turns)
                    await caller.resources.aclose()
            after = contents(caller.folder)
            touched = {path for path in {*before, *after} if before.get(path) != after.get(path)}
            assert touched <= ({ROWS[name].path} if ROWS[name].changes else set())
            assert all(after[path] for path in touched)
            await eventually(lambda: children() <= processes)


def _points(name: str) -> Iterator[int | None]:
    """After how many turns of the event loop a call is cut; None for not at all."""
    yield from (
        (0, 8, 200) if ROWS[name].needs_browser else (0, 1, 2, 3, 5, 8, 13, 21, 55, 200, 2000)
    )
    yield None


async def _cut(caller: Caller, name: str, input: Input, turns: int | None) -> None:
    running = asyncio.create_task(call(caller, name, input))
    if turns is None:
        await running
        return
    for _ in range(turns):
        await asyncio.sleep(0)
    running.cancel()
    await asyncio.wait([running])


def children() -> set[int]:
    """The processes that this one has started."""
    found: set[int] = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        if fields[1] == str(os.getpid()) and fields[0] != "Z":
            found.add(int(stat.parent.name))
    return found


class TestRepeating:
    @every_tool
    async def test_what_may_be_repeated_changes_nothing(self, caller: Caller, name: str) -> None:
        """After a crash such a call is simply made again."""
        async with furnished(caller, name) as input:
            before = tree(caller.folder)
            for _ in range(2):
                await call(caller, name, input)
                if loaded(name).repeatable:
                    assert tree(caller.folder) == before

    def test_what_may_not_is_told_apart(self) -> None:
        assert {name for name in NAMES if not loaded(name).repeatable} == {
            *(name for name, row in ROWS.items() if row.changes),
            *("execute_command", "background_command", "use_mcp_tool", "access_mcp_resource"),
        }

    def test_what_needs_no_approval_touches_no_file_and_no_network(self) -> None:
        assert {name for name in NAMES if not loaded(name).needs_approval} == {
            *("read_command_output", "background_command", "ask_followup_question"),
            *("attempt_completion", "update_todo_list", "skill"),
        }
