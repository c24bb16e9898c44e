"""What may run unasked, and how far a person's yes reaches: values of the log."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import field

from roo_code.json_text import JsonValue
from roo_code.values import Value

ApprovalLevel: TypeAlias = Literal[
    "ask", "read-only", "read", "edits", "auto", "full-auto-in-sandbox", "all", "switches"
]
"""How much runs unasked, the least first; of `switches`, what `ApprovalSettings.grants` says."""
Grant: TypeAlias = Literal[
    "read", "read_outside", "write", "write_protected", "image",
    "mcp", "modes", "subtasks", "execute",
]  # fmt: skip
"""One kind of call that may run unasked."""


class ApprovalSettings(Value):
    """What may run without a person's word; see `policy`."""

    level: ApprovalLevel = "auto"
    grants: tuple[Grant, ...] = ()
    """What Roo's own switches allow, where the level is `switches`."""
    unattended: bool = False
    """True where nobody can answer: what would be asked is refused with the reason."""
    allowed_commands: tuple[str, ...] = ()
    denied_commands: tuple[str, ...] = ()
    profile: Literal["", "developer"] = "developer"
    """Everyday commands that level `auto` allows besides the list."""
    max_requests: int | None = None
    """Model calls after which a person is asked whether to go on."""
    max_cost: float | None = None
    """US dollars, likewise."""
    answer_after: float | None = None
    """Seconds after which a question is answered with its first suggestion."""


ApprovalScope: TypeAlias = Literal["call", "task", "always"]
"""How far a person's yes reaches: this call, its like in this task, its like from now on."""


class ApprovalRule(Value):
    """What a yes to more than one call covers, told to the person before they choose it."""

    kind: Literal["command", "edit", "mcp", "tool"]
    covers: tuple[str, ...] = ()
    """Words that commands begin with, a server and its tool, or a tool's name."""
    always: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """What `always` adds to the user's settings; empty where it cannot be chosen."""
