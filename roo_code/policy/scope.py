"""How far a yes reaches: what else it would cover, and whether an earlier one covers a call."""

from __future__ import annotations

from collections.abc import Iterable

from roo_code.approval_values import ApprovalRule, ApprovalSettings
from roo_code.json_text import JsonValue
from roo_code.policy.approval import CallFacts
from roo_code.policy.grants import grants_of, needed_grant, switch_of

_MAY_ADD = frozenset({"auto", "switches"})
"""At other levels a written rule would not be asked for."""


def rule_for(
    facts: CallFacts, settings: ApprovalSettings, entries: tuple[str, ...]
) -> ApprovalRule | None:
    """What a yes to more than this call would cover; `entries` are those of its command."""
    group = "mcp" if facts.server else facts.group
    match group:
        case "command":
            if not entries:
                return None
            rule = ApprovalRule(kind="command", covers=entries)
        case "edit":
            rule = ApprovalRule(kind="edit")
        case "mcp":
            if not facts.server:
                return None
            rule = ApprovalRule(kind="mcp", covers=_server_tool(facts))
        case _:
            rule = ApprovalRule(kind="tool", covers=(facts.call.name,))
    return rule.replace(always=_written(rule, facts, settings))


def _written(
    rule: ApprovalRule, facts: CallFacts, settings: ApprovalSettings
) -> dict[str, JsonValue]:
    """What `always` would write, by the names of Roo's settings."""
    grant = needed_grant(facts)
    if grant is None or grant == "image" or settings.level not in _MAY_ADD:
        return {}
    lacking = grant not in grants_of(settings)
    written: dict[str, JsonValue] = {}
    if rule.kind == "command":
        written["allowedCommands"] = list(rule.covers)
    elif rule.kind == "mcp" and facts.tool:
        written["mcpServers"] = {facts.server: {"alwaysAllow": [facts.tool]}}
    if settings.level == "switches" and lacking:
        written[switch_of(grant)] = True
    return written


def _server_tool(facts: CallFacts) -> tuple[str, str]:
    """Of a resource, which is no tool of the server's, the name of ours."""
    return facts.server, facts.tool or facts.name


def is_covered(facts: CallFacts, rules: Iterable[ApprovalRule]) -> bool:
    """Whether one of the rules is about such a call; commands are held against lists instead."""
    return facts.group != "command" and any(_covers(rule, facts) for rule in rules)


def _covers(rule: ApprovalRule, facts: CallFacts) -> bool:
    match rule.kind:
        case "edit":
            return facts.group == "edit"
        case "mcp":
            return bool(facts.server) and rule.covers == _server_tool(facts)
        case "tool":
            return facts.group != "edit" and not facts.server and rule.covers == (facts.call.name,)
        case "command":
            return False
