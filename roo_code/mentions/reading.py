"""What mentions stand for, read and put in the shape in which the model is shown it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from roo_code.builtin_tools.read_file import ReadFile
from roo_code.builtin_tools.read_file_input import ReadFileInput
from roo_code.builtin_tools.skill import skill_text, skills_of
from roo_code.builtin_tools.slash_commands import command_now, commands_of
from roo_code.config.slash_commands import SlashCommand
from roo_code.errors import RooCodeError, ToolError
from roo_code.events import MentionsRead
from roo_code.mentions.finding import Mention
from roo_code.mentions.folder import look_into
from roo_code.mentions.git import Git
from roo_code.messages import ImageContent, TextContent
from roo_code.tools import ToolContext, ToolOutcome
from roo_code.workspace.opening import told_plainly

MOST_MENTIONS = 50
MOST_CHARACTERS = 300_000
"""As much text as all mentions of a message bring; Roo has no such limit."""
MOST_FOLDER_CHARACTERS = 100_000
MOST_IMAGES = 20
_PATIENCE = 60.0
_MEGABYTE = 1024 * 1024
_NO_TERMINAL = "There is no terminal here whose output could be read. Ask for it, or run a command."
_NO_PROBLEMS = "There is no editor here that knows of problems. Run the project's own checks."


async def _fetch(url: str) -> str:
    from roo_code.builtin_tools.web_fetch import fetch_readable  # noqa: PLC0415 - few are pages

    return await fetch_readable(url)


class MentionReading:
    """Gathers what the mentions of one message bring. What fails is told in its place."""

    def __init__(
        self,
        context: ToolContext,
        fetch: Callable[[str], Awaitable[str]] = _fetch,
        is_mode: Callable[[str], bool] = lambda slug: False,
    ) -> None:
        self.wanted_mode: SlashCommand | None = None
        """The first command that is for a mode of its own."""
        self._is_mode = is_mode
        self._context = context
        self._fetch = fetch
        self._workspace = context.workspace
        self._texts: list[str] = []
        self._images: list[ImageContent] = []
        self._seen: dict[str, str] = {}
        self._names: list[str] = []
        self._room = MOST_CHARACTERS

    async def read(self, mentions: Sequence[Mention]) -> MentionsRead | None:
        """None if nothing is mentioned after all."""
        for mention in mentions[:MOST_MENTIONS]:
            await self._add(mention)
        if left_out := [mention.written for mention in mentions[MOST_MENTIONS:]]:
            self._texts.append(f"[Not read, as there are too many mentions: {' '.join(left_out)}]")
        if not self._texts:
            return None
        texts = [TextContent(text=self._context.hide(text)) for text in self._texts]
        return MentionsRead(
            names=tuple(self._names), content=(*texts, *self._images), seen_files=self._seen
        )

    async def _add(self, mention: Mention) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                found = await self._look_up(mention)
        except TimeoutError:
            found = _failed(mention, f"it took more than {_PATIENCE:.0f} s.")
        except (RooCodeError, OSError, ValueError) as error:
            found = _failed(mention, str(error))
        if found is None:
            return
        self._names.append(f"{mention.written}{' (failed)' if found.is_error else ''}")
        if len(found.content) > self._room:
            self._texts.append(
                f"[{mention.written}]\nNot shown: all mentions together would be longer than "
                f"{MOST_CHARACTERS:,} characters. Read it in parts with the tools."
            )
            return
        self._room -= len(found.content)
        self._texts.append(found.content)
        self._images += found.images
        self._seen |= found.seen_files

    async def _look_up(self, mention: Mention) -> ToolOutcome | None:
        match mention.kind:
            case "path":
                return await self._read_path(mention.value)
            case "url":
                page = await self._fetch(mention.value)
                return ToolOutcome(f"[web_fetch for '{mention.value}']\n{page}")
            case "git-changes":
                told = await Git(self._workspace).changes()
                return ToolOutcome(f"<git_working_state>\n{told}\n</git_working_state>")
            case "commit":
                told = await Git(self._workspace).commit(mention.value)
                return ToolOutcome(f'<git_commit hash="{mention.value}">\n{told}\n</git_commit>')
            case "terminal":
                return ToolOutcome(f"<terminal_output>\n{_NO_TERMINAL}\n</terminal_output>")
            case "problems":
                told = f"<workspace_diagnostics>\n{_NO_PROBLEMS}\n</workspace_diagnostics>"
                return ToolOutcome(told)
            case "command":
                return await asyncio.to_thread(self._read_command, mention.value)

    async def _read_path(self, path: str) -> ToolOutcome:
        with told_plainly(path):
            folder = await asyncio.to_thread(self._folder, path)
            if folder is not None:
                return await self._read_folder(path, folder)
        found = await self._read_file(path)
        return found._replace(content=f"[read_file for '{path}']\n{found.content}")

    def _folder(self, path: str) -> Path | None:
        resolved = self._workspace.resolve_readable(path)
        return resolved if resolved.is_dir() else None

    async def _read_file(self, path: str) -> ToolOutcome:
        used = sum(len(image.data) * 3 // 4 for image in self._images)
        limit = self._context.settings.get("maxTotalImageSize")
        allowed = limit if isinstance(limit, int | float) else 20
        left = max(0, allowed - used / _MEGABYTE) if len(self._images) < MOST_IMAGES else 0
        settings = {**self._context.settings, "maxTotalImageSize": left}
        context = replace(self._context, settings=settings)
        try:
            return await ReadFile().execute(ReadFileInput(path=path), context)
        except ToolError as error:
            return ToolOutcome(str(error), is_error=True)

    async def _read_folder(self, path: str, folder: Path) -> ToolOutcome:
        found = await asyncio.to_thread(look_into, self._workspace, folder)
        parts, seen = [f"[read_file for folder '{path}']\n{found.tree}"], dict[str, str]()
        if found.texts:
            parts.append("--- File Contents ---")
        room, left_out = MOST_FOLDER_CHARACTERS, found.others
        for name in found.texts:
            file = await self._read_file(name)
            if len(file.content) > room:
                left_out += 1
                continue
            room -= len(file.content)
            parts.append(file.content)
            seen |= file.seen_files
        if left_out:
            parts.append(f"({left_out} more files are not shown; read_file shows them.)")
        return ToolOutcome("\n\n".join(parts), seen_files=seen)

    def _read_command(self, name: str) -> ToolOutcome | None:
        """A command, else a skill; None if there is neither: then it is a word like others."""
        command = commands_of(self._workspace).get(name)
        if command is None:
            skill = skills_of(self._context).get(name)
            return None if skill is None else ToolOutcome(skill_text(skill, "", self._context))
        command = command_now(command, self._workspace)
        described = f"Description: {command.description}\n\n" if command.description else ""
        if command.mode and not self._is_mode(command.mode):
            described += f"(It is for the mode {command.mode!r}, which does not exist here.)\n\n"
        elif command.mode and self.wanted_mode is None:
            self.wanted_mode = command
        return ToolOutcome(f'<command name="{name}">\n{described}{command.content}\n</command>')


def _failed(mention: Mention, why: str) -> ToolOutcome:
    return ToolOutcome(f"[{mention.written}]\nError: {why}", is_error=True)
