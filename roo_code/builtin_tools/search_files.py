"""search_files: a regular expression in all files of a folder."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import AliasChoices, Field

from roo_code.builtin_tools.search_files_matches import ARGUMENTS, MOST_RESULTS, Matches
from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.errors import ToolError
from roo_code.tools import Tool, ToolContext
from roo_code.workspace.opening import folder_of, told_plainly
from roo_code.workspace.ripgrep import ripgrep
from roo_code.workspace.rooignore import FILE_NAME
from roo_code.workspace.short_process import short_process
from roo_code.workspace.workspace import Workspace

PATIENCE = 60.0
LONGEST_PATTERN = 10_000
_CHUNK = 1 << 16
_LONGEST_ERROR = 4000
_FAILED = 2
_KEPT = ("PATH", "HOME", "XDG_CONFIG_HOME", "LANG", "LC_ALL")  # git's own ignore file is there


class SearchFilesInput(ToolInput):
    path: str = Field(
        default=".",
        min_length=1,
        validation_alias=AliasChoices("path", "directory", "dir", "folder", "target_directory"),
        description="The folder to search, with all below it, relative to the workspace.",
    )
    regex: str = Field(
        min_length=1,
        max_length=LONGEST_PATTERN,
        validation_alias=AliasChoices("regex", "pattern", "query", "search", "text"),
        description="The regular expression, in Rust's syntax. It is matched line by line.",
    )
    file_pattern: str | None = Field(
        default=None,
        max_length=LONGEST_PATTERN,
        validation_alias=AliasChoices("file_pattern", "filePattern", "glob", "include"),
        description="Only in files with such names, as in `*.ts` or `src/**/*.{js,jsx}`.",
    )


class SearchFiles(Tool[SearchFilesInput]):
    name = "search_files"
    description = (
        "Search the files of a folder and of all folders in it for a regular expression. Each "
        "match comes with its file, its line number and the lines around it. Files that git "
        f"ignores, hidden and binary ones are left out. At most {MOST_RESULTS} results are shown, "
        "so search for what is rare."
    )
    group = "read"
    input_type = SearchFilesInput
    repeatable = True

    async def execute(self, arguments: SearchFilesInput, context: ToolContext) -> str:
        workspace = context.workspace
        with contextlib.ExitStack() as stack:
            with told_plainly(arguments.path):
                target = workspace.resolve_readable(arguments.path)
                single = not await asyncio.to_thread(target.is_dir)
                folder = target.parent if single else target
                opening = folder_of(workspace.home_of(folder), folder / "_")
                descriptor = stack.enter_context(opening)
                if single:
                    os.stat(target.name, dir_fd=descriptor)  # says so if it is not there
            prefix = workspace.relative(folder)
            matches = Matches(lambda name: workspace.rooignore.hides(_joined(prefix, name)))
            command = [
                *(ripgrep(), *ARGUMENTS),
                *_filters(arguments, workspace, at_root=prefix == "."),
                *("-e", arguments.regex, "--", f"./{target.name}" if single else "./"),
            ]
            ending = await _search(command, descriptor, matches)
        return _report(matches, prefix, ending)


def _filters(arguments: SearchFilesInput, workspace: Workspace, *, at_root: bool) -> Iterator[str]:
    if r"\n" in arguments.regex or "\n" in arguments.regex:
        yield "--multiline"
    if at_root and workspace.rooignore.exists():
        yield f"--ignore-file={FILE_NAME}"  # to lose no time there; what is shown is judged by us
    for pattern in _patterns(arguments.file_pattern or ""):
        if "/" in pattern or pattern.startswith("!"):
            yield f"--glob={pattern}"
        elif pattern not in {"*", "**"}:
            # A --glob would also bring back files that git ignores; a file type does not.
            yield f"--type-add=wanted:{pattern}"
            yield "--type=wanted"


def _patterns(given: str) -> Sequence[str]:
    """Several may be given, with commas; those in braces belong to one."""
    parts = [""]
    depth = 0
    for character in given:
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


async def _search(command: Sequence[str | Path], folder: int, matches: Matches) -> str:
    """Fill the matches; returns what the model should know of how it ended."""
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    async with short_process(command, folder=folder, environment=environment) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            async with asyncio.timeout(PATIENCE):
                while not matches.full and (data := await process.stdout.read(_CHUNK)):
                    matches.feed(data)
                if matches.full:
                    return ""
                errors = (await process.stderr.read(_LONGEST_ERROR)).decode("utf-8", "replace")
                status = await process.wait()
        except TimeoutError:
            return f"The search was stopped after {PATIENCE:.0f} s: search a smaller folder."
    if status == _FAILED and errors and not matches.results:
        raise ToolError(f"The search could not be made.\n{errors.strip()}")
    return "Some files could not be searched." if status == _FAILED else ""


def _report(matches: Matches, prefix: str, ending: str) -> str:
    if not matches.results:
        return "\n".join(["No results found.", *matches.notes, *filter(None, [ending])])
    blocks = [_heading(matches)]
    if ending:
        blocks[0] += f" {ending}"
    for name, lines in sorted(matches.files.items()):
        shown = _joined(prefix, name).encode("utf-8", "replace").decode()
        blocks.append("\n".join([f"# {shown}", *_groups(lines)]))
    return "\n\n".join(blocks)


def _heading(matches: Matches) -> str:
    if matches.full:
        return (
            f"Showing the first {matches.results:,} of more than {matches.results:,} results. "
            "Narrow the search if what you need is not among them."
        )
    return f"Found {matches.results:,} result{'s' if matches.results > 1 else ''}."


def _groups(lines: Sequence[tuple[int, str]]) -> Iterator[str]:
    before = lines[0][0] - 1
    for number, text in lines:
        if number > before + 1:
            yield "----"
        yield f"{number:>3} | {text}"
        before = number
    yield "----"


def _joined(prefix: str, name: str) -> str:
    return name if prefix == "." else f"{prefix}/{name}"
