"""Which settings are secrets."""

from __future__ import annotations

import re
from typing import Any

from roo_code.config.json_shapes import is_list, is_object
from roo_code.config.roo_settings import RooCodeSettings

SECRET_KEYS = frozenset({
    "apiKey", "openRouterApiKey", "awsAccessKey", "awsApiKey", "awsSecretKey", "awsSessionToken",
    "openAiApiKey", "ollamaApiKey", "geminiApiKey", "openAiNativeApiKey", "deepSeekApiKey",
    "moonshotApiKey", "mistralApiKey", "minimaxApiKey", "requestyApiKey", "unboundApiKey",
    "xaiApiKey", "litellmApiKey", "codeIndexOpenAiKey", "codeIndexQdrantApiKey",
    "codebaseIndexOpenAiCompatibleApiKey", "codebaseIndexGeminiApiKey",
    "codebaseIndexMistralApiKey", "codebaseIndexVercelAiGatewayApiKey",
    "codebaseIndexOpenRouterApiKey", "sambaNovaApiKey", "zaiApiKey", "fireworksApiKey",
    "vercelAiGatewayApiKey", "basetenApiKey", "openRouterImageApiKey", "groqApiKey",
    "togetherApiKey",
    # Roo keeps these as plain settings.
    "rooApiKey", "poeApiKey", "vertexJsonCredentials", "openAiHeaders",
})  # fmt: skip

_SECRET_NAME = re.compile(r"(key|token|secret|password|passphrase|credentials?|headers)$", re.I)
_SECRET_LOOK = re.compile(
    r"(sk-|gsk_|xai-|gh[pousr]_|github_pat_|glpat-|xox[abpr]-|AKIA|AIza|hf_)[\w-]{16,}"
)
_USER_IN_URL = re.compile(r"^[a-z][a-z0-9+.-]*://[^/@\s]+@", re.I)


def is_secret(key: str, value: Any) -> bool:
    """Whether the value must not be written or shown. Unknown names are judged by their end."""
    if key in SECRET_KEYS or (isinstance(value, str) and _looks_secret(value)):
        return True
    if key in RooCodeSettings.__annotations__:
        return False
    if is_object(value):
        return bool(_SECRET_NAME.search(key)) or any(is_secret(k, v) for k, v in value.items())
    return isinstance(value, str) and bool(_SECRET_NAME.search(key))


def _looks_secret(text: str) -> bool:
    """An address with a password, or what services give out as keys, wherever it was put."""
    return bool(_USER_IN_URL.match(text) or _SECRET_LOOK.fullmatch(text))


def refers(value: Any) -> bool:
    """Whether there is a `${env:NAME}` in it: such a value names a secret and is none itself."""
    if isinstance(value, str):
        return "${env:" in value
    if is_object(value):
        return any(refers(item) for item in value.values())
    if is_list(value):
        return any(refers(item) for item in value)
    return False
