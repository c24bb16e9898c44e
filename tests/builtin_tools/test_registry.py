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
        assert isinstance(get_tool_by_name(tool.name), tool)
    assert get_tool_by_name("fly") is None


def test_an_extra_tool_replaces_the_built_in_of_its_name() -> None:
    registry = create_registry(QuietWriter())
    assert isinstance(registry.get("write_to_file"), QuietWriter)
    assert len(registry.tools) == len(BUILTIN_TOOLS)


def test_every_registry_recovers_for_itself() -> None:
    one, other = create_registry().recovery, create_registry().recovery
    assert isinstance(one, ErrorRecovery)
    assert one is not other


def test_only_tools_that_change_nothing_may_be_run_again() -> None:
    repeatable = {tool.name for tool in BUILTIN_TOOLS if tool.repeatable}
    assert repeatable == {"read_file", "ask_followup_question", "attempt_completion"}
