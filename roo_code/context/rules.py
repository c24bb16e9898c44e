"""Rules of the user and of the project, from every place and in the order in which they count."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from roo_code.context.rule_files import RuleFile, RuleReader
from roo_code.errors import ToolError
from roo_code.workspace.rooignore import FILE_NAME
from roo_code.workspace.workspace import Workspace

MOST_CHARACTERS = 100_000
"""As much of all rules together as goes into a prompt; Roo has no such limit."""
_SLUG = re.compile(r"[A-Za-z0-9-]+")
_MOST_FOLDERS = 5_000
"""As many as are searched for rules of their own."""
_NOT_SEARCHED = frozenset({"node_modules", "__pycache__", "venv", "env", "dist", "build", "target"})


class RulePlaces(NamedTuple):
    """Where to look."""

    workspace: Workspace
    home: Path
    subfolders: Sequence[Path] = ()
    """Folders of the workspace that have rules of their own."""
    agent_rules: bool = True


def rule_texts(places: RulePlaces, mode: str, reader: RuleReader) -> list[str]:
    """Each under the name of its file: the mode's, what is hidden, all agents', all modes'.

    What comes later may overrule what comes before.
    """
    for_mode = _of_mode(places, mode, reader) if _SLUG.fullmatch(mode) else []
    agents = _agent_rules(places, reader) if places.agent_rules else []
    general = _of_folders(places, "rules", reader)
    general = general or _first(places, (".roorules", ".clinerules"), reader)
    reader.watch(places.workspace.root / FILE_NAME)
    hidden = _ignored(places.workspace)
    return _capped(for_mode, [hidden] if hidden else [], [*agents, *general])


def rule_folders(root: Path) -> list[Path]:
    """Folders below the workspace's own that have a `.roo`, by name; links are not followed."""
    found: list[Path] = []
    for number, (folder, names, _) in enumerate(os.walk(root)):
        if number == _MOST_FOLDERS:
            break
        if ".roo" in names and Path(folder) != root:
            found.append(Path(folder))
        names[:] = sorted(n for n in names if not n.startswith(".") and n not in _NOT_SEARCHED)
    return sorted(found)


def _of_mode(places: RulePlaces, mode: str, reader: RuleReader) -> list[RuleFile]:
    found = _of_folders(places, f"rules-{mode}", reader)
    return found or _first(places, (f".roorules-{mode}", f".clinerules-{mode}"), reader)


def _of_folders(places: RulePlaces, name: str, reader: RuleReader) -> list[RuleFile]:
    root = places.workspace.root
    bases = (places.home, root / ".roo", *(folder / ".roo" for folder in places.subfolders))
    return [rule for base in bases for rule in reader.folder(base / name)]


def _first(places: RulePlaces, names: Iterable[str], reader: RuleReader) -> list[RuleFile]:
    """Of old files, the first that says anything; Cline's may be a folder."""
    for name in names:
        path = places.workspace.root / name
        if found := reader.folder(path) if path.is_dir() else reader.file(path):
            return found
    return []


def _agent_rules(places: RulePlaces, reader: RuleReader) -> list[RuleFile]:
    found: list[RuleFile] = []
    for folder in (places.workspace.root, *places.subfolders):
        found += reader.file(folder / "AGENTS.md") or reader.file(folder / "AGENT.md")
        found += reader.file(folder / "AGENTS.local.md")
    return found


def _ignored(workspace: Workspace) -> str:
    try:
        return workspace.rooignore.notice()
    except ToolError as error:  # it cannot be used: what follows from that is for the model to know
        return str(error)


def _capped(
    before: Sequence[RuleFile], notice: Sequence[str], after: Sequence[RuleFile]
) -> list[str]:
    """As much as there is room for, and the names of what is left out."""
    room = MOST_CHARACTERS
    left_out: list[str] = []

    def fitted(rule: RuleFile) -> Iterable[str]:
        nonlocal room
        if room <= 0:
            left_out.append(rule.name)
            return
        text = rule.text
        if len(text) > room:
            text = text[: max(text.rfind("\n", 0, room), 0)] or text[:room]
            text += f"\n[Cut at {len(text):,} of {len(rule.text):,} characters. Read the file.]"
        room -= len(text)
        yield f"# From {rule.name}\n\n{text}"

    texts = [text for rule in before for text in fitted(rule)]
    texts += notice
    texts += [text for rule in after for text in fitted(rule)]
    if left_out:
        texts.append(
            f"(Left out, as all rules together are longer than {MOST_CHARACTERS:,} characters: "
            f"{', '.join(left_out)}. Read them if they matter for the task.)"
        )
    return texts
