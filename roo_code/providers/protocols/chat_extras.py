"""What single services add to a chat completions request: fields of theirs, options of Roo's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from roo_code.config.schema import ProviderSettings
from roo_code.providers.base import ModelInfo
from roo_code.providers.protocols.chat_quirks import TaskField

Json = dict[str, Any]

_CACHED = {"cache_control": {"type": "ephemeral"}}
_ANY_PROVIDER = "[default]"


def extra_fields(settings: ProviderSettings, info: ModelInfo) -> Json:
    """From options of the settings that one service knows and others never see."""
    options = settings.options
    extra: Json = {}
    only = options.get("openRouterSpecificProvider")
    if settings.api_provider == "openrouter" and only and only != _ANY_PROVIDER:
        extra["provider"] = {"order": [only], "only": [only], "allow_fallbacks": False}
    if options.get("lmStudioSpeculativeDecodingEnabled") and options.get("lmStudioDraftModelId"):
        extra["draft_model"] = options["lmStudioDraftModelId"]
    if options.get("verbosity") and info.supports_verbosity:
        extra["verbosity"] = options["verbosity"]
    return extra


def task_fields(field: TaskField, metadata: Mapping[str, str]) -> Json:
    """Which task and mode a request is of, as routers group them."""
    task, mode = metadata.get("task_id", ""), metadata.get("mode", "")
    if not field or not task:
        return {}
    if field == "requesty":
        return {"requesty": {"trace_id": task, "extra": {"mode": mode}}}
    return {"unbound_metadata": {"originApp": "roo-code", "taskId": task, "mode": mode}}


def marks_cache(cache_marks: str, settings: ProviderSettings, info: ModelInfo) -> bool:
    """Whether a service hands Anthropic's cache marks on, or is told by an option that it does."""
    if cache_marks == "always":
        return "claude" in info.id.lower()
    if cache_marks == "supportsPromptCache":
        custom = settings.options.get("openAiCustomModelInfo")
        return isinstance(custom, dict) and custom.get(cache_marks) is True
    return bool(cache_marks) and settings.options.get(cache_marks) is True


def with_cache_marks(messages: Sequence[Json]) -> list[Json]:
    """Marks on the system prompt and the last two messages of the user that have a text."""
    marked = list(messages)
    users = [n for n, message in enumerate(marked) if message["role"] == "user"]
    systems = [n for n, message in enumerate(marked) if message["role"] == "system"]
    for number in (*systems, *users[-2:]):
        content = marked[number]["content"]
        text: Json = {"type": "text", "text": content}
        parts: list[Json] = [text] if isinstance(content, str) else list(content)
        texts = [n for n, part in enumerate(parts) if part["type"] == "text"]
        if texts:
            parts[texts[-1]] = {**parts[texts[-1]], **_CACHED}
            marked[number] = {**marked[number], "content": parts}
    return marked


def without_system(messages: Sequence[Json]) -> list[Json]:
    """For R1 and its kin, which want the instructions from the user."""
    first, *others = messages
    if first["role"] != "system":
        return [*messages]
    if others and others[0]["role"] == "user" and isinstance(others[0]["content"], str):
        said = f"{first['content']}\n\n{others[0]['content']}"
        return [{"role": "user", "content": said}, *others[1:]]
    return [{**first, "role": "user"}, *others]
