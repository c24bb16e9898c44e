import asyncio
import socket
import threading
from ipaddress import ip_address
from typing import Any

import pytest

from roo_code.sandbox.name_lookup import look_up


async def test_a_name_has_addresses() -> None:
    assert ip_address("127.0.0.1") in await look_up("localhost", 80)


@pytest.mark.parametrize("name", ["name.invalid", "a" * 64 + ".test", "a..b"])
async def test_a_name_without_any_is_an_error(name: str) -> None:
    with pytest.raises(OSError, match=r"\w"):
        await look_up(name, 80)


def test_a_resolver_that_hangs_keeps_nobody_from_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    begun = threading.Event()

    def hang(*_: Any, **__: Any) -> list[Any]:
        begun.set()
        ended.wait()
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hang)

    async def give_up() -> None:
        looking = asyncio.create_task(look_up("name.test", 80))
        await asyncio.to_thread(begun.wait)
        looking.cancel()

    asyncio.run(give_up())  # which would not come back
    hung = next(thread for thread in threading.enumerate() if thread.name == "look up")
    ended.set()
    hung.join()
