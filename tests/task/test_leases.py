"""At most one live driver; a dead one is replaced at once, a replaced one is refused."""

import os
import subprocess
import sys
import time

import pytest

from roo_code.errors import LeaseLost
from roo_code.events import TaskSpec
from roo_code.task import leases
from roo_code.task.leases import is_alive, process_owner
from roo_code.task.sqlite_store import SqliteTaskStore

SPEC = TaskSpec(prompt="p", workspace="/w")


async def test_a_live_holder_keeps_the_lease(store: SqliteTaskStore) -> None:
    await store.create("t", SPEC)
    first, second = process_owner(), process_owner()
    lease = await store.acquire("t", first)
    assert lease is not None
    assert await store.acquire("t", second) is None
    await store.release(lease)
    after = await store.acquire("t", second)
    assert after is not None
    assert after.token > lease.token


async def test_a_dead_holder_is_replaced_at_once_and_fenced_off(store: SqliteTaskStore) -> None:
    await store.create("t", SPEC)
    code = "from roo_code.task.leases import process_owner; print(process_owner())"
    dead = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert not is_alive(dead)
    old = await store.acquire("t", dead)
    assert old is not None
    new = await store.acquire("t", process_owner())
    assert new is not None
    with pytest.raises(LeaseLost):
        await store.renew(old)
    await store.release(old)  # must not take the lease from its new holder
    await store.renew(new)


async def test_a_silent_holder_elsewhere_is_replaced_when_its_time_is_up(
    store: SqliteTaskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.create("t", SPEC)
    elsewhere = "another-machine/boot|1|1|x"
    assert is_alive(elsewhere)
    assert await store.acquire("t", elsewhere) is not None
    assert await store.acquire("t", process_owner()) is None
    later = time.time() + leases.LEASE_SECONDS + 1
    monkeypatch.setattr("roo_code.task.sqlite_store.time.time", lambda: later)
    assert await store.acquire("t", process_owner()) is not None


def test_a_reused_process_id_is_another_process() -> None:
    machine, pid, _, nonce = process_owner().split("|")
    assert pid == str(os.getpid())
    assert not is_alive(f"{machine}|{pid}|12345|{nonce}")
