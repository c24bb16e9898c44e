"""How far a yes reaches: for this call, its like in the task, or always."""

from pathlib import Path
from typing import Any

import pytest

from roo_code.approval_values import ApprovalRule, ApprovalScope, ApprovalSettings
from roo_code.events import ApprovalDecided, ApprovalRequested, MessageAdded
from roo_code.messages import Message, ToolUseContent
from roo_code.policy.approval import CallFacts
from roo_code.policy.given import GivenApprovals
from roo_code.policy.levels import PolicyApprover
from roo_code.workspace.workspace import Workspace

AUTO = ApprovalSettings(denied_commands=("git push",))
ASK = ApprovalSettings(level="ask", allowed_commands=("git log",), denied_commands=("git push",))
READS = ApprovalSettings(level="switches", grants=("read",))


def facts(group: str, name: str, *paths: str, **more: Any) -> CallFacts:
    call = ToolUseContent(id="1", name=name)
    return CallFacts(call=call, group=group, read_only=False, paths=paths, **more)


def command(line: str) -> CallFacts:
    return facts("command", "execute_command", command=line)


EDIT = facts("edit", "write_to_file", "a.py")
MCP = facts("mcp", "mcp--s--find", server="s", tool="find")


class Person:
    """Asks, answers, and asks again, as a task with these settings would."""

    def __init__(self, root: Path, settings: ApprovalSettings) -> None:
        self.given = GivenApprovals()
        self.approver = PolicyApprover(settings, Workspace(root), self.given)

    async def offered(self, call: CallFacts) -> ApprovalRule | None:
        asked = await self.approver.decide(call)
        assert isinstance(asked, ApprovalRequested)
        self.given.apply(asked)
        return asked.rule

    async def says_yes(self, call: CallFacts, scope: ApprovalScope) -> None:
        await self.offered(call)
        scope = self.given.permitted("1", scope)
        self.given.apply(ApprovalDecided(tool_use_id="1", approved=True, by="user", scope=scope))

    async def may(self, call: CallFacts) -> bool:
        verdict = await self.approver.decide(call)
        return isinstance(verdict, ApprovalDecided) and verdict.approved


@pytest.mark.parametrize("scope", ["call", "task", "always"])
@pytest.mark.parametrize(
    ("approved", "like", "unlike"),
    [
        (command("npm install a"), command("npm install b && git log"), command("npm publish")),
        (EDIT, facts("edit", "apply_diff", "b.py"), facts("edit", "apply_diff", "AGENTS.md")),
        (MCP, MCP, facts("mcp", "mcp--t--find", server="t", tool="find")),
        (
            facts("mcp", "use_mcp_tool", server="s", tool="a"),
            facts("mcp", "use_mcp_tool", server="s", tool="a"),
            facts("mcp", "use_mcp_tool", server="s", tool="b"),
        ),
        (facts("browser", "web_fetch"), facts("browser", "web_fetch"), facts("browser", "browse")),
    ],
)
async def test_a_yes_covers_its_like_and_nothing_else(
    tmp_path: Path, approved: CallFacts, like: CallFacts, unlike: CallFacts, scope: ApprovalScope
) -> None:
    level = READS if approved is EDIT else AUTO
    person = Person(tmp_path, level)
    await person.says_yes(approved, scope)
    assert await person.may(like) is (scope != "call")
    assert not await person.may(unlike)
    assert not await person.may(facts("edit", "write_to_file", "../a.py"))


async def test_the_users_list_does_not_count_where_commands_are_asked(tmp_path: Path) -> None:
    person = Person(tmp_path, ASK)
    await person.says_yes(command("npm install a"), "task")
    assert await person.may(command("npm install b"))
    assert not await person.may(command("git log"))
    assert not await person.may(command("npm install b && git log"))


async def test_what_is_denied_is_denied_whatever_was_approved(tmp_path: Path) -> None:
    person = Person(tmp_path, AUTO)
    await person.says_yes(command("npm install a"), "always")
    denied = PolicyApprover(
        ApprovalSettings(denied_commands=("npm",)), Workspace(tmp_path), person.given
    )
    verdict = await denied.decide(command("npm install a"))
    assert isinstance(verdict, ApprovalDecided)
    assert not verdict.approved


@pytest.mark.parametrize(
    "call",
    [
        facts("edit", "write_to_file", "AGENTS.md"),
        facts("edit", "write_to_file"),
        facts("mcp", "use_mcp_tool"),
        command("rm -rf build"),
        command("$X install"),
        command("npm install > .roo/x"),
    ],
)
async def test_some_calls_can_be_approved_only_once(tmp_path: Path, call: CallFacts) -> None:
    person = Person(tmp_path, AUTO)
    assert await person.offered(call) is None
    await person.says_yes(call, "always")
    assert not await person.may(call)
    assert person.given.rules == []


@pytest.mark.parametrize(
    ("settings", "call", "always"),
    [
        (AUTO, command("npm install a"), {"allowedCommands": ["npm install"]}),
        (AUTO, MCP, {"mcpServers": {"s": {"alwaysAllow": ["find"]}}}),
        (AUTO, facts("browser", "web_fetch"), {}),
        (ASK, EDIT, {}),
        (ASK, command("npm install a"), {}),
        (READS, EDIT, {"alwaysAllowWrite": True}),
        (READS, facts("modes", "switch_mode"), {"alwaysAllowModeSwitch": True}),
        (READS, facts("modes", "new_task"), {"alwaysAllowSubtasks": True}),
        (READS, facts("advanced", "generate_image", "a.png"), {}),
        (READS, command("npm install a"), {"allowedCommands": ["npm install"],
                                           "alwaysAllowExecute": True}),
        (READS, MCP, {"mcpServers": {"s": {"alwaysAllow": ["find"]}}, "alwaysAllowMcp": True}),
    ],
)  # fmt: skip
async def test_what_always_would_write_is_known_when_it_is_asked(
    tmp_path: Path, settings: ApprovalSettings, call: CallFacts, always: dict[str, Any]
) -> None:
    person = Person(tmp_path, settings)
    rule = await person.offered(call)
    assert rule is not None
    assert rule.always == always
    assert person.given.permitted("1", "always") == ("always" if always else "task")


async def test_only_what_was_offered_in_the_last_reply_can_be_agreed_to(tmp_path: Path) -> None:
    person = Person(tmp_path, AUTO)
    await person.offered(command("npm install a"))
    person.given.apply(MessageAdded(message=Message(role="assistant", content=())))
    assert person.given.permitted("1", "task") == "call"
