"""What a project's own settings may say: it may take rights away and never give any.

A project may come from anyone. So this is a list of what is allowed: a setting that is not on it is
refused, until the user has consented to the file where consent is enough.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from roo_code.config.defaults import SANDBOX_LIMITS

FREE = frozenset({
    "apiModelId", "autoCondenseContext", "autoCondenseContextPercent", "checkpointTimeout",
    "currentApiConfigName", "customCondensingPrompt", "customInstructions", "customModePrompts",
    "customSupportPrompts", "diagnosticsEnabled", "enableReasoningEffort", "enableSubfolderRules",
    "includeCurrentCost", "includeCurrentTime", "includeDiagnosticMessages", "includeMaxTokens",
    "language", "maxDiagnosticMessages", "maxGitStatusFiles", "maxImageFileSize",
    "maxOpenTabsContext", "maxTotalImageSize", "maxWorkspaceFiles", "mode", "modelMaxTokens",
    "modelMaxThinkingTokens", "modelTemperature", "newTaskRequireTodos", "reasoningEffort",
    "terminalOutputPreviewSize", "todoListEnabled", "useAgentRules", "verbosity", "writeDelayMs",
})  # fmt: skip
"""These say how to work and not what may be done."""

ONLY: Mapping[str, Any] = {
    "autoApprovalEnabled": False,
    "alwaysAllowReadOnly": False,
    "alwaysAllowReadOnlyOutsideWorkspace": False,
    "alwaysAllowWrite": False,
    "alwaysAllowWriteOutsideWorkspace": False,
    "alwaysAllowWriteProtected": False,
    "alwaysAllowMcp": False,
    "alwaysAllowModeSwitch": False,
    "alwaysAllowSubtasks": False,
    "alwaysAllowExecute": False,
    "alwaysAllowFollowupQuestions": False,
    "mcpEnabled": False,
    "sandboxMcp": True,
    "telemetry.mcp.enabled": False,
    "requireApproval": True,
    "enableCheckpoints": True,
    "preventCompletionWithOpenTodos": True,
    "telemetrySetting": "disabled",
}
"""Switches that it may turn one way."""

WITH_CONSENT = frozenset(ONLY) - {"telemetrySetting", "telemetry.mcp.enabled"} | {
    "allowedCommands", "commandExecutionTimeout", "commandTimeoutAllowlist",
    "consecutiveMistakeLimit", "followupAutoApproveTimeoutMs", "fuzzyMatchThreshold", "oneshot",
    "showRooIgnoredFiles",
}  # fmt: skip
"""What a project may say too once the user has consented to the file as it is.

Never where requests and keys go, which programs are started, or what is told to others: services,
addresses, shells, variables and telemetry are the user's own to choose.
"""

ADDING = frozenset({"deniedCommands", "disabledTools"})
LOWERING = frozenset({"allowedMaxRequests", "allowedMaxCost"})
RAISING = frozenset({"rateLimitSeconds"})
_LEVELS = (
    "ask", "read-only", "read", "edits", "auto-edit", "auto", "full-auto-in-sandbox", "all"
)  # fmt: skip
_STRICTEST_FIRST = {
    "sandbox": ("required", "auto", "unasked", "off"),
    "sandboxNetwork": ("off", "hosts", "on"),
}


class Refused(Exception):
    """The project may not say this; the message is why."""


def narrowed(key: str, value: Any, below: Any) -> Any:
    """What the project's value makes of the one below it, or Refused."""
    if key in FREE:
        return value
    if key in ONLY:
        if value != ONLY[key]:
            raise Refused(f"a project may only set it to {_said(ONLY[key])}")
        return value
    if key in ADDING:
        return [*(below or []), *(item for item in value if item not in (below or []))]
    if key in LOWERING:
        return below if value is None else value if below is None else min(value, below)
    if key in RAISING:
        return max(value, below or 0)
    if key == "approve":
        return min(value, below or "auto", key=_LEVELS.index)
    if key in _STRICTEST_FIRST:
        order = _STRICTEST_FIRST[key]
        return min(value, below or order[-1], key=order.index)
    if key == "sandboxLimits":
        limits: dict[str, float] = {**SANDBOX_LIMITS, **(below or {})}
        return limits | {
            name: _lower(value[name], limits[name]) for name in limits if name in value
        }
    raise Refused("a project may not set it")


def needs_consent(key: str, value: Any) -> bool:
    """Whether a project may say this if the user consents, and only then."""
    if key not in WITH_CONSENT:
        return False
    try:
        narrowed(key, value, None)
    except Refused:
        return True
    return False


def _lower(value: float, below: float) -> float:
    """Of two limits the lower, where 0 is none."""
    return min(value or math.inf, below or math.inf) if value or below else 0


def _said(value: Any) -> str:
    return str(value).lower()
