"""Each kind of field: how it is asked, and what counts as an answer."""

from typing import Any

import pytest

from roo_code.mcp_client.form_fields import MOST_FIELDS, FormField, fields_of, presets


def field(name: str = "f", required: bool = True, **schema: Any) -> FormField:
    return FormField(name, schema, required)


CHOICE = field(type="string", enum=["r", "g"], enumNames=["Red", "Green"])
TITLED = field(type="string", oneOf=[{"const": "r", "title": "Red"}, {"const": "g"}])
SEVERAL = field(
    type="array", items={"anyOf": [{"const": "a", "title": "Ay"}, {"const": "b"}]}, maxItems=2
)


@pytest.mark.parametrize(
    ("asked", "said", "value"),
    [
        (field(type="string"), "  spaced", "  spaced"),
        (field(), "untyped", "untyped"),
        (field(type="boolean"), "Yes", True),
        (field(type="boolean"), "false", False),
        (field(type="integer", minimum=0, maximum=9), "9", 9),
        (field(type="integer"), "9" * 400, int("9" * 400)),
        (field(type="number", minimum=0.5), "0.5", 0.5),
        (CHOICE, "green", "g"),
        (CHOICE, "R", "r"),
        (TITLED, "Red", "r"),
        (TITLED, "g", "g"),
        (SEVERAL, "Ay, b", ["a", "b"]),
        (field(type="array"), "x,,y", ["x", "y"]),
        (field(type="string", maxLength=3), "abc", "abc"),
    ],
)
def test_what_is_said_becomes_a_value(asked: FormField, said: str, value: object) -> None:
    assert asked.parse(said) == value


@pytest.mark.parametrize(
    ("asked", "said", "why"),
    [
        (field(type="boolean"), "maybe", "yes or no"),
        (field(type="integer"), "1.5", "not a whole number"),
        (field(type="integer", minimum=3), "2", "at least 3"),
        (field(type="number"), "nan", "not a number"),
        (field(type="number"), "1e999", "not a number"),
        (field(type="number", maximum=1), "1.1", "at most 1"),
        (field(type="string", minLength=2), "x", "at least 2 characters"),
        (CHOICE, "blue", "none of these: Red; Green"),
        (SEVERAL, "Ay, c", "none of these: Ay; b"),
        (SEVERAL, "Ay, b, Ay", "at most 2 of them"),
    ],
)
def test_what_is_wrong_is_said(asked: FormField, said: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        asked.parse(said)


def test_a_field_is_described_by_the_server_and_its_limits() -> None:
    described = field(
        "size", False, type="integer", title="How large?", description="In cm.", minimum=1
    )
    assert described.about() == "How large? (may be left out)\nIn cm.\nA whole number, at least 1."
    assert field("name", type="string").about() == "name"
    assert field(type="string", format="email").about() == "f\nAs email."


def test_suggestions_are_what_can_be_chosen() -> None:
    assert field(type="boolean").suggestions() == ("yes", "no")
    assert CHOICE.suggestions() == ("Red", "Green")
    assert field(type="integer", default=3).suggestions() == ()  # a number would choose by place


def test_any_schema_at_all_is_read() -> None:
    strange = {
        "properties": {"a": 1, "b": {"oneOf": "x", "enum": 5, "type": ["string"]}, "c": {}},
        "required": "a",
    }
    assert [f.name for f in fields_of(strange)] == ["a", "b", "c"]
    for each in fields_of(strange):
        assert each.parse("said") == "said"
        assert each.about()
    assert fields_of({"properties": [1, 2]}) == []
    assert presets({"properties": {"a": {"default": "x"}, "b": {"default": {"y": 1}}}}) == {
        "a": "x"
    }


def test_a_form_longer_than_a_person_would_fill_in_is_refused() -> None:
    many = {f"f{n}": {"type": "string"} for n in range(MOST_FIELDS + 1)}
    with pytest.raises(ValueError, match="31 fields"):
        fields_of({"properties": many})
