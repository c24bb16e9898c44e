import subprocess
import sys

from roo_code.builtin_tools.error_recovery import ErrorRecovery
from roo_code.builtin_tools.registry import BUILTIN_TOOLS, create_registry, get_tool_by_name
from roo_code.builtin_tools.write_file import WriteToFile


class QuietWriter(WriteToFile):
    description = "Write, quietly."


def test_every_built_in_tool_has_a_name_of_its_own_and_a_schema() -> None:
    names = [tool.name for tool in BUILTIN_TOOLS]
    assert len({*names}) == len(names)
    for tool in create_registry():
        assert tool.description
        assert tool.input_schema()["type"] == "object"
        assert all(field["description"] for field in tool.input_schema()["properties"].values())


def test_a_built_in_tool_is_found_by_name() -> None:
    for tool in BUILTIN_TOOLS:
        found = get_tool_by_name(tool.name)
        assert found is not None
        assert (found.name, type(found).__name__) == (tool.name, tool.type_name)
    assert get_tool_by_name("fly") is None


def test_an_extra_tool_replaces_the_built_in_of_its_name() -> None:
    registry = create_registry(QuietWriter())
    assert isinstance(registry.get("write_to_file"), QuietWriter)
    assert len(registry.tools) == len([tool for tool in BUILTIN_TOOLS if tool.advertised])


def test_a_models_facts_say_which_of_several_editing_tools_it_is_told_of() -> None:
    registry = create_registry(included=["search_and_replace"], excluded=["apply_diff"])
    told = [definition.name for definition in registry.definitions()]
    assert "edit" in told
    assert "apply_diff" not in told
    assert registry.get("apply_diff") is not None  # a call of it still works
    assert [definition.name for definition in registry.definitions()] == told


def test_the_first_request_loads_no_tool() -> None:
    registry = create_registry()
    assert len(registry.definitions()) > 5
    program = (
        "import sys; from roo_code.builtin_tools.registry import create_registry; "
        "create_registry().definitions(); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert not loaded & {f"roo_code.builtin_tools.{tool.module}" for tool in BUILTIN_TOOLS}
    assert "pydantic" not in loaded


def test_every_registry_recovers_for_itself() -> None:
    one, other = create_registry().recovery, create_registry().recovery
    assert isinstance(one, ErrorRecovery)
    assert one is not other


def test_only_tools_that_change_nothing_may_be_run_again() -> None:
    changing = {tool.name for tool in BUILTIN_TOOLS if not tool.load().repeatable}
    assert {"write_to_file", "apply_diff", "apply_patch", "execute_command"} <= changing
    assert not changing & {"read_file", "list_files", "ask_followup_question", "attempt_completion"}
