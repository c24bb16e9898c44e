"""What the package promises by name."""

import subprocess
import sys

import pytest

import roo_code
from roo_code import testing


@pytest.mark.requirement("agent:import:public-names")
def test_public_names() -> None:
    assert roo_code.__all__ == [
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
    code = "from roo_code import Agent, RooClient, ProviderSettings; print(Agent.__name__)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "Agent\n"


def test_every_public_name_can_be_had_and_no_other() -> None:
    for module in (roo_code, testing):
        assert sorted(module.__all__) == list(module.__all__)
        for name in module.__all__:
            assert getattr(module, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = roo_code.Nothing  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]


def test_names_of_the_seeds_are_where_they_were_promised() -> None:
    from roo_code.agent import Agent
    from roo_code.builtin_tools.registry import get_tool_by_name
    from roo_code.client import RooClient
    from roo_code.providers.base import BaseProvider
    from roo_code.stream import ApiStream
    from roo_code.tools import TOOL_ALIASES, Tool, ToolRegistry

    parts = (Agent, RooClient, BaseProvider, ApiStream, Tool, ToolRegistry, get_tool_by_name)
    assert all(callable(part) for part in parts)
    assert TOOL_ALIASES["read_directory"] == "list_files"
