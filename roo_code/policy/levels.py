"""PolicyApprover: what each approval level lets through without a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roo_code.errors import ToolError
from roo_code.events import ApprovalRequested, ApprovalSettings
from roo_code.policy.approval import CallFacts, Verdict, allow, refuse
from roo_code.policy.protected import is_protected
from roo_code.workspace.workspace import Workspace

if TYPE_CHECKING:
    from roo_code.policy.shell.verdict import ShellVerdict

_READS_FROM = {"auto", "edits", "read"}
_EDITS_FROM = {"auto", "edits"}
_READING_GROUPS = {"read", "advanced"}
_FILE_GROUPS = {"read", "edit", "command"}


class PolicyApprover:
    """Decides by level and lists; asks where they leave it open, or refuses if nobody is there."""

    def __init__(
        self, settings: ApprovalSettings, workspace: Workspace, *, sandboxed: bool = False
    ) -> None:
        self._settings = settings
        self._workspace = workspace
        self._sandboxed = sandboxed
        """Whether commands run where they can do no harm."""

    async def decide(self, facts: CallFacts) -> Verdict:
        command = self._judge_command(facts)
        if command and command.decision == "deny":
            return refuse(facts, command.reason)
        if self._settings.level == "all":
            return allow(facts, "everything is approved")
        if (outside := self._outside(facts)) is not None:
            return refuse(facts, outside)  # the tool would refuse it too: nobody need be asked
        if reason := self._allowed_because(facts, command):
            return allow(facts, reason)
        return self._ask(facts, self._open_because(facts, command))

    def _judge_command(self, facts: CallFacts) -> ShellVerdict | None:
        if facts.group != "command" or facts.command is None:
            return None
        from roo_code.policy.shell.judge import judge  # noqa: PLC0415 - most tasks run none early
        from roo_code.policy.shell.places import Places  # noqa: PLC0415
        from roo_code.policy.shell.verdict import ShellRules  # noqa: PLC0415

        settings = self._settings
        rules = ShellRules(settings.allowed_commands, settings.denied_commands)
        return judge(facts.command, rules, Places(self._workspace, *facts.paths[:1]))

    def _allowed_because(self, facts: CallFacts, command: ShellVerdict | None) -> str:
        """Why the level lets the call through; empty if it does not."""
        level = self._settings.level
        if facts.group == "command":
            if level == "auto" and self._sandboxed:
                return "commands run in a sandbox"
            allowed = level == "auto" and command and command.decision == "allow"
            return command.reason if command and allowed else ""
        if facts.group in _READING_GROUPS and facts.read_only and level in _READS_FROM:
            return "it only reads"
        if facts.group == "edit" and level in _EDITS_FROM and facts.paths:
            return "" if self._protected(facts) else "it edits files of the workspace"
        if facts.group == "modes" and level == "auto":
            return "it changes nothing by itself"
        return ""

    def _open_because(self, facts: CallFacts, command: ShellVerdict | None) -> str:
        if facts.group == "edit" and (path := self._protected(facts)):
            return f"{path!r} is protected: it steers the agent or runs code"
        if facts.group == "command":
            why = f": {command.reason}" if command else ""
            level = self._settings.level
            return f"approval level {level!r} does not let this command run unasked{why}"
        return f"approval level {self._settings.level!r} does not cover {facts.call.name}"

    def _ask(self, facts: CallFacts, reason: str) -> Verdict:
        if self._settings.unattended:
            return refuse(facts, f"{reason}, and nobody is there to approve it")
        return ApprovalRequested(call=facts.call, reason=reason)

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
        """The first protected file among the paths, as named or as links lead to."""
        for path in facts.paths:
            real = self._workspace.relative(self._workspace.resolve(path))
            if is_protected(path) or is_protected(real):
                return path
        return ""
