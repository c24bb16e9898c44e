"""What would be decided on a command, as a task would decide it, with what led to it."""

from __future__ import annotations

from msgspec import Struct

from roo_code.approval_values import ApprovalLevel, ApprovalSettings
from roo_code.events import ApprovalRequested
from roo_code.messages import ToolUseContent
from roo_code.policy.approval import CallFacts
from roo_code.policy.levels import PolicyApprover, shell_rules
from roo_code.policy.shell.judge import judge
from roo_code.policy.shell.places import Places
from roo_code.policy.shell.verdict import Decision, JudgedCommand
from roo_code.workspace.workspace import Workspace


class Explained(Struct, frozen=True, kw_only=True):
    decision: Decision
    reason: str
    level: ApprovalLevel
    commands: tuple[JudgedCommand, ...] = ()
    """Each command of the line, as the lists judge it by itself."""
    writes: tuple[str, ...] = ()


async def explained(
    command: str, settings: ApprovalSettings, workspace: Workspace, approver: PolicyApprover
) -> Explained:
    """The decision is the approver's own: what is shown is what runs."""
    call = ToolUseContent(id="explained", name="execute_command", input={"command": command})
    facts = CallFacts(call=call, group="command", read_only=False, command=command)
    decided = await approver.decide(facts)
    judged = judge(command, shell_rules(settings), Places(workspace))
    if isinstance(decided, ApprovalRequested):
        decision: Decision = "ask"
    else:
        decision = "allow" if decided.approved else "deny"
    return Explained(
        decision=decision,
        reason=decided.reason,
        level=settings.level,
        commands=judged.commands,
        writes=judged.writes,
    )
