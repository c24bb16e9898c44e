"""The cached prefix stays one, whatever a turn adds."""

from typing import Any

import pytest

from roo_code.config.schema import ProviderSettings
from roo_code.providers.base import ModelInfo, ModelRequest
from roo_code.providers.models import model_info
from roo_code.providers.protocols.anthropic_messages import AnthropicMessages
from roo_code.providers.protocols.base import WireFormat
from roo_code.providers.protocols.bedrock_converse import BedrockConverse
from roo_code.providers.protocols.chat_quirks import ChatQuirks
from roo_code.providers.protocols.ollama_chat import OllamaChat
from roo_code.providers.protocols.openai_chat import OpenAiChat
from roo_code.providers.protocols.openai_responses import OpenAiResponses
from tests.providers.prefixes import Layout, check_prefixes

CLAUDE = ModelInfo(id="claude-sonnet-4-5", supports_reasoning=True)
GPT = ModelInfo(id="gpt-5.1-codex-max", supports_reasoning=True)
SONNET = model_info("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0")
MARKS = frozenset({"cache_control"})
CASES: dict[str, tuple[WireFormat, ModelInfo, Layout]] = {
    "anthropic": (AnthropicMessages(), CLAUDE, Layout(system="system", marks=MARKS)),
    "bedrock": (
        BedrockConverse(),
        SONNET,
        Layout(tools="toolConfig", system="system", marks=frozenset({"cachePoint"})),
    ),
    "chat": (OpenAiChat(), GPT, Layout()),
    "ollama": (OllamaChat(), ModelInfo(id="qwen3"), Layout()),
    "mistral": (OpenAiChat(ChatQuirks(joins_results=True)), GPT, Layout()),
    "responses": (OpenAiResponses(), GPT, Layout(messages="input", system="instructions")),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("fields", [{}, {"reasoning_effort": "high", "temperature": 0.5}])
def test_what_was_sent_before_comes_first_again(name: str, fields: dict[str, object]) -> None:
    wire, info, layout = CASES[name]
    check_prefixes(wire, info, layout, **fields)


def test_cache_marks_behind_a_router_leave_the_prefix_alone() -> None:
    wire = OpenAiChat(ChatQuirks(cache_marks="always"))
    info = ModelInfo(id="anthropic/claude-sonnet-4.5")
    check_prefixes(wire, info, Layout(marks=MARKS))


@pytest.mark.parametrize("part", ["tools", "messages"])
def test_the_check_sees_what_changes_from_turn_to_turn(part: str) -> None:
    class Restless(OpenAiChat):
        def encode(
            self, request: ModelRequest, settings: ProviderSettings, info: ModelInfo
        ) -> dict[str, Any]:
            body = super().encode(request, settings, info)
            return {**body, part: [{"turn": len(body["messages"])}, *body[part]]}

    with pytest.raises(AssertionError):
        check_prefixes(Restless(), GPT, Layout())
