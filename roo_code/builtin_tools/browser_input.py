"""What browser_action takes, and what its texts mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, cast

from pydantic import AliasChoices, BeforeValidator, Field

from roo_code.builtin_tools.browser_session import Size
from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.errors import ToolError

Action = Literal[
    "launch",
    "navigate",
    "back",
    "click",
    "hover",
    "type",
    "press",
    "scroll_down",
    "scroll_up",
    "resize",
    "screenshot",
    "close",
]

_ACTIONS = {
    "open": "launch",
    "goto": "navigate",
    "go_to": "navigate",
    "go_back": "back",
    "fill": "type",
    "key": "press",
    "scroll": "scroll_down",
    "quit": "close",
}
_COORDINATE = re.compile(
    r"\(?\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*\)?\s*(?:@\s*(\d+)\s*[x,]\s*(\d+))?\s*"
)
_SIZE = re.compile(r"\s*(\d+)\s*[xX,]\s*(\d+)\s*")
_SMALLEST, _LARGEST = 100, 4096
_KEYS = {
    "alt": "Alt",
    "backspace": "Backspace",
    "cmd": "Meta",
    "command": "Meta",
    "control": "Control",
    "ctrl": "Control",
    "del": "Delete",
    "delete": "Delete",
    "down": "ArrowDown",
    "end": "End",
    "enter": "Enter",
    "esc": "Escape",
    "escape": "Escape",
    "home": "Home",
    "insert": "Insert",
    "left": "ArrowLeft",
    "meta": "Meta",
    "option": "Alt",
    "pagedown": "PageDown",
    "pageup": "PageUp",
    "pgdn": "PageDown",
    "pgup": "PageUp",
    "return": "Enter",
    "right": "ArrowRight",
    "shift": "Shift",
    "space": "Space",
    "tab": "Tab",
    "up": "ArrowUp",
}


def _known(value: Any) -> Any:
    return _ACTIONS.get(value, value) if isinstance(value, str) else value


def _joined(value: Any) -> Any:
    """Two numbers that came as a list."""
    if not isinstance(value, list | tuple):
        return value
    return ",".join(str(number) for number in cast(Sequence[Any], value))


class BrowserActionInput(ToolInput):
    action: Annotated[Action, BeforeValidator(_known)] = Field(
        description="launch opens a browser at url, and must come first; close ends it."
    )
    url: str | None = Field(
        default=None, description="For launch and navigate: an address, or a file of the workspace."
    )
    coordinate: Annotated[str | None, BeforeValidator(_joined)] = Field(
        default=None,
        description="For click and hover: x,y@WIDTHxHEIGHT, a place in the last screenshot and the "
        "size of that, such as 450,203@900x600.",
    )
    element: str | None = Field(
        default=None,
        validation_alias=AliasChoices("element", "selector", "target"),
        description="For click, hover and type, in place of a coordinate: a CSS selector or the "
        "text of an element.",
    )
    text: str | None = Field(
        default=None,
        validation_alias=AliasChoices("text", "key", "keys", "value"),
        description="For type: what to type, into element or what has the focus. For press: a key, "
        "such as Enter or Control+a.",
    )
    size: Annotated[str | None, BeforeValidator(_joined)] = Field(
        default=None, description="For resize: WIDTHxHEIGHT of the page."
    )
    path: str | None = Field(
        default=None,
        description="For screenshot: a .png, .jpg or .webp file to save it to as well.",
    )


def place(coordinate: str, viewport: Size) -> tuple[float, float]:
    """Where in the page a place in the model's picture of it is."""
    if not (match := _COORDINATE.fullmatch(coordinate)):
        raise ToolError(f"{coordinate!r} is not a coordinate; write x,y@WIDTHxHEIGHT.")
    x, y = float(match[1]), float(match[2])
    if match[3]:
        shown = Size(int(match[3]), int(match[4]))
        if not all(shown):
            raise ToolError(f"{coordinate!r}: a picture of size {shown} shows nothing.")
        x, y = x * viewport.width / shown.width, y * viewport.height / shown.height
    if not (0 <= x <= viewport.width and 0 <= y <= viewport.height):
        raise ToolError(f"{coordinate!r} is outside the page, whose size is {viewport}.")
    return round(x, 1), round(y, 1)


def read_size(text: str) -> Size:
    if not (match := _SIZE.fullmatch(text)):
        raise ToolError(f"{text!r} is not a size; write WIDTHxHEIGHT, such as 900x600.")
    size = Size(int(match[1]), int(match[2]))
    if not all(_SMALLEST <= length <= _LARGEST for length in size):
        raise ToolError(f"Width and height are to be from {_SMALLEST} to {_LARGEST}, not {size}.")
    return size


def key(text: str) -> str:
    """The name of a key or a combination as the browser knows it."""
    if not text.strip():
        return "Space"
    *held, last = re.split(r"(?<=.)\s*\+\s*", text.strip())
    return "+".join(_key(name) for name in (*held, last))


def _key(name: str) -> str:
    return _KEYS.get(name.replace(" ", "").replace("_", "").lower(), name)
