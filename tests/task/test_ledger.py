"""Budgets: nothing is spent that was not reserved, here and in every task above."""

import asyncio

import pytest

from roo_code.errors import BudgetExceeded
from roo_code.events import Limits, ParentCall, TaskSpec
from roo_code.task.sqlite_store import SqliteTaskStore
from roo_code.task.store import Amount

CALL = Amount(turns=1, tokens=100, cost=0.10)
SURE = Amount(turns=1, tokens=40, cost=0.04)


def spec(limits: Limits, parent: str | None = None) -> TaskSpec:
    call = ParentCall(task_id=parent, tool_use_id="c") if parent else None
    return TaskSpec(prompt="p", workspace="/w", limits=limits, parent=call)


async def test_turns_tokens_and_cost_each_stop_the_next_call(store: SqliteTaskStore) -> None:
    for name, limits in {
        "turns": Limits(turns=2),
        "tokens": Limits(tokens=150),
        "cost": Limits(cost=0.15),
    }.items():
        await store.create(name, spec(limits))
        for _ in range(2):
            await store.ledger.settle(await store.ledger.reserve(name, CALL, SURE), CALL)
        with pytest.raises(BudgetExceeded, match=name if name != "cost" else r"\$0\.2"):
            await store.ledger.reserve(name, CALL, SURE)


async def test_children_draw_on_the_budget_of_all_above(store: SqliteTaskStore) -> None:
    await store.create("root", spec(Limits(cost=0.25)))
    await store.create("child", spec(Limits(), "root"))
    await store.create("grandchild", spec(Limits(), "child"))
    for task_id in ("grandchild", "child", "root"):
        await store.ledger.settle(await store.ledger.reserve(task_id, CALL, SURE), CALL)
    with pytest.raises(BudgetExceeded, match="'root'"):
        await store.ledger.reserve("grandchild", CALL, SURE)


async def test_fifty_children_at_once_overspend_by_one_call_at_most(
    store: SqliteTaskStore,
) -> None:
    await store.create("root", spec(Limits(cost=1.0)))
    for number in range(50):
        await store.create(f"c{number}", spec(Limits(), "root"))
    tries = [store.ledger.reserve(f"c{number}", CALL, SURE) for number in range(50)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    granted = [result for result in results if isinstance(result, int)]
    assert 10 <= len(granted) <= 11
    assert all(isinstance(r, BudgetExceeded) for r in results if not isinstance(r, int))


async def test_what_a_dead_driver_reserved_counts_as_what_is_sure(store: SqliteTaskStore) -> None:
    await store.create("root", spec(Limits(tokens=75)))
    await store.create("child", spec(Limits(), "root"))
    await store.ledger.reserve("child", CALL, SURE)
    with pytest.raises(BudgetExceeded):
        await store.ledger.reserve("root", CALL, SURE)
    await store.ledger.settle_abandoned("child")
    await store.ledger.settle_abandoned("child")
    await store.ledger.reserve("root", CALL, SURE)  # 40 of 75 are used


async def test_the_ledger_outlives_the_process(store: SqliteTaskStore) -> None:
    await store.create("t", spec(Limits(turns=1)))
    await store.ledger.settle(await store.ledger.reserve("t", CALL, SURE), CALL)
    again = SqliteTaskStore(store.path)
    try:
        with pytest.raises(BudgetExceeded):
            await again.ledger.reserve("t", CALL, SURE)
        await again.ledger.set_limits("t", Limits(turns=2))
        await again.ledger.reserve("t", CALL, SURE)
    finally:
        await again.aclose()


async def test_time_is_the_least_that_anyone_above_has_left(store: SqliteTaskStore) -> None:
    await store.create("root", spec(Limits(seconds=10)))
    await store.create("child", spec(Limits(seconds=30), "root"))
    await store.create("free", spec(Limits()))
    await store.ledger.spend("child", Amount(seconds=4))
    assert await store.ledger.seconds_left("child") == 6
    assert await store.ledger.seconds_left("free") is None
