"""A text file opened to be edited, and saved so that all else in it stays as it is."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from roo_code.builtin_tools.editing.hidden_keys import refuse_hidden_keys
from roo_code.errors import ToolError
from roo_code.tools import ToolContext
from roo_code.workspace.file_changes import Version
from roo_code.workspace.files import FileState, digest, read_state, replace_file
from roo_code.workspace.text import TextFormat, decode_text


class OpenedFile(NamedTuple):
    shown: str
    """Its path in the workspace."""
    home: Path
    path: Path
    text: str
    """With its line endings as they are."""
    format: TextFormat
    version: Version
    mode: int | None = None
    """The rights it has, or None if it is new."""

    def encode(self, text: str) -> bytes:
        """Other text in the same format, in which what is the same has the same bytes."""
        refuse_hidden_keys(self.shown, self.text, text)
        try:
            return self.format.encode(text)
        except UnicodeEncodeError as error:
            character = text[error.start]
            if half := half_character(error):
                raise half from error
            raise ToolError(
                f"{self.shown!r} is written in {self.format.encoding}, which lacks {character!r}; "
                "nothing was changed. Do without it, or write the whole file with write_to_file, "
                "which then makes it UTF-8."
            ) from error

    def save(self, text: str) -> str:
        """Write the text and return the digest of the file."""
        data = self.encode(text)
        replace_file(self.home, self.path, data, self.version)
        return digest(data)


def half_character(error: UnicodeEncodeError) -> ToolError | None:
    """What to say if no encoding could have written it."""
    character = error.object[error.start]
    if not 0xD800 <= ord(character) <= 0xDFFF:
        return None
    return ToolError(
        f"The new text holds half a character ({character!r}) at position {error.start}; nothing "
        "was written."
    )


def open_for_edit(context: ToolContext, written: str) -> OpenedFile:
    """The file of this name, as the model knows it, or an error that says how to go on."""
    file = find_for_edit(context, written)
    if file is None:
        raise ToolError(
            f"{written!r} does not exist. Check the path with list_files, or create the file with "
            "write_to_file."
        )
    return file


def find_for_edit(context: ToolContext, written: str) -> OpenedFile | None:
    """The same, or None if there is no such file."""
    path = context.workspace.resolve(written)
    home, shown = context.workspace.home_of(path), context.workspace.relative(path)
    state = read_state(home, path)
    if state is None:
        return None
    refuse_stale(context, shown, state)
    decoded = decode_text(state.data)
    if decoded is None:
        raise ToolError(f"{shown!r} is not text, so it cannot be edited.")
    return OpenedFile(shown, home, path, *decoded, state.version, state.mode)


def refuse_stale(context: ToolContext, shown: str, state: FileState) -> None:
    """An edit is worked out from what the model saw, so it must still be that."""
    seen = context.seen_files.get(shown)
    if seen is not None and seen != digest(state.data):
        raise ToolError(
            f"{shown!r} has changed since you last saw it: the user or a command has edited it. "
            "Nothing was written. Read it again, then make your change to what is there now."
        )
