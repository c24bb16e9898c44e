"""How long a reply may take, in all and between two of its pieces."""

import asyncio

import pytest

from roo_code.errors import TimedOut
from roo_code.testing import ModelServer
from tests.providers.services import ask, provider_at


async def test_a_reply_that_has_no_end_is_given_up_however_much_of_it_comes() -> None:
    slow = {"kind": "slow", "seconds": 0.01}
    endless = {"text": "a " * 2000, "chunk_size": 1, "faults": [slow]}
    async with (
        ModelServer([endless]) as server,
        provider_at(server.url, request_total_timeout=0.3, request_timeout=30) as provider,
    ):
        with pytest.raises(TimedOut, match=r"was not done after 0\.3 s\."):
            await ask(provider)
        async with asyncio.timeout(5):
            await server.requests[0].client_gone.wait()


async def test_silence_is_told_apart_from_slowness() -> None:
    hang = {"text": "a b", "faults": [{"kind": "hang", "after_chunks": 2}]}
    async with (
        ModelServer([hang]) as server,
        provider_at(server.url, request_total_timeout=30, request_timeout=0.2) as provider,
    ):
        with pytest.raises(TimedOut, match=r"sent nothing for 0\.2 s\."):
            await ask(provider)


def test_both_have_names_in_the_settings() -> None:
    from roo_code.config.schema import ProviderSettings

    found = ProviderSettings(apiProvider="x", requestTotalTimeout=7, apiRequestTimeout=3)
    assert (found.request_total_timeout, found.request_timeout) == (7, 3)
    assert ProviderSettings(api_provider="x").request_total_timeout == 3600
