"""PolicyApprover: what runs without a person, what is asked, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import structs

from roo_code.approval_values import ApprovalRule, ApprovalSettings
from roo_code.errors import ToolError
from roo_code.events import ApprovalRequested
from roo_code.policy.approval import CallFacts, Verdict, allow, refuse
from roo_code.policy.given import GivenApprovals
from roo_code.policy.grants import grants_of, needed_grant, switch_of
from roo_code.policy.protected import is_protected
from roo_code.policy.scope import is_covered, rule_for
from roo_code.sandbox.confinement import UNCONFINED, Confinement
from roo_code.workspace.workspace import Workspace

if TYPE_CHECKING:
    from roo_code.policy.shell.verdict import ShellRules, ShellVerdict

_FILE_GROUPS = {"read", "edit", "command"}
_SANDBOX_LEVELS = {"auto", "full-auto-in-sandbox"}
_REASONS = {
    "read": "it only reads",
    "write": "it edits files of the workspace",
    "modes": "it changes nothing by itself",
    "subtasks": "it changes nothing by itself",
    "image": "it makes a picture in the workspace",
}


class PolicyApprover:
    """Decides by level and lists; asks where they leave it open, or refuses if nobody is there."""

    def __init__(
        self,
        settings: ApprovalSettings,
        workspace: Workspace,
        given: GivenApprovals | None = None,
        *,
        confinement: Callable[[], Confinement] = lambda: UNCONFINED,
    ) -> None:
        self._settings = settings
        self._workspace = workspace
        self._given = given or GivenApprovals()
        self._confinement = confinement
        """Whether commands run where they can do no harm; asked only when there is one."""

    async def decide(self, facts: CallFacts) -> Verdict:
        command = self._judge_command(facts)
        if command and command.decision == "deny":
            return refuse(facts, command.reason)
        if self._settings.level == "all":
            return allow(facts, "everything is approved")
        if (outside := self._outside(facts)) is not None:
            return refuse(facts, outside)  # the tool would refuse it too: nobody need be asked
        reason, confined = self._allowed_because(facts, command)
        if not reason and self._settings.level == "read-only":
            return refuse(facts, "approval level 'read-only' lets nothing happen but reading")
        if facts.raises_risk:
            return self._ask(facts, "the model itself says that it needs approval", None)
        if reason:
            return allow(facts, reason, confined=confined)
        if path := self._protected(facts):
            reason = f"{path!r} is protected: it steers the agent or runs code"
            return self._ask(facts, reason, None)
        if self._is_given(facts):
            return allow(facts, "a person approved its like for this task")
        return self._ask(facts, self._open_because(facts, command), self._rule(facts))

    # Commands

    def _judge_command(
        self, facts: CallFacts, rules: ShellRules | None = None
    ) -> ShellVerdict | None:
        """What the lists say; None if the call runs no command."""
        if facts.group != "command" or facts.command is None:
            return None
        from roo_code.policy.shell.judge import judge  # noqa: PLC0415 - most tasks run none early
        from roo_code.policy.shell.places import Places  # noqa: PLC0415

        places = Places(self._workspace, *facts.paths[:1])
        return judge(facts.command, rules or shell_rules(self._settings), places)

    def _entries(self, facts: CallFacts) -> tuple[str, ...]:
        if facts.group != "command" or facts.command is None:
            return ()
        from roo_code.policy.shell.leading_words import entries_for  # noqa: PLC0415 - as above
        from roo_code.policy.shell.places import Places  # noqa: PLC0415

        places = Places(self._workspace, *facts.paths[:1])
        return entries_for(facts.command, _agreed_rules(self._settings), places)

    # Reasons

    def _allowed_because(self, facts: CallFacts, command: ShellVerdict | None) -> tuple[str, bool]:
        """Why the call may run unasked, empty if it may not; and whether only in a sandbox."""
        grant = needed_grant(facts)
        if grant is None or grant not in grants_of(self._settings):
            return "", False
        if grant == "execute":
            return self._runs_because(facts, command)
        if grant == "mcp":
            if facts.allowed_by_server:
                return "the server's alwaysAllow names it, or it lists it", False
            by_switch = self._settings.level == "switches" and facts.name == "access_mcp_resource"
            return "alwaysAllowMcp is on" if by_switch else "", False
        if self._protected(facts) and "write_protected" not in grants_of(self._settings):
            return "", False
        return _REASONS[grant], False

    def _runs_because(self, facts: CallFacts, command: ShellVerdict | None) -> tuple[str, bool]:
        allowed = command if command and command.decision == "allow" else None
        if allowed and not allowed.runs_project:
            return allowed.reason, False
        if self._settings.level not in _SANDBOX_LEVELS or not facts.in_sandbox:
            return "", False
        held = self._confinement()
        if held.reaches_out and self._settings.level == "auto":
            return "", False  # it could tell anyone what it reads
        if held.confines:
            return "commands run in a sandbox", True
        if allowed and held.can_confine:
            return f"{allowed.reason}, in a sandbox", True
        return "", False

    def _open_because(self, facts: CallFacts, command: ShellVerdict | None) -> str:
        level, grant = self._settings.level, needed_grant(facts)
        if grant == "execute" and grant in grants_of(self._settings) and command:
            return f"no rule lets this command run unasked: {self._missing(facts, command)}"
        if level == "switches" and grant is not None:
            if grant in grants_of(self._settings):
                return f"the server's alwaysAllow does not name {facts.tool or facts.call.name}"
            return f"{switch_of(grant)} is off"
        return f"approval level {level!r} does not cover {facts.call.name}"

    def _missing(self, facts: CallFacts, command: ShellVerdict) -> str:
        if command.decision != "allow":
            others = sum(judged.decision != "allow" for judged in command.commands) - 1
            told = command.reason.removeprefix(f"{(facts.command or '').strip()}: ")
            return f"{told} ({others} more of the line likewise)" if others > 0 else told
        judged = self._judge_command(facts, _agreed_rules(self._settings))
        return f"{judged.reason if judged else ''}, and there is no sandbox without network for it"

    def _ask(self, facts: CallFacts, reason: str, rule: ApprovalRule | None) -> Verdict:
        if self._settings.unattended:
            return refuse(facts, f"{reason}, and nobody is there to approve it")
        return ApprovalRequested(call=facts.call, reason=reason, rule=rule)

    # Approvals for more than one call

    def _rule(self, facts: CallFacts) -> ApprovalRule | None:
        if self._settings.unattended or (facts.group == "edit" and not facts.paths):
            return None
        return rule_for(facts, self._settings, self._entries(facts))

    def _is_given(self, facts: CallFacts) -> bool:
        rules = self._given.rules
        if facts.group == "edit" and not facts.paths:
            return False
        entries = [entry for rule in rules if rule.kind == "command" for entry in rule.covers]
        if facts.group == "command" and entries:
            verdict = self._judge_command(facts, _agreed_rules(self._settings, *entries))
            return verdict is not None and verdict.decision == "allow"
        return is_covered(facts, rules)

    # Files

    def _outside(self, facts: CallFacts) -> str | None:
        """What is wrong with a path of the call, if it is one the tools will not touch."""
        if facts.group not in _FILE_GROUPS:
            return None
        reads = facts.group == "read"
        resolve = self._workspace.resolve_readable if reads else self._workspace.resolve
        try:
            for path in facts.paths:
                resolve(path)
        except ToolError as error:
            return str(error)
        return None

    def _protected(self, facts: CallFacts) -> str:
        """The first protected file among those it would change, as named or as links lead to."""
        for path in facts.paths if facts.group == "edit" else ():
            real = self._workspace.relative(self._workspace.resolve(path))
            if is_protected(path) or is_protected(real):
                return path
        return ""


def shell_rules(settings: ApprovalSettings) -> ShellRules:
    """What a command is held against."""
    from roo_code.policy.shell.verdict import ShellRules  # noqa: PLC0415 - loaded with the judge

    profile = settings.profile if settings.level in _SANDBOX_LEVELS else ""
    return ShellRules(settings.allowed_commands, settings.denied_commands, profile)


def _agreed_rules(settings: ApprovalSettings, *more: str) -> ShellRules:
    """With what a person agreed to in the task; their own list counts if commands run unasked."""
    rules = shell_rules(settings)
    listed = rules.allowed if "execute" in grants_of(settings) else ()
    return structs.replace(rules, allowed=(*listed, *more), runs_project=False)
