"""Counting tokens without asking anyone."""

import subprocess
import sys

import pytest

from roo_code.providers.tokens import count
from tests.providers.services import provider_at


@pytest.mark.requirement("providers:tokens:count")
async def test_tokens_are_counted_locally() -> None:
    assert count("") == 0
    assert count("hello world") == 2
    assert count("<|endoftext|>") > 1  # a text that names a control token holds none
    assert count("caf\udce9") > 0
    async with provider_at("http://127.0.0.1:1") as provider:
        assert provider.count_tokens("hello world") == 2


def test_the_tables_are_loaded_only_when_something_is_counted() -> None:
    program = "import sys, roo_code.client; print('splintr' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n"
