"""How long a reply may become."""

from __future__ import annotations

from roo_code.config.schema import ProviderSettings
from roo_code.providers.base import ModelInfo, ModelRequest

DEFAULT_MAX_TOKENS = 8192
_LEAST = 4096
"""Less is no reply: then the service says that the request is too long, and it is condensed."""


def output_limit(request: ModelRequest, settings: ProviderSettings, info: ModelInfo) -> int:
    """As told or as the model can; less where the window has no room for that much.

    Claude's services refuse a request that could outgrow the window with its reply, and a model
    with long replies would lose a third of its window so.
    """
    wanted = settings.max_tokens or info.max_output_tokens or DEFAULT_MAX_TOKENS
    if info.context_window is None:
        return wanted
    return min(wanted, max(info.context_window - request.input_tokens, _LEAST))
