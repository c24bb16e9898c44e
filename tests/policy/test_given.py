"""What a task has used since a person agreed that it goes on, and what is asked then."""

from collections.abc import Iterable

import pytest

from roo_code.approval_values import ApprovalSettings
from roo_code.errors import BudgetExceeded
from roo_code.events import (
    ApprovalDecided,
    ContextCondensed,
    Event,
    MessageAdded,
    QuestionAsked,
    ReachedLimit,
    RunCancelled,
    TurnStarted,
    Waiting,
)
from roo_code.messages import Message, Usage
from roo_code.policy.given import GivenApprovals
from roo_code.policy.limits import ask_beyond_limits

TURN = TurnStarted(turn=1)
MORE = MessageAdded(message=Message.from_user("more"))


def reply(cost: float) -> Event:
    usage = Usage(cost=cost)
    return MessageAdded(message=Message(role="assistant", content=(), usage=usage))


def given(events: Iterable[Event]) -> GivenApprovals:
    approvals = GivenApprovals()
    for event in events:
        approvals.apply(event)
    return approvals


async def asked(settings: ApprovalSettings, approvals: GivenApprovals) -> QuestionAsked | None:
    events = [event async for event in ask_beyond_limits(settings, approvals)]
    for event in events:
        approvals.apply(event)
    assert all(isinstance(event, QuestionAsked) for event in events)
    return events[0] if events else None  # pyright: ignore[reportReturnType] - asserted


def yes(asked: QuestionAsked) -> Event:
    return ApprovalDecided(tool_use_id=asked.tool_use_id, approved=True, by="user")


@pytest.mark.parametrize(
    ("settings", "events", "limit"),
    [
        (ApprovalSettings(), [TURN] * 100, None),
        (ApprovalSettings(max_requests=2), [TURN], None),
        (ApprovalSettings(max_requests=2), [TURN, TURN], ("requests", 2)),
        (ApprovalSettings(max_cost=1.0), [reply(0.5), reply(0.5)], None),
        (ApprovalSettings(max_cost=1.0), [reply(0.5), reply(0.51)], ("cost", 1.0)),
        (ApprovalSettings(max_cost=1.0), [reply(0.9), ContextCondensed(
            summary="", kept=0, tokens_before=1, tokens_after=1, usage=Usage(cost=0.2))],
         ("cost", 1.0)),
        (ApprovalSettings(max_requests=9, max_cost=1.0), [TURN, reply(2)], ("cost", 1.0)),
    ],
)  # fmt: skip
async def test_a_request_beyond_a_limit_is_asked_about(
    settings: ApprovalSettings, events: list[Event], limit: tuple[str, float] | None
) -> None:
    question = await asked(settings, given(events))
    expected = None if limit is None else ReachedLimit(kind=limit[0], count=limit[1])  # pyright: ignore[reportArgumentType]
    assert (question.limit if question else None) == expected


async def test_a_yes_counts_anew_and_each_ask_has_an_id_of_its_own() -> None:
    settings = ApprovalSettings(max_requests=1)
    approvals = given([TURN])
    first = await asked(settings, approvals)
    assert first is not None
    assert approvals.waiting_for == (Waiting(kind="limit", tool_use_id=first.tool_use_id),)
    approvals.apply(yes(first))
    assert (approvals.waiting_for, await asked(settings, approvals)) == ((), None)
    approvals.apply(TURN)
    second = await asked(settings, approvals)
    assert second is not None
    assert second.tool_use_id != first.tool_use_id


async def test_an_open_ask_is_asked_again_as_it_was_after_a_crash() -> None:
    settings = ApprovalSettings(max_requests=1)
    approvals = given([TURN])
    assert await asked(settings, approvals) == await asked(settings, approvals)


@pytest.mark.parametrize("event", [MORE, RunCancelled()])
async def test_whatever_else_comes_leaves_the_limit_where_it_is(event: Event) -> None:
    settings = ApprovalSettings(max_requests=1)
    approvals = given([TURN])
    first = await asked(settings, approvals)
    approvals.apply(event)
    assert approvals.waiting_for == ()
    second = await asked(settings, approvals)
    assert first is not None
    assert second is not None
    assert second.tool_use_id != first.tool_use_id


async def test_where_nobody_can_be_asked_the_run_ends_and_says_why() -> None:
    with pytest.raises(BudgetExceeded, match="reached allowedMaxRequests, 2, and nobody"):
        await asked(ApprovalSettings(max_requests=2, unattended=True), given([TURN, TURN]))
