"""Every setting there is, with its type: Roo's provider and global settings, and ours.

The annotations are read at run time, so they are evaluated here.
"""

from typing import Annotated, Any, Literal, NamedTuple, TypedDict

from roo_code.json_text import JsonValue


class Range(NamedTuple):
    """Bounds of a number."""

    low: float | None = None
    high: float | None = None


NotNegative = Annotated[float, Range(low=0)]
Strings = list[str]
ServiceTier = Literal["default", "flex", "priority"]
Language = Literal[
    "ca", "de", "en", "es", "fr", "hi", "id", "it", "ja", "ko", "nl", "pl", "pt-BR", "ru", "tr",
    "vi", "zh-CN", "zh-TW",
]  # fmt: skip
Embedder = Literal[
    "openai", "ollama", "openai-compatible", "gemini", "mistral", "vercel-ai-gateway",
    "openrouter", "bedrock",
]  # fmt: skip


class ModelSelector(TypedDict, total=False):
    vendor: str
    family: str
    version: str
    id: str


class ApiConfigMeta(TypedDict, total=False):
    id: str
    name: str
    apiProvider: str
    modelId: str


class ModePrompt(TypedDict, total=False):
    roleDefinition: str
    whenToUse: str
    description: str
    customInstructions: str


class CodebaseIndexConfig(TypedDict, total=False):
    codebaseIndexEnabled: bool
    codebaseIndexQdrantUrl: str
    codebaseIndexEmbedderProvider: Embedder
    codebaseIndexEmbedderBaseUrl: str
    codebaseIndexEmbedderModelId: str
    codebaseIndexEmbedderModelDimension: float
    codebaseIndexSearchMinScore: Annotated[float, Range(0, 1)]
    codebaseIndexSearchMaxResults: Annotated[float, Range(10, 200)]
    codebaseIndexOpenAiCompatibleBaseUrl: str
    codebaseIndexOpenAiCompatibleModelDimension: float
    codebaseIndexBedrockRegion: str
    codebaseIndexBedrockProfile: str
    codebaseIndexOpenRouterSpecificProvider: str


class ProviderOptions(TypedDict, total=False):
    """What a profile may hold: Roo's provider settings, by its names."""

    apiProvider: str
    includeMaxTokens: bool
    todoListEnabled: bool
    modelTemperature: Annotated[float, Range(0, 2)] | None
    rateLimitSeconds: NotNegative
    requestTotalTimeout: Annotated[float, Range(low=1)]
    toolProtocol: Literal["xml", "native"]
    fallbackProfiles: list[Any]
    fallbackOn: list[str]
    fallbackSeconds: NotNegative
    consecutiveMistakeLimit: NotNegative
    enableReasoningEffort: bool
    reasoningEffort: Literal["disable", "none", "minimal", "low", "medium", "high", "xhigh"]
    modelMaxTokens: float
    modelMaxThinkingTokens: float
    verbosity: Literal["low", "medium", "high"]
    codeIndexOpenAiKey: str
    codeIndexQdrantApiKey: str
    codebaseIndexOpenAiCompatibleBaseUrl: str
    codebaseIndexOpenAiCompatibleApiKey: str
    codebaseIndexOpenAiCompatibleModelDimension: float
    codebaseIndexGeminiApiKey: str
    codebaseIndexMistralApiKey: str
    codebaseIndexVercelAiGatewayApiKey: str
    codebaseIndexOpenRouterApiKey: str
    apiModelId: str
    apiKey: str
    anthropicBaseUrl: str
    anthropicUseAuthToken: bool
    anthropicBeta1MContext: bool
    openRouterApiKey: str
    openRouterModelId: str
    openRouterBaseUrl: str
    openRouterSpecificProvider: str
    awsAccessKey: str
    awsSecretKey: str
    awsSessionToken: str
    awsRegion: str
    awsUseCrossRegionInference: bool
    awsUseGlobalInference: bool
    awsUsePromptCache: bool
    awsProfile: str
    awsUseProfile: bool
    awsApiKey: str
    awsUseApiKey: bool
    awsCustomArn: str
    awsModelContextWindow: float
    awsBedrockEndpointEnabled: bool
    awsBedrockEndpoint: str
    awsBedrock1MContext: bool
    awsBedrockServiceTier: Literal["STANDARD", "FLEX", "PRIORITY"]
    vertexKeyFile: str
    vertexJsonCredentials: str
    vertexProjectId: str
    vertexRegion: str
    vertex1MContext: bool
    openAiBaseUrl: str
    openAiApiKey: str
    openAiR1FormatEnabled: bool
    openAiModelId: str
    openAiCustomModelInfo: dict[str, JsonValue] | None
    openAiUseAzure: bool
    azureApiVersion: str
    openAiStreamingEnabled: bool
    openAiHostHeader: str
    openAiHeaders: dict[str, str]
    ollamaModelId: str
    ollamaBaseUrl: str
    ollamaApiKey: str
    ollamaNumCtx: Annotated[int, Range(low=128)]
    vsCodeLmModelSelector: ModelSelector
    lmStudioModelId: str
    lmStudioBaseUrl: str
    lmStudioDraftModelId: str
    lmStudioSpeculativeDecodingEnabled: bool
    geminiApiKey: str
    googleGeminiBaseUrl: str
    geminiCliOAuthPath: str
    geminiCliProjectId: str
    openAiNativeApiKey: str
    openAiNativeBaseUrl: str
    openAiNativeServiceTier: ServiceTier
    mistralApiKey: str
    mistralCodestralUrl: str
    deepSeekBaseUrl: str
    deepSeekApiKey: str
    poeApiKey: str
    poeBaseUrl: str
    moonshotBaseUrl: str
    moonshotApiKey: str
    minimaxBaseUrl: str
    minimaxApiKey: str
    requestyBaseUrl: str
    requestyApiKey: str
    requestyModelId: str
    unboundApiKey: str
    unboundModelId: str
    fakeAi: JsonValue
    xaiApiKey: str
    basetenApiKey: str
    litellmBaseUrl: str
    litellmApiKey: str
    litellmModelId: str
    litellmUsePromptCache: bool
    sambaNovaApiKey: str
    zaiApiKey: str
    zaiApiLine: Literal["international_coding", "china_coding", "international_api", "china_api"]
    fireworksApiKey: str
    qwenCodeOauthPath: str
    rooApiKey: str
    vercelAiGatewayApiKey: str
    vercelAiGatewayModelId: str
    # Of services that Roo gave up and we have.
    groqApiKey: str
    togetherApiKey: str
    # Ours, for any service.
    apiBaseUrl: str


class GlobalSettings(TypedDict, total=False):
    currentApiConfigName: str
    listApiConfigMeta: list[ApiConfigMeta]
    pinnedApiConfigs: dict[str, bool]
    modeApiConfigs: dict[str, str]
    enhancementApiConfigId: str
    profileThresholds: dict[str, float]
    lastShownAnnouncementId: str
    customInstructions: str
    taskHistory: list[dict[str, JsonValue]]
    dismissedUpsells: Strings
    language: Language
    telemetrySetting: Literal["unset", "enabled", "disabled"]
    mode: str
    customModes: list[dict[str, JsonValue]]
    customModePrompts: dict[str, ModePrompt]
    customSupportPrompts: dict[str, str]
    experiments: dict[str, bool]
    disabledTools: Strings
    imageGenerationProvider: Literal["openrouter", "roo", "openai", "gemini"]
    openRouterImageApiKey: str
    openRouterImageGenerationSelectedModel: str
    autoApprovalEnabled: bool
    alwaysAllowReadOnly: bool
    alwaysAllowReadOnlyOutsideWorkspace: bool
    alwaysAllowWrite: bool
    alwaysAllowWriteOutsideWorkspace: bool
    alwaysAllowWriteProtected: bool
    alwaysAllowMcp: bool
    alwaysAllowModeSwitch: bool
    alwaysAllowSubtasks: bool
    alwaysAllowExecute: bool
    alwaysAllowFollowupQuestions: bool
    followupAutoApproveTimeoutMs: float
    allowedCommands: Strings
    deniedCommands: Strings
    allowedMaxRequests: NotNegative | None
    allowedMaxCost: NotNegative | None
    writeDelayMs: NotNegative
    requestDelaySeconds: float
    commandExecutionTimeout: float
    commandTimeoutAllowlist: Strings
    checkpointTimeout: Annotated[int, Range(10, 60)]
    customCondensingPrompt: str
    autoCondenseContext: bool
    autoCondenseContextPercent: float
    includeCurrentTime: bool
    includeCurrentCost: bool
    maxGitStatusFiles: float
    includeDiagnosticMessages: bool
    maxDiagnosticMessages: float
    maxOpenTabsContext: float
    maxWorkspaceFiles: float
    showRooIgnoredFiles: bool
    enableSubfolderRules: bool
    maxImageFileSize: float
    maxTotalImageSize: float
    preventCompletionWithOpenTodos: bool
    enableCheckpoints: bool
    diagnosticsEnabled: bool
    mcpEnabled: bool
    terminalOutputPreviewSize: Literal["small", "medium", "large"]
    terminalShellIntegrationTimeout: float
    terminalShellIntegrationDisabled: bool
    terminalCommandDelay: float
    terminalPowershellCounter: bool
    terminalZshClearEolMark: bool
    terminalZshOhMy: bool
    terminalZshP10k: bool
    terminalZdotdir: bool
    execaShellPath: str
    ttsEnabled: bool
    ttsSpeed: float
    soundEnabled: bool
    soundVolume: float
    includeTaskHistoryInEnhance: bool
    historyPreviewCollapsed: bool
    reasoningBlockCollapsed: bool
    hasOpenedModeSelector: bool
    showWorktreesInHomeScreen: bool
    enterBehavior: Literal["send", "newline"]
    lastModeExportPath: str
    lastModeImportPath: str
    lastSettingsExportPath: str
    lastTaskExportPath: str
    lastImageSavePath: str
    worktreeAutoOpenPath: str
    codebaseIndexModels: dict[str, dict[str, dict[str, float]]]
    codebaseIndexConfig: CodebaseIndexConfig


class SandboxLimits(TypedDict, total=False):
    """For commands in the sandbox; 0 is no limit."""

    memoryMb: NotNegative
    processes: Annotated[int, Range(low=0)]
    cpuSeconds: Annotated[int, Range(low=0)]
    fileMb: NotNegative
    seconds: NotNegative


class HostSettings(TypedDict, total=False):
    """What Roo keeps in the editor's or its command line's settings, and our own."""

    useAgentRules: bool
    newTaskRequireTodos: bool
    maxSubtaskDepth: Annotated[int, Range(low=0)]
    lockApiConfigAcrossModes: bool
    apiRequestTimeout: NotNegative
    maximumIndexedFilesForFileSearch: Annotated[int, Range(5_000, 500_000)]
    onboardingProviderChoice: Literal["roo", "byok"]
    requireApproval: bool
    oneshot: bool
    approve: Literal[
        "ask", "read-only", "read", "edits", "auto-edit", "auto", "full-auto-in-sandbox", "all"
    ]
    imageGenerationModel: str
    browserViewportSize: str
    screenshotQuality: Annotated[float, Range(1, 100)]
    fuzzyMatchThreshold: Annotated[float, Range(0, 1)]
    condenseProfile: str
    sandbox: Literal["off", "unasked", "auto", "required"]
    sandboxBackend: Literal["auto", "bubblewrap", "sandlock", "docker"]
    sandboxImage: str
    sandboxMcp: bool
    sandboxNetwork: Literal["off", "hosts", "on"]
    sandboxHosts: Strings
    sandboxLimits: SandboxLimits
    sandboxReadable: Strings
    sandboxWritable: Strings
    commandEnvironment: Strings


DottedSettings = TypedDict(
    "DottedSettings",
    {
        "telemetry.mcp.enabled": bool,
        "codeIndex.embeddingBatchSize": Annotated[int, Range(low=1)],
    },
    total=False,
)


class RooCodeSettings(ProviderOptions, GlobalSettings, HostSettings, DottedSettings, total=False):
    """All of them; what is not set is absent."""
