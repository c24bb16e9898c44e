"""What a task's agent may do unasked: its approver, its limits, the rules a person agreed to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

from msgspec.structs import replace

from roo_code.agent import Agent
from roo_code.approval_values import ApprovalRule, ApprovalSettings
from roo_code.errors import ConfigError
from roo_code.history import History
from roo_code.json_text import JsonValue
from roo_code.policy.levels import PolicyApprover
from roo_code.policy.limits import ask_beyond_limits
from roo_code.sandbox.confinement import UNCONFINED, Confinement, sandbox_mode


def govern(agent: Agent, approval: ApprovalSettings, tell: Callable[[str], None]) -> None:
    """Give the agent its approver and its limits, and write down what was agreed to for always.

    Raises:
        ConfigError: The level needs a sandbox, and this machine or the settings have none.
    """
    confined = cache(partial(_confinement, agent))
    if approval.level == "full-auto-in-sandbox" and not confined().confines:
        raise ConfigError(
            f"The approval level 'full-auto-in-sandbox' needs a sandbox. {confined().told}",
            hint="roo doctor says what is missing. Or choose another level: --approve auto.",
        )
    given = agent.history.approvals
    agent.approver = PolicyApprover(approval, agent.context.workspace, given, confinement=confined)
    agent.preparations.append(partial(ask_beyond_limits, approval, given))
    agent.is_attended = not approval.unattended
    settings = {**agent.context.settings, **_question_settings(approval)}
    agent.context = replace(agent.context, settings=settings)
    _write_rules(agent.history, tell)


def _confinement(agent: Agent) -> Confinement:
    context = agent.context
    if sandbox_mode(context.settings) == "off":
        return UNCONFINED
    from roo_code.sandbox.chosen_sandbox import confinement_of  # noqa: PLC0415 - few tasks need it

    return confinement_of(context.workspace.root, context.settings)


def _question_settings(approval: ApprovalSettings) -> dict[str, JsonValue]:
    """As the task was told when it was made, by Roo's names, whatever the settings say now."""
    after = approval.answer_after
    return {
        "alwaysAllowFollowupQuestions": after is not None,
        "followupAutoApproveTimeoutMs": (after or 0) * 1000,
    }


def _write_rules(history: History, tell: Callable[[str], None]) -> None:
    """Before the call runs that was asked about; a rule that is written twice is there once."""
    for rule in _agreed(history):
        from roo_code.policy.rule_writing import write_rule  # noqa: PLC0415 - few tasks need it

        try:
            write_rule(rule)
        except ConfigError as error:  # the call may run all the same: the person said yes to it
            tell(f"The rule could not be written: {error} {error.hint}".rstrip())


def _agreed(history: History) -> Iterator[ApprovalRule]:
    for pending in history.pending.values():
        decided = pending.decision
        if decided and decided.approved and decided.scope == "always" and not pending.started:
            rule = history.approvals.offered(pending.call.id)
            if rule is not None:
                yield rule
