"""What a workspace has that could run, or that gives rights: what needs the user's consent.

Whoever is about to run such a thing makes its `TrustedContent` from the very bytes or values that
it then runs, and asks the `TrustStore`. Modes, rules and prompts in plain words need no consent:
whatever they talk the model into is judged call by call.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from roo_code.config.documents import SUFFIXES, Document, read_document, read_text
from roo_code.config.json_shapes import as_object, is_list, is_object
from roo_code.config.problem import shown
from roo_code.config.project_rules import needs_consent
from roo_code.config.skills import skill_files
from roo_code.config.slash_commands import command_files
from roo_code.config.trust import TrustedContent, TrustedKind, workspace_path
from roo_code.config.trust_files import (
    ReadFile,
    digest_of,
    digest_of_files,
    read_folder,
    sha256,
    shown_files,
    shown_text,
)
from roo_code.config.trust_server_files import command_words, named_files
from roo_code.config.unreadable import Unreadable
from roo_code.redaction import redact

TOOLS_FOLDER = ".roo/tools"
MCP_FILE = ".roo/mcp.json"
UNTRUSTABLE = ""
"""The digest of what cannot be read whole: nothing has it, so nobody can consent to it."""

_SHELL = re.compile(r"!`|^[ \t]*!(?![\[\s])|^[ \t]*```!", re.MULTILINE)
_RUNNING_KEYS = re.compile(r"^(?:command|exec|hooks|run|script|shell)[ \t]*:", re.MULTILINE)
_STEERS = re.compile(
    r"PATH$|^LD_|^DYLD_|OPTIONS$|OPTS$|^PYTHON|^NODE_|^BASH|^ENV$|^GIT_|^PERL|^RUBY|STARTUP|SHELL$|"
    r"EDITOR$|PAGER$|_CONFIG$|^(HTTPS?|ALL)_PROXY$"
)
"""Variables that make a program run, load or trust something else."""
_SHOWN_LINES = 40


def contents(workspace: Path) -> list[TrustedContent]:
    """All of a workspace that needs consent, as it is now; nothing of it is run or loaded."""
    found = [settings_in(workspace), *mcp_servers(workspace), tools_in(workspace)[0]]
    found += [_command(workspace, path) for path in command_files(workspace / ".roo/commands")]
    found += [skill_content(workspace, path.parent) for path in skill_files(workspace)]
    return [content for content in found if content is not None]


def settings_in(workspace: Path) -> TrustedContent | None:
    """The first settings file there is, which is the one that counts."""
    for suffix in SUFFIXES:
        try:
            document = read_document(workspace / f".roo/settings{suffix}")
        except Unreadable:
            return None  # none of it is used
        if document is not None:
            return settings_content(workspace, document)
    return None


def settings_content(workspace: Path, document: Document) -> TrustedContent | None:
    """None where the settings give no right that consent could give them."""
    widening = {key: value for key, value in document.data.items() if needs_consent(key, value)}
    if not widening:
        return None
    told = [f"{key} = {shown(key, value)}" for key, value in widening.items()]
    name = f".roo/{document.path.name}"
    digest = sha256(document.text.encode())
    return _content("project_settings", name, workspace, digest, "\n".join(told))


def mcp_servers(workspace: Path) -> Iterator[TrustedContent]:
    try:
        document = read_document(workspace / MCP_FILE)
    except Unreadable:
        return
    servers = as_object(document.data.get("mcpServers")) if document else {}
    for name, entry in servers.items():
        if is_object(entry) and entry.get("disabled") is not True:
            yield mcp_content(workspace, name, entry)


def mcp_content(workspace: Path, name: str, entry: Mapping[str, Any]) -> TrustedContent:
    """A server's entry as it stands in the file, with no variable filled in.

    Files of the workspace that its command line names belong to it: who changes `server.py`
    changes what runs as much as who changes the entry.
    """
    try:
        root = Path(workspace_path(workspace))
        named = {path: sha256(file.data) for path, file in named_files(root, entry)}
        digest = digest_of({"entry": dict(entry), "files": named})
    except (Unreadable, TypeError, ValueError):
        named, digest = {}, UNTRUSTABLE
    return _content("mcp_server", name, workspace, digest, _shown_server(entry, named))


def tools_in(workspace: Path) -> tuple[TrustedContent | None, dict[str, ReadFile]]:
    """The folder of tools as one content, for a tool may load its neighbours; and its files."""
    folder = workspace / TOOLS_FOLDER
    if not os.path.isdir(folder):  # noqa: PTH112 - no error where it may not be looked at
        return None, {}
    try:
        files = read_folder(folder)
    except Unreadable as error:
        return _content("user_tool", TOOLS_FOLDER, workspace, UNTRUSTABLE, f"{error}."), {}
    if not files:
        return None, {}
    digest = digest_of_files(files)
    return _content("user_tool", TOOLS_FOLDER, workspace, digest, shown_files(files)), files


def command_content(workspace: Path, path: Path, text: str) -> TrustedContent | None:
    """None where the command is plain words."""
    head = text[: text.find("\n---", 3)] if text.startswith("---") else ""
    if not _SHELL.search(text) and not _RUNNING_KEYS.search(head):
        return None
    data = text.encode("utf-8", "surrogatepass")
    told = "\n".join(shown_text(data, _SHOWN_LINES))
    return _content("slash_command", _relative(workspace, path), workspace, sha256(data), told)


def skill_content(workspace: Path, folder: Path) -> TrustedContent | None:
    """The whole folder of a skill; None where there is no script in it."""
    name = _relative(workspace, folder)
    try:
        files = read_folder(folder)
    except Unreadable as error:
        return _content("skill", name, workspace, UNTRUSTABLE, f"{error}.")
    if not any(file.is_script(path) for path, file in files.items()):
        return None
    return _content("skill", name, workspace, digest_of_files(files), shown_files(files))


def _command(workspace: Path, path: Path) -> TrustedContent | None:
    try:
        text = read_text(path)
    except Unreadable:
        return None  # not used either
    return None if text is None else command_content(workspace, path, text)


def _content(
    kind: TrustedKind, name: str, workspace: Path, digest: str, told: str
) -> TrustedContent:
    return TrustedContent(kind, name, workspace_path(workspace), digest, redact(told))


def _relative(workspace: Path, path: Path) -> str:
    return os.fsencode(os.path.relpath(path, workspace)).decode("utf-8", "backslashreplace")


def _shown_server(entry: Mapping[str, Any], files: Mapping[str, str]) -> str:
    """Of most variables and of headers the names, not the values: those are often keys."""
    lines = {
        "runs": shlex.join(command_words(entry)),
        "in": str(entry.get("cwd") or ""),
        "connects to": str(entry.get("url") or ""),
        "with the variables": ", ".join(_shown_variables(as_object(entry.get("env")))),
        "with the headers": ", ".join(map(str, as_object(entry.get("headers")))),
        "files": ", ".join(f"{name} ({digest[:12]})" for name, digest in files.items()),
        "runs unasked": ", ".join(map(str, _listed(entry.get("alwaysAllow")))),
    }
    return "\n".join(f"{name}: {value}" for name, value in lines.items() if value)


def _shown_variables(given: Mapping[str, Any]) -> Iterator[str]:
    for name, value in given.items():
        yield f"{name}={value}" if _STEERS.search(name.upper()) else name


def _listed(value: Any) -> list[Any]:
    return value if is_list(value) else []
