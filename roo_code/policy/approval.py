"""Approvers: who decides whether a call may run."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from msgspec import Struct

from roo_code.events import ApprovalDecided, ApprovalRequested
from roo_code.messages import ToolUseContent
from roo_code.tool_aliases import canonical_name

Verdict: TypeAlias = ApprovalDecided | ApprovalRequested


class CallFacts(Struct, frozen=True, kw_only=True):
    """What an approver may know of a call; made from the tool and its parsed input."""

    call: ToolUseContent
    group: str
    read_only: bool
    paths: tuple[str, ...] = ()
    """Files the call would touch, as the model wrote them."""
    command: str | None = None
    """The shell command it would run."""
    in_sandbox: bool = True
    """Whether what it runs goes into the task's sandbox, where there is one."""
    server: str = ""
    """The MCP server it would go to."""
    tool: str = ""
    """That server's tool."""
    allowed_by_server: bool = False
    """Whether the server's own `alwaysAllow` names the tool."""

    @property
    def name(self) -> str:
        """The tool's own name, whatever the model called it."""
        return canonical_name(self.call.name)

    @property
    def raises_risk(self) -> bool:
        """Whether the model itself wants a person to look: it may raise the risk, never lower."""
        return self.call.input.get("requires_approval") in (True, "true", "True")


class Approver(Protocol):
    async def decide(self, facts: CallFacts) -> Verdict:
        """Yes or no now, or a request that a person answers later; the run parks on it."""
        ...


def allow(facts: CallFacts, reason: str, *, confined: bool = False) -> ApprovalDecided:
    return ApprovalDecided(
        tool_use_id=facts.call.id, approved=True, by="policy", reason=reason, confined=confined
    )


def refuse(facts: CallFacts, reason: str) -> ApprovalDecided:
    return ApprovalDecided(tool_use_id=facts.call.id, approved=False, by="policy", reason=reason)


class ApproveAll:
    """For an agent used as a library, whose caller answers for it."""

    async def decide(self, facts: CallFacts) -> Verdict:
        return allow(facts, "everything is approved")
