"""The files that name MCP servers: the user's own and the project's, which wins."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from roo_code.config.documents import Document, read_document
from roo_code.config.json_shapes import is_object
from roo_code.config.paths import roo_home
from roo_code.config.problem import Problem
from roo_code.config.unreadable import Unreadable
from roo_code.mcp_client.entry import ServerEntry, Source
from roo_code.mcp_client.entry_checks import BadEntry, checked_entry
from roo_code.mcp_client.variables import Variables

SERVERS = "mcpServers"


class ConfigFiles(NamedTuple):
    user: Path
    project: Path

    @classmethod
    def of(cls, workspace: Path, home: Path | None = None) -> ConfigFiles:
        user = (home or roo_home()) / "mcp-settings.json"
        return cls(user, workspace / ".roo" / "mcp.json")

    def of_source(self, source: Source) -> Path:
        return self.user if source == "global" else self.project

    def exist(self) -> bool:
        return self.user.exists() or self.project.exists()


class FoundServer(NamedTuple):
    entry: ServerEntry
    raw: dict[str, Any]
    """As the file has it, before variables are replaced: what a user consents to."""


class FoundServers(NamedTuple):
    servers: dict[str, FoundServer]
    """By name, each name once, in the order of the files."""
    problems: tuple[Problem, ...]
    unreadable: frozenset[Source] = frozenset()
    """Files that are there and say nothing: half written, perhaps."""


def read_servers(
    files: ConfigFiles, workspace: Path, environ: Mapping[str, str] | None = None
) -> FoundServers:
    """All servers of both files. What is wrong with one is told and costs no other."""
    environ = os.environ if environ is None else environ
    servers: dict[str, FoundServer] = {}
    problems: list[Problem] = []
    unreadable: set[Source] = set()
    sources: tuple[Source, Source] = ("global", "project")
    for source in sources:
        path = files.of_source(source)
        try:
            document = read_document(path)
        except Unreadable as error:
            problems.append(Problem(str(error), str(path), error.line, hint="Mend the file."))
            unreadable.add(source)
            continue
        for name, raw in _named(document, problems):
            variables = Variables(environ, workspace)
            try:
                entry = checked_entry(name, source, variables.replaced(raw), variables.unset)
            except BadEntry as error:
                problems.append(_problem(document, name, error))
                continue
            if variables.unset:
                missing = ", ".join(variables.unset)
                problems.append(_problem(document, name, BadEntry(f"{missing} is not set")))
            servers.pop(name, None)  # the project's stands in its own place
            servers[name] = FoundServer(entry, raw)
    return FoundServers(servers, tuple(problems), frozenset(unreadable))


def _named(document: Document | None, problems: list[Problem]) -> list[tuple[str, dict[str, Any]]]:
    if document is None:
        return []
    listed = document.data.get(SERVERS, {})
    if not is_object(listed):
        line = document.line_of(SERVERS)
        message = "must be an object of names and servers"
        problems.append(Problem(message, str(document.path), line, SERVERS))
        return []
    named: list[tuple[str, dict[str, Any]]] = []
    for name, raw in listed.items():
        if is_object(raw):
            named.append((name, raw))
        else:
            problems.append(_problem(document, name, BadEntry("must be an object")))
    return named


def _problem(document: Document | None, name: str, error: BadEntry) -> Problem:
    assert document is not None
    place = (SERVERS, name, *((error.field,) if error.field else ()))
    line = document.line_of(*place) or document.line_of(SERVERS, name)
    return Problem(str(error), str(document.path), line, ".".join(place), hint=error.hint)
