"""Changing a JSON or YAML text without touching the rest of it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roo_code.config.edit_json import edit_json, same
from roo_code.config.edit_yaml import edit_yaml
from roo_code.config.jsonc import parse
from roo_code.config.yaml_text import parse_yaml

names = st.sampled_from(["a", "b", "c", "mode", 'é"x', "with space"])
values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)
objects = st.dictionaries(names, values, max_size=5)


@given(objects, objects, st.sampled_from([None, 2, 4, "\t"]))
def test_any_change_of_any_json_gives_what_is_wanted(
    before: dict[str, Any], wanted: dict[str, Any], indent: Any
) -> None:
    edited = edit_json(json.dumps(before, indent=indent), wanted)
    assert same(json.loads(edited), wanted)  # strict JSON stays strict JSON


COMMENTED = """// my settings
{
    "a": 1, // about a
    /* before b */ "b": [1, 2],

    // c is the last
    "c": {"x": true} // about c
    // the end
}
"""


@given(st.dictionaries(st.sampled_from(["a", "b", "c", "d", "e"]), values))
def test_any_change_of_commented_json_gives_what_is_wanted(wanted: dict[str, Any]) -> None:
    edited = edit_json(COMMENTED, wanted)
    assert same(parse(edited).value, wanted)
    for comment in ("// my settings", "/* before b */", "// c is the last", "// the end"):
        assert comment in edited


def test_what_is_not_changed_stays_byte_for_byte() -> None:
    wanted = {"a": 2, "b": [1, 2], "c": {"x": True}}
    assert edit_json(COMMENTED, wanted) == COMMENTED.replace('"a": 1', '"a": 2')


def test_a_new_name_is_indented_like_the_others() -> None:
    wanted = {"a": 1, "b": [1, 2], "c": {"x": True}, "d": {"y": 1}}
    added = '"c": {"x": true}, // about c\n    "d": {\n        "y": 1\n    }\n    // the end'
    assert added in edit_json(COMMENTED, wanted)


def test_a_removed_name_takes_its_line_and_comment_with_it() -> None:
    edited = edit_json(COMMENTED, {"b": [1, 2], "c": {"x": True}})
    assert edited == COMMENTED.replace('    "a": 1, // about a\n', "")
    edited = edit_json(COMMENTED, {"a": 1, "b": [1, 2]})
    assert '"b": [1, 2]\n' in edited
    assert "about c" not in edited


def test_windows_line_endings_and_a_byte_order_mark_stay() -> None:
    text = '\ufeff{\r\n  "a": 1\r\n}\r\n'
    assert edit_json(text, {"a": 1, "b": 2}) == '\ufeff{\r\n  "a": 1,\r\n  "b": 2\r\n}\r\n'


def test_of_a_name_that_stands_twice_the_last_counts() -> None:
    assert edit_json('{"a": 1, "a": 2}', {"a": 3}) == '{"a": 1, "a": 3}'
    assert json.loads(edit_json('{"a": 1, "b": 0, "a": 2}', {"b": 0})) == {"b": 0}


@pytest.mark.parametrize(("one", "other"), [(1, True), (0, False), ([1], [True]), ("1", 1)])
def test_numbers_switches_and_texts_are_told_apart(one: Any, other: Any) -> None:
    assert not same(one, other)
    assert not same({"x": one}, {"x": other})


YAML = """\
# my settings
mode: 'ask'   # with quotes
allowedCommands:   # these
  - git status     # harmless
  - npm test
yes: kept
# the end
"""


def test_comments_order_and_quotes_of_yaml_stay() -> None:
    text = YAML.replace("yes:", "other:")
    wanted = parse_yaml(text) | {"mode": "code", "language": "de"}
    edited = edit_yaml(text, wanted)
    assert parse_yaml(edited) == wanted
    for line in ("# my settings", "# with quotes", "- git status     # harmless", "# the end"):
        assert line in edited
    assert edited.index("mode:") < edited.index("allowedCommands:") < edited.index("language:")


@given(objects, objects)
def test_any_change_of_any_yaml_gives_what_is_wanted(
    before: dict[str, Any], wanted: dict[str, Any]
) -> None:
    edited = edit_yaml(edit_yaml("", before), wanted)
    assert same(parse_yaml(edited) or {}, wanted)


@pytest.mark.parametrize("gone", ["first", "text", "list", "flow", "nothing", "last"])
def test_a_key_of_yaml_removed_or_changed_leaves_every_comment_below_it(gone: str) -> None:
    text = """\
# c0
first: 1
# c1
text: |
  many
  lines

# c2
list:
  - x: 1
    y:
      - deep
# c3
flow: {a: [1,
  2]}
# c4
nothing:
# c5
last: "x"
# c6
"""
    wanted = {key: value for key, value in parse_yaml(text).items() if key != gone}
    for other in (wanted, {**wanted, gone: ["no"]}):
        edited = edit_yaml(text, other)
        assert parse_yaml(edited) == other
        assert [f"# c{n}" in edited for n in range(7)] == [True] * 7


def test_yaml_of_another_shape_keeps_its_comments_too() -> None:
    edited = edit_yaml("# head\n{a: 1, b: x} # tail\n", {"a": 1, "b": "no", "c": [True]})
    assert parse_yaml(edited) == {"a": 1, "b": "no", "c": [True]}
    assert "# head" in edited
