from roo_code.mcp_client.schemas import shown_input


def test_a_missing_schema_is_an_empty_object() -> None:
    assert shown_input(None) == {"type": "object", "properties": {}}


def test_what_services_refuse_is_put_otherwise() -> None:
    shown = shown_input(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "when": {"type": ["string", "null"], "format": "date-time"},
                "where": {"type": "string", "format": "uri"},
                "format": {"type": "string"},
            },
            "required": ["when", "gone"],
        }
    )
    assert shown == {
        "type": "object",
        "properties": {
            "when": {"anyOf": [{"type": "string"}, {"type": "null"}], "format": "date-time"},
            "where": {"type": "string"},
            "format": {"type": "string"},
        },
        "required": ["when"],
    }


def test_a_choice_at_the_top_becomes_its_first_object() -> None:
    one = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert shown_input({"anyOf": [{"type": "null"}, one]}) == one
    assert shown_input({"oneOf": [{"type": "null"}]}) == {"type": "object", "properties": {}}
