"""Values in YAML between two lines of dashes at the top of a Markdown file."""

from __future__ import annotations

import re
from typing import Any

from roo_code.config.json_shapes import is_object
from roo_code.config.unreadable import Unreadable
from roo_code.config.yaml_text import parse_yaml

_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?P<head>.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The values and the text below them; Unreadable if they are no names and values."""
    text = text.removeprefix("\ufeff")
    matter = _FRONT_MATTER.match(text)
    if matter is None:
        return {}, text
    head = parse_yaml(matter["head"])
    if head is not None and not is_object(head):
        raise Unreadable("what stands between the lines of dashes must be names and values", 2)
    return head or {}, text[matter.end() :]
