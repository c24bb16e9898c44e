"""The lowest layer: what holds where nobody said anything."""

from __future__ import annotations

from collections.abc import Mapping

from roo_code.json_text import JsonValue

SANDBOX_LIMITS: Mapping[str, float] = {
    "memoryMb": 4096, "processes": 512, "cpuSeconds": 0, "fileMb": 4096, "seconds": 0,
}  # fmt: skip

DEFAULTS: Mapping[str, JsonValue] = {
    "mode": "code",
    "approve": "auto",
    "requireApproval": False,
    "oneshot": False,
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
    "followupAutoApproveTimeoutMs": 60_000,
    # Roo allows `git log`, `git diff` and `git show`, all of which can write files (--output).
    "allowedCommands": [],
    "deniedCommands": [],
    "commandExecutionTimeout": 0,
    "commandTimeoutAllowlist": [],
    "commandEnvironment": [],
    # A person approves commands by default, and expects that what works in a terminal works here.
    "sandbox": "off",
    "sandboxBackend": "auto",
    "sandboxNetwork": "off",
    "sandboxLimits": {**SANDBOX_LIMITS},
    "consecutiveMistakeLimit": 10,
    "rateLimitSeconds": 0,
    "apiRequestTimeout": 600,
    "todoListEnabled": True,
    "preventCompletionWithOpenTodos": False,
    "newTaskRequireTodos": False,
    "autoCondenseContext": True,
    "autoCondenseContextPercent": 100,
    "profileThresholds": {},
    "customSupportPrompts": {},
    "experiments": {},
    "enableCheckpoints": True,
    "checkpointTimeout": 15,
    "writeDelayMs": 1000,
    "diagnosticsEnabled": True,
    "includeDiagnosticMessages": True,
    "maxDiagnosticMessages": 50,
    "maxOpenTabsContext": 20,
    "maxWorkspaceFiles": 200,
    "maxGitStatusFiles": 0,
    "includeCurrentTime": True,
    "includeCurrentCost": True,
    "includeTaskHistoryInEnhance": True,
    "showRooIgnoredFiles": False,
    "enableSubfolderRules": False,
    "useAgentRules": True,
    "maxImageFileSize": 5,
    "maxTotalImageSize": 20,
    "terminalShellIntegrationDisabled": True,
    "terminalShellIntegrationTimeout": 5000,
    "terminalOutputPreviewSize": "medium",
    "terminalCommandDelay": 0,
    "mcpEnabled": True,
    "telemetry.mcp.enabled": False,
    "lockApiConfigAcrossModes": False,
    "maximumIndexedFilesForFileSearch": 10_000,
    "codeIndex.embeddingBatchSize": 60,
}
