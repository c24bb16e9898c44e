"""Names that models invent: enough of them, and each for one tool only."""

from collections import Counter

import pytest

from roo_code.builtin_tools.registry import BUILTIN_TOOLS
from roo_code.tool_aliases import ALIASES_BY_TOOL, TOOL_ALIASES, canonical_name


def test_no_name_stands_for_two_tools() -> None:
    counted = Counter(alias for names in ALIASES_BY_TOOL.values() for alias in names.split())
    assert [alias for alias, count in counted.items() if count > 1] == []
    assert not {*counted} & {*ALIASES_BY_TOOL}


def test_every_built_in_tool_has_several() -> None:
    few = {tool.name for tool in BUILTIN_TOOLS if len(ALIASES_BY_TOOL[tool.name].split()) < 3}
    assert few == set()


def ways_to_write(alias: str) -> list[str]:
    words = alias.split("_")
    pascal = "".join(map(str.capitalize, words))
    camel = pascal[0].lower() + pascal[1:]
    return [alias, "-".join(words), camel, pascal, f"functions.{alias}", alias.upper()]


def test_an_alias_may_be_written_as_other_languages_do() -> None:
    meant = {
        (written, tool): canonical_name(written)
        for alias, tool in TOOL_ALIASES.items()
        for written in ways_to_write(alias)
    }
    assert [key for key, found in meant.items() if found != key[1]] == []


@pytest.mark.parametrize("name", ["mcp--server--Do-It", "fly_away"])
def test_other_names_are_left_alone(name: str) -> None:
    assert canonical_name(name) == name
