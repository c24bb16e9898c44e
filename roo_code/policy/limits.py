"""Limits that a person may lift as they are reached: `allowedMaxRequests`, `allowedMaxCost`."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from roo_code.approval_values import ApprovalSettings
from roo_code.errors import BudgetExceeded
from roo_code.events import Event, QuestionAsked, ReachedLimit
from roo_code.policy.given import GivenApprovals

_CENT_PARTS = 0.0001
"""Sums of prices are not exact."""


async def ask_beyond_limits(
    settings: ApprovalSettings, given: GivenApprovals
) -> AsyncGenerator[Event]:
    """Before a request that goes beyond a limit, ask; unattended, end the run with the reason."""
    if given.limit is not None:  # the process died before the run was parked
        yield given.limit
    elif (reached := reached_limit(settings, given)) is not None:
        if settings.unattended:
            error = BudgetExceeded(f"{_told(reached)}, and nobody is there to let it go on.")
            error.hint = "Resume the task at a terminal, where you are asked."
            raise error
        yield QuestionAsked(
            tool_use_id=f"limit_{given.limits_asked + 1}",
            question=f"{_told(reached)}. Go on, and count anew?",
            limit=reached,
        )


def reached_limit(settings: ApprovalSettings, given: GivenApprovals) -> ReachedLimit | None:
    """The limit that one more request would break."""
    if settings.max_requests is not None and given.requests + 1 > settings.max_requests:
        return ReachedLimit(kind="requests", count=settings.max_requests)
    if settings.max_cost is not None and given.cost > settings.max_cost + _CENT_PARTS:
        return ReachedLimit(kind="cost", count=settings.max_cost)
    return None


def _told(reached: ReachedLimit) -> str:
    if reached.kind == "requests":
        return f"The task has reached allowedMaxRequests, {reached.count:.0f}"
    return f"The task has passed allowedMaxCost, ${reached.count:.2f}"
