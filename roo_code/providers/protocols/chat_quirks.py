"""Where services differ that speak OpenAI's chat completions."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

TaskField: TypeAlias = Literal["", "requesty", "unbound_metadata"]


class ChatQuirks(Struct, frozen=True, kw_only=True):
    """Where services that speak this format differ."""

    limit_field: Literal["max_tokens", "max_completion_tokens", "by_model"] = "max_tokens"
    """`by_model`: OpenAI's reasoning models refuse the old name, older servers the new one."""
    always_limit: bool = False
    """The service's own limit is too short to write a file."""
    reports_usage_unasked: bool = False
    """It sends usage anyway and refuses `stream_options`."""
    reasoning: Literal["effort", "object", "switched_object", "switch"] = "effort"
    """How it is asked for: a level, OpenRouter's `reasoning`, Roo's, or `thinking` on and off."""
    returns_reasoning: bool = False
    """The service wants its reasoning back with the calls that came of it."""
    returns_details: bool = False
    """It wants its `reasoning_details` back."""
    reports_cost: bool = False
    cache_marks: str = ""
    """It hands Anthropic's cache marks on: `always` to Claude, or where an option says so."""
    task_field: TaskField = ""
    """Where it is told which task a request is of."""
    short_call_ids: bool = False
    joins_results: bool = False
    """It refuses a message of the user right after results; the last of them takes its words."""
