"""list_code_definition_names: the classes, functions and other symbols of source files."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import AliasChoices, Field

from roo_code.builtin_tools.definition_languages import LANGUAGES, language_of
from roo_code.builtin_tools.definition_parsing import Outline, Source, outline
from roo_code.builtin_tools.list_files_walk import natural
from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.errors import ToolError
from roo_code.tools import Tool, ToolContext
from roo_code.workspace.opening import folder_of, open_file, told_plainly
from roo_code.workspace.workspace import Workspace

MOST_FILES = 200
MOST_CHARACTERS = 100_000
LARGEST_FILE = 2 << 20


class ListCodeDefinitionNamesInput(ToolInput):
    path: str = Field(
        default=".",
        min_length=1,
        validation_alias=AliasChoices("path", "file_path", "file", "directory", "relative_path"),
        description="A source file, or a folder whose files are read; not those further below.",
    )


class ListCodeDefinitionNames(Tool[ListCodeDefinitionNamesInput]):
    name = "list_code_definition_names"
    description = (
        "List what source files define: classes, functions, methods, types, with the lines that "
        "each takes, as in `12--40 | def name(...)`; for Markdown, the headings. For a folder, all "
        "files right in it. Good for a first view of code, or to know which lines to read."
    )
    group = "read"
    input_type = ListCodeDefinitionNamesInput
    repeatable = True

    async def execute(self, arguments: ListCodeDefinitionNamesInput, context: ToolContext) -> str:
        workspace = context.workspace
        with told_plainly(arguments.path):
            target = workspace.resolve_readable(arguments.path)
            reader = _SourceReader(workspace)
            await asyncio.to_thread(reader.read, target)
        if not reader.sources and not reader.notes:
            return _nothing_to_parse(arguments.path)
        outlines = await outline(reader.sources)
        blocks = [_block(outlined) for outlined in outlines if outlined.definitions]
        notes = [*reader.notes, *(_note(outlined) for outlined in outlines if outlined.problem)]
        text = "\n\n".join(_within_bounds(blocks)) or "No definitions found."
        return "\n\n".join(filter(None, [text, "\n".join(notes)]))


class _SourceReader:
    """Gathers the files to parse. Blocks; meant for a thread."""

    def __init__(self, workspace: Workspace) -> None:
        self.sources: list[Source] = []
        self.notes: list[str] = []
        self._workspace = workspace

    def read(self, target: Path) -> None:
        home = self._workspace.home_of(target)
        try:
            self._add(home, target)
        except IsADirectoryError:
            with folder_of(home, target / "_") as folder:
                names = sorted(filter(language_of, _names(folder)), key=natural)
            for name in names[:MOST_FILES]:
                self._add_from_folder(home, target / name)
            if len(names) > MOST_FILES:
                self.notes.append(f"(The first {MOST_FILES} of {len(names)} files.)")

    def _add_from_folder(self, home: Path, path: Path) -> None:
        if self._workspace.rooignore.hides_file(path):
            return
        try:
            self._add(home, path)
        except (OSError, ToolError):
            return  # a folder, a link, a pipe, or not for us

    def _add(self, home: Path, path: Path) -> None:
        descriptor = open_file(home, path)
        shown = self._workspace.relative(path)
        with os.fdopen(descriptor, "rb") as file:
            language = language_of(path.name)
            if language is None:
                known = ", ".join(LANGUAGES)
                raise ToolError(f"{shown!r}: its language is not known here. Known are: {known}.")
            if os.fstat(descriptor).st_size > LARGEST_FILE:
                self.notes.append(f"({shown}: too large to parse; use search_files.)")
                return
            self.sources.append(Source(shown, language, file.read(LARGEST_FILE + 1)))


def _names(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries if entry.is_file()]


def _nothing_to_parse(path: str) -> str:
    return f"No source files of a known language are right in {path!r}."


def _block(outlined: Outline) -> str:
    lines = [f"{first}--{last} | {text}" for first, last, text in outlined.definitions]
    return "\n".join([f"# {outlined.name}", *lines])


def _note(outlined: Outline) -> str:
    return f"({outlined.name}: {outlined.problem}.)"


def _within_bounds(blocks: list[str]) -> Iterator[str]:
    left = MOST_CHARACTERS
    for number, block in enumerate(blocks):
        if len(block) > left:
            cut, _, _ = block[:left].rpartition("\n")
            if cut:
                yield f"{cut}\n[... cut here ...]"
            yield f"({len(blocks) - number} files not shown in full: ask for one of them alone.)"
            return
        left -= len(block)
        yield block
