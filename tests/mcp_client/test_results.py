from typing import Any

import mcp_types

from roo_code.mcp_client.results import answer_of_call, answer_of_read, text_of_prompt


def called(*content: dict[str, Any], **more: Any) -> Any:
    return answer_of_call(
        mcp_types.CallToolResult.model_validate({"content": list(content), **more})
    )


def test_texts_stand_apart_and_resources_are_json_without_their_data() -> None:
    resource = {"uri": "a://b", "mimeType": "application/zip", "blob": "AAAA"}
    link = {"type": "resource_link", "uri": "a://c", "name": "c"}
    answer = called(
        {"type": "text", "text": "one"},
        {"type": "resource", "resource": resource},
        link,
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
    )
    assert answer.text == (
        'one\n\n{\n  "uri": "a://b",\n  "mimeType": "application/zip"\n}\n\n'
        "[resource a://c: c]\n\n[audio/wav, 3 bytes, which cannot be shown]"
    )
    assert answer.raw["content"] == [
        {"type": "text", "text": "one"},
        {"type": "resource", "resource": resource},
        link,
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
    ]


def test_structured_content_is_shown_where_there_is_no_other() -> None:
    assert called(structuredContent={"a": 1}).text == '{\n  "a": 1\n}'
    shown = called({"type": "text", "text": "told"}, structuredContent={"a": 1})
    assert shown.text == "told"


def test_images_that_no_service_takes_are_told_of_instead() -> None:
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    large = {**image, "data": "A" * 8_000_000}
    many = called(large, *[image] * 25, {**image, "mimeType": "image/tiff"})
    assert len(many.images) == 20
    assert "[image/png, 6,000,000 bytes, which cannot be shown]" in many.text
    assert "[image/tiff, 3 bytes, which cannot be shown]" in many.text


def test_a_read_may_be_of_several_parts() -> None:
    contents = [
        {"uri": "a://b", "text": "one"},
        {"uri": "a://c", "blob": "AAAA", "mimeType": "image/png"},
        {"uri": "a://d", "blob": "AAAA"},
    ]
    read = answer_of_read(mcp_types.ReadResourceResult.model_validate({"contents": contents}))
    assert read.text == "one\n\n[application/octet-stream, 3 bytes, which cannot be shown]"
    assert len(read.images) == 1
    empty = answer_of_read(mcp_types.ReadResourceResult.model_validate({"contents": []}))
    assert empty.text == "(Empty response)"


def test_a_prompt_is_its_texts() -> None:
    resource = {"type": "resource", "resource": {"uri": "a://b", "text": "inside"}}
    messages = [
        {"role": "user", "content": {"type": "text", "text": "Do this."}},
        {"role": "user", "content": resource},
    ]
    told = text_of_prompt(mcp_types.GetPromptResult.model_validate({"messages": messages}))
    assert told.startswith("Do this.\n\n{")
    assert '"text": "inside"' in told
