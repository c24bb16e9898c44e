import re

from hypothesis import given
from hypothesis import strategies as st

from roo_code.mcp_client.names import LONGEST_NAME, ToolPlace, find_tool, native_names

Places = st.lists(st.builds(ToolPlace, st.text(max_size=80), st.text(max_size=80)), unique=True)


def test_a_tool_has_its_server_in_its_name() -> None:
    place = ToolPlace("my server", "read/file")
    assert native_names([place]) == {"mcp--my_server--readfile": place}
    assert list(native_names([ToolPlace("1a--b", "")])) == ["mcp--_1a-b--_"]


@given(Places)
def test_every_tool_has_a_name_of_its_own_that_services_accept(places: list[ToolPlace]) -> None:
    named = native_names(places)
    assert sorted(named.values()) == sorted(places)
    for name, place in named.items():
        assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name)
        assert len(name) <= LONGEST_NAME
        assert find_tool(name, named) == place


def test_long_names_that_begin_alike_are_told_apart() -> None:
    places = [ToolPlace("server", "x" * 80 + end) for end in "ab"]
    named = native_names(places)
    assert len(named) == 2
    assert all(len(name) == LONGEST_NAME for name in named)


def test_a_name_is_found_with_other_dashes_if_only_one_is_meant() -> None:
    named = native_names([ToolPlace("a-b", "c_d")])
    assert find_tool("mcp__a_b__c_d", named) == ToolPlace("a-b", "c_d")
    assert find_tool("mcp--a--b", named) is None
    twins = native_names([ToolPlace("a", "x-y"), ToolPlace("a", "x_y")])
    assert find_tool("mcp--a--x-y", twins) == ToolPlace("a", "x-y")
    assert find_tool("mcp__a__x_y", twins) is None
