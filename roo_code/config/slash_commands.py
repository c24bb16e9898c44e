"""Slash commands: prompts kept as Markdown files, the project's and the user's own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from roo_code.config.documents import read_text
from roo_code.config.front_matter import split_front_matter
from roo_code.config.problem import Problem
from roo_code.config.unreadable import Unreadable

CommandSource: TypeAlias = Literal["project", "global"]

_MOST_LINKS = 2
"""Linked folders within linked folders: they may lead in a circle."""


class SlashCommand(NamedTuple):
    name: str
    source: CommandSource
    path: Path
    content: str
    description: str = ""
    argument_hint: str = ""
    mode: str = ""


def list_commands(workspace: Path, home: Path) -> tuple[list[SlashCommand], list[Problem]]:
    """All there are by name, the project's before the user's own, and files that are unreadable."""
    folders: tuple[tuple[CommandSource, Path], ...] = (
        ("global", home / "commands"),
        ("project", workspace / ".roo" / "commands"),
    )
    found: dict[str, SlashCommand] = {}
    problems: list[Problem] = []
    for source, folder in folders:
        for path in command_files(folder):
            try:
                text = read_text(path)
            except Unreadable as error:
                problems.append(Problem(str(error), str(path), error.line))
                continue
            if text is not None:
                command = read_command(path, text, source)
                found[command.name] = command
    return sorted(found.values()), problems


def read_command(path: Path, text: str, source: CommandSource) -> SlashCommand:
    """The command of a file's text; front matter that is broken is part of the content."""
    text = text.removeprefix("\ufeff")
    head, content = _split(text)

    def said(key: str) -> str:
        value = head.get(key)
        return value.strip() if isinstance(value, str) else ""

    return SlashCommand(
        name=path.stem,
        source=source,
        path=path,
        content=content.strip(),
        description=said("description"),
        argument_hint=said("argument-hint"),
        mode=said("mode"),
    )


def _split(text: str) -> tuple[dict[str, Any], str]:
    try:
        return split_front_matter(text)
    except Unreadable:
        return {}, text


def command_files(folder: Path, links: int = 0) -> Iterator[Path]:
    """The files of a folder that are commands."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:  # most often there is none
        return
    for entry in entries:
        if os.path.isdir(entry):  # noqa: PTH112 - no error where it may not be looked at
            if entry.is_symlink() and links < _MOST_LINKS:
                yield from command_files(entry, links + 1)
        elif entry.suffix.lower() == ".md":
            yield entry
