"""Parts of requests that are made once, and ids that every service takes."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roo_code.json_text import to_json
from roo_code.messages import Message
from roo_code.providers.base import ModelInfo
from roo_code.providers.protocols.anthropic_messages import AnthropicMessages
from roo_code.providers.protocols.bedrock_converse import BedrockConverse
from roo_code.providers.protocols.call_ids import safe_id, short_id
from roo_code.providers.protocols.fragments import Fragments
from roo_code.providers.protocols.ollama_chat import OllamaChat
from roo_code.providers.protocols.openai_chat import OpenAiChat
from tests.providers.requests import CONVERSATION, request
from tests.providers.requests import settings as provider_settings

INFO = ModelInfo(id="claude-m")


class Counting:
    def __init__(self) -> None:
        self.encoded: list[Message] = []
        self.fragments = Fragments(self.encode)

    def encode(self, message: Message, info: ModelInfo) -> str:
        self.encoded.append(message)
        return f"{info.id}:{message.text}"


def test_a_message_is_encoded_once_as_long_as_it_is_sent() -> None:
    counting = Counting()
    one, two, three = (Message.from_user(text) for text in ("1", "2", "3"))
    twin = one.replace()
    assert counting.fragments.of([one, two], INFO) == ["claude-m:1", "claude-m:2"]
    assert counting.fragments.of([one, two, three], INFO) == [f"claude-m:{n}" for n in (1, 2, 3)]
    assert counting.encoded == [one, two, three]
    counting.fragments.of([twin], INFO)
    counting.fragments.of([one, one], INFO)
    assert len(counting.encoded) == 5
    assert len(counting.fragments._kept) == 1


def test_another_model_gets_its_own_parts() -> None:
    counting = Counting()
    one = Message.from_user("1")
    counting.fragments.of([one], INFO)
    assert counting.fragments.of([one], ModelInfo(id="other")) == ["other:1"]


@pytest.mark.parametrize(
    "wire", [AnthropicMessages(), OpenAiChat(), BedrockConverse(), OllamaChat()]
)
def test_a_request_is_the_same_whether_its_parts_are_new_or_kept(wire: Any) -> None:
    first = to_json(wire.encode(request(CONVERSATION[:1]), provider_settings(), INFO))
    bodies = [to_json(wire.encode(request(), provider_settings(), INFO)) for _ in range(3)]
    fresh = to_json(type(wire)().encode(request(), provider_settings(), INFO))
    assert bodies == [fresh] * 3
    assert to_json(wire.encode(request(CONVERSATION[:1]), provider_settings(), INFO)) == first


@settings(deadline=None)
@given(st.text(max_size=100))
def test_any_id_becomes_one_that_every_service_takes(id: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", safe_id(id))
    assert re.fullmatch(r"[A-Za-z0-9]{9}", short_id(id))
    assert safe_id(safe_id(id)) == safe_id(id)


@settings(deadline=None)
@given(st.sets(st.text(max_size=8), max_size=20))
def test_different_ids_stay_different(ids: set[str]) -> None:
    assert len({safe_id(id) for id in ids}) == len(ids)
    assert len({short_id(id) for id in ids}) == len(ids)


def test_a_plain_id_is_left_alone() -> None:
    assert safe_id("toolu_01A-b") == "toolu_01A-b"
    assert short_id("callnumb1") == "callnumb1"


def test_what_json_has_no_word_for_is_still_sent() -> None:
    body = {"a\udce9": ["x\ud800", {"b": float("inf")}], "c": 10**30}
    assert to_json(body) == b'{"a?":["x?",{"b":null}],"c":1000000000000000000000000000000}'
