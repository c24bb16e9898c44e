"""What a person has agreed to in a task, folded from its log."""

from __future__ import annotations

from roo_code.approval_values import ApprovalRule, ApprovalScope
from roo_code.events import (
    ApprovalDecided,
    ApprovalRequested,
    ContextCondensed,
    Event,
    MessageAdded,
    QuestionAsked,
    RunCancelled,
    RunCompleted,
    RunFailed,
    SideRequestEnded,
    SideRequestStarted,
    TurnStarted,
    Waiting,
)
from roo_code.messages import Usage


class GivenApprovals:
    """Rules that hold in the task, and what it used since a person agreed that it goes on."""

    def __init__(self) -> None:
        self.rules: list[ApprovalRule] = []
        self.requests = 0
        self.cost = 0.0
        self.limit: QuestionAsked | None = None
        """The limit that a person is asked to go beyond."""
        self.limits_asked = 0
        self._offered: dict[str, ApprovalRule | None] = {}

    def apply(self, event: Event) -> None:
        match event:
            case TurnStarted() | SideRequestStarted():
                self.requests += 1
            case MessageAdded(message=message):
                self._spend(message.usage)
                self.limit = None
                if message.role == "assistant":
                    self._offered = {}
            case ContextCondensed(usage=usage) | SideRequestEnded(usage=usage):
                self._spend(usage)
            case ApprovalRequested(call=call, rule=rule):
                self._offered[call.id] = rule
            case QuestionAsked(limit=limit) if limit is not None:
                self.limits_asked += event != self.limit
                self.limit = event
            case ApprovalDecided():
                self._note_decision(event)
            case RunCompleted() | RunFailed() | RunCancelled():
                self.limit = None
            case _:
                pass

    @property
    def waiting_for(self) -> tuple[Waiting, ...]:
        if self.limit is None:
            return ()
        return (Waiting(kind="limit", tool_use_id=self.limit.tool_use_id),)

    def offered(self, call_id: str) -> ApprovalRule | None:
        """What a yes to more than this call of the last reply would cover."""
        return self._offered.get(call_id)

    def permitted(self, call_id: str, scope: ApprovalScope) -> ApprovalScope:
        """As far as a yes may reach: some calls can be approved only once."""
        rule = self.offered(call_id)
        if rule is None:
            return "call"
        return "task" if scope == "always" and not rule.always else scope

    def alike(self, call_id: str) -> tuple[str, ...]:
        """Other calls of the reply that the same rule covers."""
        rule = self.offered(call_id)
        return tuple(i for i, r in self._offered.items() if r and r == rule and i != call_id)

    def _note_decision(self, event: ApprovalDecided) -> None:
        if self.limit is not None and event.tool_use_id == self.limit.tool_use_id:
            self.limit = None
            if event.approved:
                self.requests, self.cost = 0, 0.0
        elif event.approved and event.by == "user" and event.scope != "call":
            rule = self.offered(event.tool_use_id)
            if rule is not None and rule not in self.rules:
                self.rules.append(rule)

    def _spend(self, usage: Usage | None) -> None:
        self.cost += usage.cost or 0 if usage else 0
