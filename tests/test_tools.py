import asyncio
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot
from pydantic import BaseModel, Field

from roo_code.builtin_tools.registry import create_registry, get_tool_by_name
from roo_code.errors import ToolError
from roo_code.messages import ToolResult, ToolUseContent
from roo_code.tools import (
    MAX_RESULT_CHARACTERS,
    TOOL_ALIASES,
    Tool,
    ToolContext,
    ToolOutcome,
    ToolRegistry,
)
from tests.builtin_tools.calls import FolderOfArtifacts


class Shelf(BaseModel):
    title: str = Field(description="Where it stands.")


class FetchInput(BaseModel):
    count: int = Field(description="How many.")
    shelf: Shelf | None = None


class Fetch(Tool[FetchInput]):
    name = "fetch_books"
    description = "Fetch books."
    group = "advanced"
    input_type = FetchInput

    def __init__(self) -> None:
        self.executed: list[int] = []

    async def execute(self, arguments: FetchInput, context: ToolContext) -> str | ToolOutcome:
        self.executed.append(arguments.count)
        if arguments.count < 0:
            raise ToolError("There are no negative books.")
        await asyncio.sleep(0)
        return f"{arguments.count} for {self.current_use_id}"


def use(name: str, id: str = "call_1", **input: Any) -> ToolUseContent:
    return ToolUseContent(id=id, name=name, input=input)


@pytest.mark.requirement("tools:registry:register")
def test_a_tool_is_stored_under_its_name_and_a_second_one_replaces_it() -> None:
    registry = ToolRegistry()
    first, second = Fetch(), Fetch()
    registry.register(first)
    assert registry.tools == {"fetch_books": first}
    registry.register(second)
    assert registry.get("fetch_books") is second


@pytest.mark.requirement("tools:registry:get-order")
def test_a_tool_is_found_by_name_then_by_alias_then_among_the_built_ins() -> None:
    registry = ToolRegistry(load_builtin=get_tool_by_name)
    loaded = registry.get("bash")
    assert loaded is not None
    assert (loaded.name, list(registry.tools)) == ("execute_command", ["execute_command"])
    assert registry.get("shell") is loaded

    class Bash(Fetch):
        name = "bash"

    registry.register(Bash())
    assert isinstance(registry.get("bash"), Bash)
    assert registry.get("no_such_tool") is None


@pytest.mark.requirement("tools:registry:aliases")
def test_names_that_models_invent_are_known() -> None:
    assert {TOOL_ALIASES[name] for name in ("read_directory", "read_dir", "list_dir")} == {
        "list_files"
    }
    assert len(TOOL_ALIASES) > 100
    registry = create_registry()
    for alias, name in {
        "Read": "read_file",
        "view": "read_file",
        "functions.write_file": "write_to_file",
        "Bash": "execute_command",
        "run-terminal-cmd": "execute_command",
        "AskUserQuestion": "ask_followup_question",
        "finish": "attempt_completion",
    }.items():
        tool = registry.get(alias)
        assert tool is not None, alias
        assert tool.name == name


def test_an_alias_is_no_tool_itself_and_leads_to_one() -> None:
    assert not {*TOOL_ALIASES} & {*TOOL_ALIASES.values()}


@pytest.mark.requirement("tools:registry:execute", "tools:result:fields")
async def test_a_call_gives_a_result_with_its_id() -> None:
    tool = Fetch()
    result = await ToolRegistry([tool]).execute(use("fetch_books", id="call_7", count=2))
    assert result == ToolResult(tool_use_id="call_7", content="2 for call_7", is_error=False)
    assert tool.current_use_id == "call_7"


@pytest.mark.requirement("tools:registry:execute")
async def test_calls_at_the_same_time_keep_their_own_ids() -> None:
    registry = ToolRegistry([Fetch()])
    calls = [use("fetch_books", id=f"call_{n}", count=n) for n in range(20)]
    results = await asyncio.gather(*map(registry.execute, calls))
    assert [(r.tool_use_id, r.content) for r in results] == [
        (f"call_{n}", f"{n} for call_{n}") for n in range(20)
    ]


@pytest.mark.requirement("tools:registry:execute-unknown")
async def test_an_unknown_tool_is_an_error_that_names_it() -> None:
    result = await ToolRegistry([Fetch()]).execute(use("fly"))
    assert result.is_error
    assert result.content == snapshot("There is no tool named 'fly'. Available tools: fetch_books.")


@pytest.mark.requirement("tools:input:schema-checked")
@pytest.mark.parametrize(
    ("input", "field"),
    [
        ({}, "count: Field required"),
        ({"count": "many"}, "count: Input should be a valid integer"),
        ({"count": 1, "shelf": {}}, "shelf.title: Field required"),
    ],
)
async def test_input_that_does_not_fit_names_the_field_and_starts_nothing(
    input: dict[str, Any], field: str
) -> None:
    tool = Fetch()
    result = await ToolRegistry([tool]).execute(use("fetch_books", **input))
    assert result.is_error
    assert field in result.content
    assert tool.executed == []


async def test_input_that_is_no_object_is_never_run() -> None:
    tool = Fetch()
    call = ToolUseContent(id="call_1", name="fetch_books", invalid_input='{"count": 1')
    result = await ToolRegistry([tool]).execute(call)
    assert result.is_error
    assert '{"count": 1' in result.content
    assert tool.executed == []


async def test_a_tool_says_what_went_wrong_by_raising() -> None:
    result = await ToolRegistry([Fetch()]).execute(use("fetch_books", count=-1))
    assert (result.content, result.is_error) == ("There are no negative books.", True)


def test_the_schema_has_no_titles_and_no_references() -> None:
    assert Fetch().input_schema() == snapshot(
        {
            "properties": {
                "count": {"description": "How many.", "type": "integer"},
                "shelf": {
                    "properties": {"title": {"description": "Where it stands.", "type": "string"}},
                    "required": ["title"],
                    "type": "object",
                },
            },
            "required": ["count"],
            "type": "object",
            "additionalProperties": False,
        }
    )


class Shout(Fetch):
    async def execute(self, arguments: FetchInput, context: ToolContext) -> ToolOutcome:
        return ToolOutcome("x" * arguments.count)


async def test_a_huge_result_is_cut_and_kept_as_an_artifact(tmp_path: Path) -> None:
    size = MAX_RESULT_CHARACTERS + 5
    context = ToolContext(artifacts=FolderOfArtifacts(tmp_path))
    call = use("fetch_books", id="../../call", count=size)
    result = await ToolRegistry([Shout()]).execute(call, context)
    assert len(result.content) < size + 1000
    [artifact] = tmp_path.iterdir()
    assert str(artifact) in result.content
    assert artifact.read_text(encoding="utf-8") == "x" * size


async def test_an_empty_result_is_not_empty() -> None:
    result = await ToolRegistry([Shout()]).execute(use("fetch_books", count=0))
    assert result.content
