"""Characters that make a line look like another line, or that shells read each in their own way."""

from __future__ import annotations

import unicodedata

_LONGEST_LINE = 20_000
_HIDDEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"}
_PLAIN = {" ", "\t", "\n"}


def unreadable_because(line: str) -> str:
    """Why nobody should trust what they see of a line; empty if they may."""
    if len(line) > _LONGEST_LINE:
        return f"the line is longer than {_LONGEST_LINE} characters"
    if line.isascii() and line.isprintable():
        return ""
    for character in line:
        if character not in _PLAIN and unicodedata.category(character) in _HIDDEN:
            name = unicodedata.name(character, "control character")
            return f"the line holds U+{ord(character):04X} ({name.lower()})"
    return ""
