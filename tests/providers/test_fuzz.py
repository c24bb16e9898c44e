"""Replies that were changed or cut at random end in a typed error or in what was sent."""

import json
from collections.abc import Coroutine
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roo_code.errors import ConnectionCut, RooCodeError
from roo_code.messages import Message
from roo_code.providers.event_stream import EventStreamParser
from roo_code.providers.protocols.anthropic_events import AnthropicDecoder
from roo_code.providers.protocols.bedrock_events import BedrockDecoder
from roo_code.providers.protocols.gemini_events import GeminiDecoder
from roo_code.providers.protocols.ollama_lines import OllamaDecoder
from roo_code.providers.protocols.openai_chunks import ChatDecoder
from roo_code.providers.protocols.openai_responses_events import ResponsesDecoder
from roo_code.testing.anthropic_service import AnthropicService
from roo_code.testing.bedrock_service import BedrockService, frame
from roo_code.testing.gemini_service import GeminiService
from roo_code.testing.model_replies import ScriptedReply
from roo_code.testing.ollama_service import OllamaService
from roo_code.testing.openai_service import OpenAiService
from roo_code.testing.responses_service import ResponsesService
from tests.providers.fuzzing import share
from tests.providers.replies import chunks_of, message_of

FORMATS = [
    (AnthropicService(), AnthropicDecoder),
    (OpenAiService(), ChatDecoder),
    (ResponsesService(), ResponsesDecoder),
    (BedrockService(), BedrockDecoder),
    (OllamaService(), OllamaDecoder),
    (GeminiService(), GeminiDecoder),
]
BODY = {"model": "m", "stream_options": {"include_usage": True}}
REPLY = ScriptedReply.from_dict(
    {
        "reasoning": "Hm, 你.",
        "text": "Grüße.",
        "tool_calls": [
            {"id": "a", "name": "one", "input": {"x": [1, {"y": "ü"}]}},
            {"id": "b", "name": "two"},
        ],
        "chunk_size": 4,
    }
)
both = pytest.mark.parametrize(
    ("service", "decoder"),
    FORMATS,
    ids=["anthropic", "openai", "responses", "bedrock", "ollama", "gemini"],
)
quick = settings(deadline=None)
many = share(of=3 * len(FORMATS))
"""Three tests of changed streams for each format."""
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2)
    ),
    max_leaves=4,
)


def run(work: Coroutine[Any, Any, Message]) -> Message:
    """What never waits needs no event loop."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("it waits")


def decode(decoder: Any, sent: list[bytes]) -> Message | None:
    """The message, or None where a typed error says why there is none."""
    try:
        return run(message_of(chunks_of(decoder("x"), sent)))
    except RooCodeError:
        return None


@both
@quick
@given(data=st.data())
def test_a_reply_cut_anywhere_is_whole_or_a_cut(
    service: Any, decoder: Any, data: st.DataObject
) -> None:
    sent = b"".join(service.events(REPLY, BODY))
    whole = decode(decoder, [sent])
    length = data.draw(st.integers(0, len(sent)))
    try:
        found = run(message_of(chunks_of(decoder("x"), [sent[:length]])))
    except ConnectionCut:
        return
    assert whole is not None
    assert found.content == whole.content
    assert found.stop_reason == whole.stop_reason


@both
@quick
@given(data=st.data())
def test_split_anywhere_it_is_the_same_reply(
    service: Any, decoder: Any, data: st.DataObject
) -> None:
    sent = b"".join(service.events(REPLY, BODY))
    size = data.draw(st.integers(1, 40))
    split = [sent[n : n + size] for n in range(0, len(sent), size)]
    assert decode(decoder, split) == decode(decoder, [sent]) is not None


@both
@many
@given(data=st.data())
def test_changed_bytes_never_raise_anything_untyped(
    service: Any, decoder: Any, data: st.DataObject
) -> None:
    sent = bytearray(b"".join(service.events(REPLY, BODY)))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(sent) - 1))
        sent[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    decode(decoder, [bytes(sent)])


def with_changed_fields(service: Any, event: bytes, data: st.DataObject) -> bytes:
    """The same event by its framing, with other JSON in it."""
    if isinstance(service, BedrockService):
        (found,) = EventStreamParser().feed(event)
        return frame(found.name, changed(json.loads(found.data), data))
    if isinstance(service, OllamaService):
        return json.dumps(changed(json.loads(event), data)).encode() + b"\n"
    text = event.partition(b"data: ")[2].strip()
    if text == b"[DONE]":
        return event
    return b"data: " + json.dumps(changed(json.loads(text), data)).encode() + b"\n\n"


def changed(value: Any, data: st.DataObject) -> Any:
    """The value with one of its parts replaced, dropped or kept."""
    if isinstance(value, dict) and value and data.draw(st.booleans()):
        fields: dict[str, Any] = {**value}
        name = data.draw(st.sampled_from(sorted(fields)))
        if data.draw(st.booleans()):
            del fields[name]
        else:
            fields[name] = changed(fields[name], data)
        return fields
    if isinstance(value, list) and value and data.draw(st.booleans()):
        items: list[Any] = [*value]
        place = data.draw(st.integers(0, len(items) - 1))
        items[place] = changed(items[place], data)
        return items
    return data.draw(json_values)


@both
@many
@given(data=st.data())
def test_changed_fields_never_raise_anything_untyped(
    service: Any, decoder: Any, data: st.DataObject
) -> None:
    events: list[bytes] = list(service.events(REPLY, BODY))
    place = data.draw(st.integers(0, len(events) - 1))
    events[place] = with_changed_fields(service, events[place], data)
    decode(decoder, events)


@both
@many
@given(data=st.data())
def test_events_dropped_doubled_or_swapped_never_raise_anything_untyped(
    service: Any, decoder: Any, data: st.DataObject
) -> None:
    events: list[bytes] = list(service.events(REPLY, BODY))
    order = data.draw(st.lists(st.sampled_from(range(len(events))), max_size=len(events) + 3))
    decode(decoder, [events[n] for n in order])
