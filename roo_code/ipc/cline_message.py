"""What Roo's front ends show of a task: messages and figures, as `@roo-code/types` has them.

A field that is absent is left out, never null: Roo's schemas refuse that.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import field

from roo_code.values import Value

Ask: TypeAlias = Literal[
    "followup", "command", "command_output", "completion_result", "tool", "api_req_failed",
    "resume_task", "resume_completed_task", "mistake_limit_reached", "use_mcp_server",
    "auto_approval_max_req_reached",
]  # fmt: skip
Say: TypeAlias = Literal[
    "error", "api_req_started", "api_req_finished", "api_req_retried", "api_req_retry_delayed",
    "api_req_rate_limit_wait", "api_req_deleted", "text", "image", "reasoning",
    "completion_result", "user_feedback", "user_feedback_diff", "command_output",
    "shell_integration_warning", "mcp_server_request_started", "mcp_server_response",
    "subtask_result", "checkpoint_saved", "rooignore_error", "diff_error", "condense_context",
    "condense_context_error", "sliding_window_truncation", "codebase_search_result",
    "user_edit_todos", "too_many_tools_warning", "tool",
]  # fmt: skip
ToolName: TypeAlias = Literal[
    "execute_command", "read_file", "read_command_output", "write_to_file", "apply_diff", "edit",
    "search_and_replace", "search_replace", "edit_file", "apply_patch", "search_files",
    "list_files", "use_mcp_tool", "access_mcp_resource", "ask_followup_question",
    "attempt_completion", "switch_mode", "new_task", "codebase_search", "update_todo_list",
    "run_slash_command", "skill", "generate_image", "custom_tool",
]  # fmt: skip


class RooValue(Value, rename="camel", omit_defaults=True):
    """By Roo's names; unknown fields are ignored, as Roo strips them."""


class ContextCondense(RooValue):
    cost: float
    prev_context_tokens: int
    new_context_tokens: int
    summary: str


class ContextTruncation(RooValue):
    truncation_id: str
    messages_removed: int
    prev_context_tokens: int
    new_context_tokens: int


class ClineMessage(RooValue):
    """`ts` tells messages apart: an update has that of the message it replaces."""

    ts: int | float
    kind: Literal["ask", "say"] = field(name="type")
    ask: Ask | None = None
    say: Say | None = None
    text: str | None = None
    images: tuple[str, ...] = ()
    """Data URIs."""
    partial: bool | None = None
    reasoning: str | None = None
    context_condense: ContextCondense | None = None
    context_truncation: ContextTruncation | None = None
    api_protocol: Literal["openai", "anthropic"] | None = None
    is_answered: bool | None = None


class MessageChange(RooValue):
    """Payload of the event `message`."""

    task_id: str
    action: Literal["created", "updated"]
    message: ClineMessage


class TokenUsage(RooValue):
    total_tokens_in: int | float
    total_tokens_out: int | float
    total_cache_writes: int | float | None = None
    total_cache_reads: int | float | None = None
    total_cost: float
    context_tokens: int | float
    """What the last request and its reply took."""


class ToolCount(RooValue):
    attempts: int
    failures: int


ToolUsage: TypeAlias = dict[ToolName, ToolCount]


class QueuedMessage(RooValue):
    """Said to a task that was busy."""

    timestamp: int | float
    id: str
    text: str
    images: tuple[str, ...] = ()


class SlashCommand(RooValue):
    name: str
    source: Literal["global", "project", "built-in"]
    file_path: str | None = None
    description: str | None = None
    argument_hint: str | None = None


class ModeName(RooValue):
    slug: str
    name: str
