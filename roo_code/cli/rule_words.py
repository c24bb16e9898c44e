"""What follows from an answer, or from none, for a person to read before they give it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roo_code.approval_values import ApprovalRule
from roo_code.events import QuestionAsked
from roo_code.json_text import to_json


def covered(rule: ApprovalRule) -> str:
    match rule.kind:
        case "command":
            return "commands that begin with " + " or ".join(rule.covers)
        case "edit":
            return "edits of files in the workspace that are not protected"
        case "mcp":
            return "{1} of the server {0}".format(*rule.covers)
        case "tool":
            return f"every {rule.covers[0]}"


def written(rule: ApprovalRule) -> str:
    """Each setting as it is added, and to which file; empty where nothing can be."""
    parts = [f"{key}: {_value(value)}" for key, value in rule.always.items() if key != "mcpServers"]
    told = [f"adds {', '.join(parts)} to your settings"] if parts else []
    if "mcpServers" in rule.always:
        server, tool = rule.covers
        told.append(f"adds {tool} to alwaysAllow of {server} in your mcp-settings.json")
    return " and ".join(told)


def time_left(asked: QuestionAsked) -> str:
    """That a question will be answered without a person, and with what."""
    if asked.answer_after is None or not asked.suggestions:
        return ""
    return f"answers itself with {asked.suggestions[0].text!r} in {asked.answer_after:.0f} s"


def _value(value: Any) -> str:
    return to_json(value).decode()


def choices(rule: ApprovalRule | None) -> Mapping[str, str]:
    """The words with which a person may say more than yes, and what each means."""
    if rule is None:
        return {}
    found = {"t": f"yes, and in this task to {covered(rule)}"}
    if text := written(rule):
        found["a"] = f"always: as t, and {text}"
    return found
