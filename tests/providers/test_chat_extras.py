"""What single services and options of Roo's add to a chat completions request."""

from typing import Any

import pytest

from roo_code.messages import Message
from roo_code.providers.base import ModelInfo, ModelRequest
from roo_code.providers.catalog import CATALOG
from roo_code.providers.protocols.openai_chat import OpenAiChat
from tests.providers.requests import settings

MODEL = ModelInfo(id="m", max_output_tokens=500, supports_verbosity=True)


def body(provider: str, info: ModelInfo = MODEL, **fields: Any) -> dict[str, Any]:
    metadata = {"task_id": "t-1", "mode": "code"}
    request = ModelRequest(
        system_prompt="Be brief.", messages=(Message.from_user("Hello"),), metadata=metadata
    )
    chat = OpenAiChat(CATALOG[provider].quirks)
    return chat.encode(request, settings(provider, **fields), info)


def test_openrouter_is_told_which_provider_to_use_if_one_is_chosen() -> None:
    assert body("openrouter", openRouterSpecificProvider="groq")["provider"] == {
        "order": ["groq"],
        "only": ["groq"],
        "allow_fallbacks": False,
    }
    assert "provider" not in body("openrouter", openRouterSpecificProvider="[default]")
    assert "provider" not in body("deepseek", openRouterSpecificProvider="groq")


def test_routers_are_told_which_task_a_request_is_of() -> None:
    traced = {"trace_id": "t-1", "extra": {"mode": "code"}}
    assert body("requesty")["requesty"] == traced
    told = {"originApp": "roo-code", "taskId": "t-1", "mode": "code"}
    assert body("unbound")["unbound_metadata"] == told
    assert "t-1" not in str(body("openai"))


@pytest.mark.parametrize(
    ("effort", "sent"),
    [
        ("high", {"enabled": True, "effort": "high"}),
        ("disable", {"enabled": False}),
        (None, None),
    ],
)
def test_roo_switches_reasoning_on_and_off(effort: str | None, sent: dict[str, Any] | None) -> None:
    assert body("roo", reasoning_effort=effort).get("reasoning") == sent


def test_lm_studio_drafts_with_another_model_where_that_is_on() -> None:
    on = body("lmstudio", lmStudioDraftModelId="s", lmStudioSpeculativeDecodingEnabled=True)
    assert on["draft_model"] == "s"
    assert "draft_model" not in body("lmstudio", lmStudioDraftModelId="small")


def test_the_limit_of_the_model_is_sent_where_that_is_wanted() -> None:
    assert body("openai", includeMaxTokens=True)["max_tokens"] == 500
    assert "max_tokens" not in body("openai")
    assert body("openai", includeMaxTokens=True, max_tokens=9)["max_tokens"] == 9


def test_verbosity_is_for_models_that_know_it() -> None:
    assert body("openai", verbosity="low")["verbosity"] == "low"
    assert "verbosity" not in body("openai", ModelInfo(id="m"), verbosity="low")


def test_r1_gets_its_instructions_from_the_user() -> None:
    said = body("openai", openAiR1FormatEnabled=True)["messages"]
    assert said == [{"role": "user", "content": "Be brief.\n\nHello"}]


@pytest.mark.parametrize(
    ("provider", "model", "options", "marks"),
    [
        ("openrouter", "anthropic/claude-sonnet-4.5", {}, True),
        ("openrouter", "openai/gpt-5.1", {}, False),
        ("litellm", "claude", {}, False),
        ("litellm", "claude", {"litellmUsePromptCache": True}, True),
        ("openai", "m", {"openAiCustomModelInfo": {"supportsPromptCache": True}}, True),
        ("openai", "claude", {}, False),
        ("deepseek", "claude", {"litellmUsePromptCache": True}, False),
    ],
)
def test_cache_marks_go_where_they_are_understood(
    provider: str, model: str, options: dict[str, Any], marks: bool
) -> None:
    for message in body(provider, ModelInfo(id=model), **options)["messages"]:
        last = message["content"][-1]
        assert (isinstance(last, dict) and "cache_control" in last) == marks
