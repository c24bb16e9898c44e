"""Roo Code: an agent that writes software, as a library.

Importing this does no work: each public name is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from roo_code.version import VERSION as __version__

if TYPE_CHECKING:
    from roo_code.agent import Agent
    from roo_code.client import RooClient
    from roo_code.config.schema import ProviderSettings
    from roo_code.errors import RooCodeError
    from roo_code.messages import Message, ToolResult
    from roo_code.modes.agent import ModeAgent
    from roo_code.tools import Tool, ToolContext, ToolRegistry
    from roo_code.workflows.runner import WorkflowRunner
    from roo_code.workspace.workspace import Workspace

_HOMES = {
    "Agent": "roo_code.agent",
    "Message": "roo_code.messages",
    "ModeAgent": "roo_code.modes.agent",
    "ProviderSettings": "roo_code.config.schema",
    "RooClient": "roo_code.client",
    "RooCodeError": "roo_code.errors",
    "Tool": "roo_code.tools",
    "ToolContext": "roo_code.tools",
    "ToolRegistry": "roo_code.tools",
    "ToolResult": "roo_code.messages",
    "WorkflowRunner": "roo_code.workflows.runner",
    "Workspace": "roo_code.workspace.workspace",
}

__all__ = [
    "Agent",
    "Message",
    "ModeAgent",
    "ProviderSettings",
    "RooClient",
    "RooCodeError",
    "Tool",
    "ToolContext",
    "ToolRegistry",
    "ToolResult",
    "WorkflowRunner",
    "Workspace",
    "__version__",
]


def __getattr__(name: str) -> object:
    if home := _HOMES.get(name):
        return getattr(import_module(home), name)
    raise AttributeError(f"module 'roo_code' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
