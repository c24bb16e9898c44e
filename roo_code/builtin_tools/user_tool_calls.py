"""What we and the process that holds a user's tools say to each other."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, field

from roo_code.json_text import JsonValue
from roo_code.messages import ImageContent
from roo_code.tools import ToolGroup
from roo_code.values import Value


class Request(Value):
    """Describe the tools of this code, or run the one that is named."""

    path: str
    code: bytes
    """What was judged is what runs, whatever the file has become."""
    tool: str = ""
    input: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    workspace: str = ""
    settings: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])


class DescribedTool(Value):
    """Checked as it is read: whoever answers runs a stranger's code."""

    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    description: str
    group: ToolGroup
    input_schema: dict[str, Any]
    repeatable: bool = False
    ends_run: bool = False
    needs_approval: bool = True


class Answer(Value):
    """The tools, or what came of the one that ran, or what went wrong."""

    tools: tuple[DescribedTool, ...] = ()
    outcome: str = ""
    images: tuple[ImageContent, ...] = ()
    is_error: bool = False
    seen_files: dict[str, str] = field(default_factory=dict[str, str])
    error: str = ""
