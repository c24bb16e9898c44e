"""What a mode lets its task do: judged by the tool that would run and the files it would change."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from pathlib import Path

from roo_code.config.mode import Mode, ModeGroup
from roo_code.errors import FileRestrictionError, NotAllowed, ToolError
from roo_code.messages import ToolUseContent
from roo_code.tools import AnyTool, parse_input
from roo_code.workspace.workspace import Workspace

_OURS = ("roo_code.builtin_tools.", "roo_code.modes.")
_ALWAYS = {"run_slash_command", "skill"}
_NEEDS = {"codebase_search": "read", "generate_image": "edit"}
"""Tools of the group `advanced` by what they do."""
_MAY_SAVE = {"edit", "browser", "advanced", "modes"}
"""Groups whose tools change the files that a call names."""
_WAY_OUT = (
    "If it has to be done, go on in another mode with switch_mode, or give it to one with new_task."
)


def check_call(mode: Mode, tool: AnyTool, call: ToolUseContent, workspace: Workspace) -> None:
    """Raise NotAllowed if the mode does not let this call run."""
    _check_group(mode, tool)
    _check_server(mode, tool, call)
    if tool.group != "edit" and (tool.group not in _MAY_SAVE or tool.repeatable):
        return
    try:
        paths = tool.paths(parse_input(tool, call.input))
    except ToolError:
        return  # it will not run: the registry answers with what is wrong with it
    edit = mode.group("edit")
    if edit is None or edit.file_regex:
        _check_files(mode, tool, paths, workspace)


def _check_group(mode: Mode, tool: AnyTool) -> None:
    missing = _missing_group(mode, tool)
    if missing:
        has = ", ".join(group.name for group in mode.groups) or "none"
        raise NotAllowed(
            f"{tool.name} is not allowed in {mode.slug} mode: it needs the tool group {missing}, "
            f"and the mode has {has}. {_WAY_OUT}"
        )


def _check_server(mode: Mode, tool: AnyTool, call: ToolUseContent) -> None:
    """A slash command may be a server's prompt."""
    if tool.group == "mcp" or mode.group("mcp") or tool.name not in _ALWAYS:
        return
    try:
        server, _ = tool.server(parse_input(tool, call.input))
    except ToolError:
        return
    if server:
        raise NotAllowed(
            f"{server} is a prompt of an MCP server, and {mode.slug} mode has no tool group mcp. "
            f"{_WAY_OUT}"
        )


def _missing_group(mode: Mode, tool: AnyTool) -> str:
    """The group that the mode would need; empty if it has what it takes."""
    group: str = tool.group
    if mode.group(group) or (_is_ours(tool) and (group == "modes" or tool.name in _ALWAYS)):
        return ""
    if group not in ("advanced", "modes"):
        return group
    need = _NEEDS.get(tool.name) if _is_ours(tool) else None
    if need is None and tool.repeatable:
        need = "read"
    if need is not None:
        return "" if mode.group(need) else need
    # Nobody knows what a user's tool does: it may where everything may be done anyway.
    edit = mode.group("edit")
    return "" if edit and not edit.file_regex and mode.group("command") else "advanced"


def _is_ours(tool: AnyTool) -> bool:
    return type(tool).__module__.startswith(_OURS)


def _check_files(mode: Mode, tool: AnyTool, paths: tuple[str, ...], workspace: Workspace) -> None:
    edit = mode.group("edit")
    if not paths:
        if edit is not None and tool.group == "edit":
            raise _restricted(mode, edit, "this call does not say which files it would change")
        return
    if edit is None:
        raise NotAllowed(
            f"{tool.name} may not save {paths[0]!r} in {mode.slug} mode, which has no tool group "
            f"edit. {_WAY_OUT}"
        )
    from roo_code.config.file_pattern import file_pattern  # noqa: PLC0415 - most modes have no limits

    for path in paths:
        real = _composed(spelled_on_disk(workspace.resolve(path), workspace.home_of))
        shown = workspace.relative(Path(real))
        if _defines_modes(shown):
            raise _restricted(mode, edit, f"{path!r} says what modes may do")
        if not file_pattern(_composed(edit.file_regex)).matches(shown):
            where = "" if shown == path else f" (which is {shown!r})"
            raise _restricted(mode, edit, f"{path!r}{where} does not")


def _restricted(mode: Mode, edit: ModeGroup, but: str) -> FileRestrictionError:
    what = f" ({edit.description})" if edit.description else ""
    return FileRestrictionError(
        f"{mode.slug} mode can only edit files matching {edit.file_regex}{what}, and {but}. "
        f"{_WAY_OUT}"
    )


def _defines_modes(path: str) -> bool:
    """A mode with limits must not lift them itself."""
    folded = path.casefold()
    return folded == ".roomodes" or folded.startswith(".roo/modes/")


def _composed(text: str | Path) -> str:
    """One spelling for what looks the same: some file systems take letters apart."""
    return unicodedata.normalize("NFC", str(text))


def spelled_on_disk(
    path: Path,
    home_of: Callable[[Path], Path],
    exists: Callable[[Path], bool] = os.path.lexists,
) -> Path:
    """The path as its folders spell it: some file systems take `MAIN.PY` for `main.py`."""
    found = home_of(path)
    for part in path.relative_to(found).parts:
        found /= part if not exists(found / part) else _entry(found, part)
    return found


def _entry(folder: Path, name: str) -> str:
    try:
        names = os.listdir(folder)  # noqa: PTH208 - names, not paths
    except OSError:
        return name
    if name in names:
        return name
    return next((other for other in names if _folded(other) == _folded(name)), name)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
