"""What is known of models, and the file it comes from."""

import subprocess
import sys
from pathlib import Path

import pytest

from roo_code.messages import Usage
from roo_code.providers.base import CachePoints, ModelInfo, PriceTier
from roo_code.providers.catalog import CATALOG
from roo_code.providers.models import _facts, known_models, model_info

ROOT = Path(__file__).parents[2]


def test_a_known_model_has_its_facts() -> None:
    assert model_info("anthropic", "claude-sonnet-4-5") == ModelInfo(
        id="claude-sonnet-4-5",
        context_window=200_000,
        extended_context_window=1_000_000,
        max_output_tokens=64_000,
        input_price=3,
        output_price=15,
        cache_read_price=0.3,
        cache_write_price=3.75,
        tiers=(PriceTier(6, 22.5, 0.6, 7.5, above=200_000),),
        supports_images=True,
        supports_reasoning=True,
        reasoning_budget=True,
        supports_prompt_cache=True,
    )
    codex = model_info("openai-native", "gpt-5.1-codex-max")
    assert codex.reasoning_efforts == ("low", "medium", "high", "xhigh")
    assert (codex.default_effort, codex.cache_retention) == ("xhigh", "24h")
    assert (codex.preferred_tools, codex.supports_temperature) == (("apply_patch",), False)
    nova = model_info("bedrock", "amazon.nova-lite-v1:0")
    assert nova.cache_points == CachePoints(1, 1, ("system",))
    thinker = model_info("gemini", "gemini-2.5-pro")
    assert (thinker.requires_reasoning, thinker.max_thinking_tokens) == (True, 32_768)
    assert model_info("deepseek", "deepseek-reasoner").keeps_reasoning


@pytest.mark.parametrize(
    ("provider", "model", "price"),
    [
        ("anthropic", "claude-sonnet-4-5-20250929", 3),
        ("anthropic", "claude-opus-4-5", 5),
        ("anthropic", "claude-haiku-4-5", 1),
        ("openai", "gpt-5.1", 1.25),
        ("openai-native", "gpt-5-mini-2025-08-07", 0.25),
        ("openai", "gpt-4.1-2025-04-14", 2),
        ("deepseek", "deepseek-chat", 0.28),
        ("fireworks", "accounts/fireworks/models/glm-4p6", 0.55),
        ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", 3),
        ("bedrock", "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.amazon.nova-pro-v1:0", 0.8),
        ("vertex", "claude-opus-4-5", 5),
        ("openrouter", "anthropic/claude-sonnet-4.5", 3),
        ("openrouter", "anthropic/claude-3.7-sonnet:thinking", 3),
        ("openrouter", "google/gemini-2.5-pro", 1.25),
        ("openrouter", "x-ai/grok-code-fast-1", 0.2),
        ("roo", "xai/grok-code-fast-1", 0.2),
        ("litellm", "claude-3-7-sonnet-20250219", 3),
        ("litellm", "gpt-4.1", 2),
        ("unbound", "anthropic/claude-sonnet-4-5", 3),
        ("ollama", "anything:7b", 0),
        ("zai", "glm-4.6", 0.6),
        ("zai-cn", "glm-4.6", 0.29),
    ],
)
def test_a_model_is_found_by_the_name_it_goes_by(provider: str, model: str, price: float) -> None:
    found = model_info(provider, model)
    assert (found.id, found.input_price) == (model, price)


@pytest.mark.parametrize(
    ("provider", "model"),
    [("anthropic", "claude-99"), ("openrouter", "nobody/nothing"), ("nowhere", "gpt-4.1")],
)
def test_of_an_unknown_model_nothing_is_claimed(provider: str, model: str) -> None:
    found = model_info(provider, model)
    assert found == ModelInfo(id=model)
    assert found.supports_reasoning is None
    assert found.cost(Usage(input_tokens=1)) is None


@pytest.mark.parametrize("provider", sorted(_facts()))
def test_every_row_is_plausible(provider: str) -> None:
    assert provider.removesuffix("-cn") in CATALOG
    for found in known_models(provider):
        assert found.context_window is not None
        assert found.max_output_tokens is not None
        assert found.input_price is not None
        assert found.output_price is not None
        assert found.max_output_tokens > 0
        assert found.max_output_tokens <= found.context_window or found.id in TOO_MUCH_OUTPUT
        assert 0 <= found.input_price <= found.output_price * 2 + 0.01
        for tier in found.tiers:
            assert tier.above < (found.extended_context_window or found.context_window)


TOO_MUCH_OUTPUT = {"meta.llama3-1-8b-instruct-v1:0"}
"""As its service says: the limit of a reply alone is beyond its context."""


@pytest.mark.parametrize("id", sorted(CATALOG))
def test_the_default_model_of_a_service_with_a_table_is_in_it(id: str) -> None:
    if known := known_models(id):
        assert CATALOG[id].default_model in {model.id for model in known}


def test_the_file_is_what_the_tables_say() -> None:
    check = [sys.executable, "scripts/model-facts", "--check"]
    done = subprocess.run(check, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_script_refuses_what_it_does_not_understand(tmp_path: Path) -> None:
    table = tmp_path / "scripts" / "model_facts" / "mine.toml"
    table.parent.mkdir(parents=True)
    (tmp_path / "roo_code" / "providers").mkdir(parents=True)
    script = tmp_path / "scripts" / "model-facts"
    script.write_bytes((ROOT / "scripts/model-facts").read_bytes())
    good = "[m]\ncontext = 1\noutput = 1\nprice = { input = 1, output = 2 }\nprompt_cache = false\n"
    for text, words in {
        good: "",
        good.replace("output = 1\n", ""): "mine.toml: m: output is missing",
        f"{good}colour = 1\n": "mine.toml: m: nobody knows colour",
        good.replace("output = 2", "outputs = 2"): "nobody knows outputs",
        f"{good}tiers = [{{ below = 1 }}]\n": "a tier has no below",
    }.items():
        table.write_text(text)
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
        assert words in done.stderr
        assert done.returncode == (1 if words else 0)
    table.write_text(good.replace("output = 2", "output = 3"))
    check = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert check.returncode == 1
    assert "run scripts/model-facts" in check.stderr


def test_a_lookup_reads_the_file_once() -> None:
    model_info("anthropic", "claude-sonnet-4-5")
    began = _facts.cache_info().misses
    model_info("openai", "gpt-5.1")
    assert _facts.cache_info().misses == began
