"""What is known of models, and what their use costs."""

import pytest

from roo_code.messages import Usage
from roo_code.providers.base import ModelInfo
from roo_code.providers.model_table import ROWS
from roo_code.providers.models import model_info


def test_a_known_model_has_its_facts() -> None:
    assert model_info("anthropic", "claude-sonnet-4-5") == ModelInfo(
        id="claude-sonnet-4-5",
        context_window=200_000,
        max_output_tokens=64_000,
        input_price=3,
        output_price=15,
        cache_read_price=0.3,
        cache_write_price=3.75,
        supports_images=True,
        supports_reasoning=True,
    )


@pytest.mark.parametrize(
    ("provider", "model", "price"),
    [
        ("anthropic", "claude-sonnet-4-5-20250929", 3),
        ("anthropic", "claude-opus-4-5", 5),
        ("anthropic", "claude-haiku-4-5", 1),
        ("openai", "gpt-5.1", 1.25),
        ("openai", "gpt-4.1-2025-04-14", 2),
        ("deepseek", "deepseek-chat", 0.28),
        ("fireworks", "accounts/fireworks/models/glm-4p6", 0.55),
        ("openrouter", "anthropic/claude-sonnet-4.5", 3),
        ("openrouter", "x-ai/grok-code-fast-1", 0.2),
        ("litellm", "claude-3-7-sonnet-20250219", 3),
        ("litellm", "gpt-4.1", 2),
        ("unbound", "anthropic/claude-sonnet-4-5", 3),
        ("ollama", "anything:7b", 0),
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


@pytest.mark.parametrize("provider", sorted(ROWS))
def test_every_row_is_plausible(provider: str) -> None:
    for name in ROWS[provider]:
        found = model_info(provider, name)
        assert found.context_window is not None
        assert found.max_output_tokens is not None
        assert found.input_price is not None
        assert found.output_price is not None
        assert 0 < found.max_output_tokens <= found.context_window
        assert 0 <= found.input_price <= found.output_price * 2 + 0.01


@pytest.mark.requirement("providers:cost:per-request")
def test_the_cost_is_the_price_of_each_kind_of_token_or_what_the_service_says() -> None:
    sonnet = model_info("anthropic", "claude-sonnet-4-5")
    used = Usage(
        input_tokens=1_000_000,
        output_tokens=100_000,
        cache_read_tokens=1_000_000,
        cache_write_tokens=1_000_000,
    )
    assert sonnet.cost(used) == pytest.approx(3 + 1.5 + 0.3 + 3.75)
    assert sonnet.cost(used.replace(cost=0.01)) == 0.01
    plain = ModelInfo(id="m", input_price=2, output_price=4)
    assert plain.cost(used) == pytest.approx(6.4)
