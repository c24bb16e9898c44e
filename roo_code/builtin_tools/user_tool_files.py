"""Loading the code of users' tools; see `user_tools`."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import EntryPoint, distributions
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias, cast

from pydantic import BaseModel

from roo_code.config.trust_files import Unreadable, opened
from roo_code.tools import AnyTool, Tool, define
from roo_code.workspace.files import digest

_LARGEST = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_LETTERS = re.compile(r"\W")


class UnusableTool(Exception):
    """What is wrong with a tool, for its author to read."""


LoadCode: TypeAlias = Callable[[Path, bytes], Sequence[AnyTool]]
"""The tools of a file with this code, or UnusableTool."""


def tools_of_code(path: Path, code: bytes) -> Sequence[AnyTool]:
    """Run it here, and take the tools that it defines."""
    return list(_tools_in(_run(path, code)))


def load_folder(
    folder: Path,
    is_trusted: Callable[[Path, str], bool],
    tell: Callable[[str], None],
    load: LoadCode = tools_of_code,
) -> list[AnyTool]:
    tools: dict[str, AnyTool] = {}
    refused: list[str] = []
    for path in sorted(folder.glob("*.py")):
        if path.name.startswith("_"):
            continue
        try:
            code = _read(path)
            if not is_trusted(path, digest(code)):
                refused.append(path.name)
                continue
            found = load(path, code)
        except UnusableTool as error:
            tell(f"The tools in {path} are left out: {error}.")
            continue
        tools |= {tool.name: tool for tool in found}
    if refused:
        tell(
            f"Not loaded from {folder}: {', '.join(refused)}. Tools are code that runs with your "
            "rights, and these are not trusted as they are. Look at them, then: "
            "roo trust grant .roo/tools"
        )
    return list(tools.values())


def load_installed(group: str, places: Sequence[str], tell: Callable[[str], None]) -> list[AnyTool]:
    """Of packages: each entry point names a tool's class, or a module with some."""
    tools: dict[str, AnyTool] = {}
    for package in distributions(path=list(places)):
        for entry in package.entry_points.select(group=group):
            try:
                found = list(_offered(entry))
            except UnusableTool as error:
                tell(f"The tool {entry.value!r} of {package.name} is left out: {error}.")
                continue
            tools |= {tool.name: tool for tool in found}
    return list(tools.values())


def _offered(entry: EntryPoint) -> Iterator[AnyTool]:
    try:
        loaded: Any = entry.load()
    except (Exception, SystemExit) as error:
        raise UnusableTool(_told(error)) from error
    if isinstance(loaded, ModuleType):
        yield from _tools_in(loaded)
    elif kind := _as_tool(loaded):
        yield _made(kind)
    else:
        raise UnusableTool("it is neither a Tool class nor a module")


def _read(path: Path) -> bytes:
    try:
        with opened(path) as (file, _):
            code = file.read(_LARGEST + 1)
    except Unreadable as error:
        raise UnusableTool(str(error)) from error
    except OSError as error:
        raise UnusableTool(f"it cannot be read: {error.strerror}") from error
    if len(code) > _LARGEST:
        raise UnusableTool("it is larger than a megabyte")
    return code


def _run(path: Path, code: bytes) -> ModuleType:
    """The module of this code: what runs is what was judged, whatever the file has become."""
    name = f"roo_user_tools.{_NOT_LETTERS.sub('_', path.stem)}_{digest(str(path).encode())}"
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # where pydantic looks up the names in annotations
    try:
        exec(compile(code, str(path), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise UnusableTool(_told(error)) from error
    return module


def _tools_in(module: ModuleType) -> Iterator[AnyTool]:
    """Those defined there, not those it has imported, such as `Tool` itself."""
    kinds = [
        kind
        for kind in map(_as_tool, vars(module).values())
        if kind and kind.__module__ == module.__name__ and not inspect.isabstract(kind)
    ]
    if not kinds:
        raise UnusableTool("there is no class in it that derives from roo_code.Tool")
    for kind in kinds:
        yield _made(kind)


def _as_tool(found: Any) -> type[AnyTool] | None:
    is_tool = inspect.isclass(found) and issubclass(found, Tool)
    return cast("type[AnyTool]", found) if is_tool else None


def _as_model(found: Any) -> type[BaseModel] | None:
    return found if inspect.isclass(found) and issubclass(found, BaseModel) else None


def _made(kind: type[AnyTool]) -> AnyTool:
    missing = [
        name for name in ("name", "description", "group", "input_type") if not hasattr(kind, name)
    ]
    if missing:
        raise UnusableTool(f"{kind.__name__} does not say its {', '.join(missing)}")
    if not _NAME.fullmatch(str(kind.name)):
        raise UnusableTool(f"{kind.name!r} is no name for a tool: letters, digits, _ and - only")
    if _as_model(getattr(kind, "input_type", None)) is None:
        raise UnusableTool(f"the input_type of {kind.__name__} must be a pydantic model")
    try:
        tool = kind()
        define(tool)
    except Exception as error:
        raise UnusableTool(f"{kind.__name__} cannot be used: {_told(error)}") from error
    return tool


def _told(error: BaseException) -> str:
    """The error, and the line of the user's own code that it comes from."""
    line = getattr(error, "lineno", None)
    trace = error.__traceback__
    while trace is not None:
        if "roo_user_tools" in str(trace.tb_frame.f_globals.get("__name__", "")):
            line = trace.tb_lineno
        trace = trace.tb_next
    where = f" (line {line})" if line else ""
    return f"{type(error).__name__}: {error}{where}"
