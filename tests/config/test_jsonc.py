"""JSON with comments: the same values as `json` reads, and the place of each."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roo_code.config.jsonc import JsonError, parse

values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(values, st.sampled_from([None, 0, 2, "\t"]), st.booleans())
def test_what_json_writes_is_read_alike(value: Any, indent: Any, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert parse(text).value == json.loads(text)


def test_comments_and_trailing_commas_are_passed_over() -> None:
    text = """// one
    { /* two
         lines */ "a": [1, 2, /* last */ ], // three
      "b": "// no comment", // {"c": 1}
    } // end"""
    assert parse(text).value == {"a": [1, 2], "b": "// no comment"}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('{\n"a": 1\n"b": 2}', 3, "comma"),
        ('{\n\n"a" 1}', 3, ": is missing"),
        ('{"a": 1', 1, "is missing"),
        ("{\n'a': 1}", 2, "double quotes"),
        ('{\n"a": "x\n"}', 2, "no end"),
        ('{"a": \\x}', 1, "no value"),
        ('{"a":', 1, "ends too early"),
        ("{} {}", 1, "behind the end"),
        ("{\n/* }", 2, "comment has no end"),
        ('{"a": NaN}', 1, "no value"),
        ("[" * 100_000, 1, "nested too deeply"),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(JsonError) as caught:
        parse(text)
    assert caught.value.line == line
    assert said in str(caught.value)


@given(st.text(alphabet='{}[]",:/*\n 01truefalsn\\'))
def test_no_text_does_worse_than_an_error(text: str) -> None:
    with contextlib.suppress(JsonError):
        parse(text)
