"""Where the programs of a user are that the system does not have: Python, Node, Rust in the home.

They are shown in the sandbox, read-only, so that a build works there as it does outside. The home
holds secrets beside them, so of it only what is known to hold programs is shown.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

_SYSTEM = ("/usr", "/opt", "/nix/store", "/bin", "/sbin", "/lib", "/lib64")
_NEVER = ("/etc", "/proc", "/sys", "/dev", "/run", "/boot")
TOOLCHAIN_VARIABLES = (
    "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "NVM_DIR", "VOLTA_HOME", "FNM_DIR", "RUSTUP_HOME",
    "GOROOT", "JAVA_HOME", "JDK_HOME", "DOTNET_ROOT", "RBENV_ROOT", "ASDF_DIR",
)  # fmt: skip
_IN_HOME = (
    ".pyenv", ".nvm", ".volta", ".fnm", ".local/share/fnm", ".nodenv", ".rustup", ".cargo/bin",
    ".goenv", ".sdkman/candidates", ".jenv", ".rbenv", ".asdf", ".deno/bin", ".bun/bin", ".opam",
    ".ghcup", ".juliaup", ".elan", ".local/bin", ".local/lib", ".local/pipx/venvs",
    ".local/share/pipx/venvs", ".local/share/uv/python", ".local/share/uv/tools",
    ".local/share/mise/installs", ".local/share/mise/shims", ".nix-profile", "miniconda3",
    "anaconda3", "miniforge3", "mambaforge", "go/bin", "bin",
)  # fmt: skip
"""Not .cargo, .local, .config or .docker themselves: passwords and keys are put there."""
_ENVIRONMENTS = (".venv", "venv", "env")
_PYTHON = re.compile(r"python[\d.]*")


def toolchains(workspace: Path, environ: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Folders to show, none of which holds the home or lies in another of them."""
    home, workspace = home.resolve(), workspace.resolve()
    named = {*_named(workspace, environ, home), *own_python()}
    wanted = {
        path
        for path in {*map(_resolved, named), *_on_path(environ, home)}
        if _can_be_shown(path) and not _is_there_or_secret(path, home, workspace)
    }
    return tuple(
        path
        for path in sorted(wanted)
        if not any(other != path and path.is_relative_to(other) for other in wanted)
    )


def own_python() -> Iterator[Path]:
    """What runs this code, for workers of ours in the sandbox."""
    package = Path(__file__).resolve().parents[1]
    libraries = Path(msgspec.__file__).parents[1]
    yield from (package, libraries, Path(sys.prefix), Path(sys.base_prefix))


def _named(workspace: Path, environ: Mapping[str, str], home: Path) -> Iterator[Path]:
    yield from (home / name for name in _IN_HOME)
    yield from (Path(environ[name]) for name in TOOLCHAIN_VARIABLES if environ.get(name))
    for place in (*(workspace / name for name in _ENVIRONMENTS), environ.get("VIRTUAL_ENV")):
        if place:
            yield from _python_of(Path(place))


def _python_of(place: Path) -> Iterator[Path]:
    """The Python that a virtual environment was made with.

    The link to it may be anybody's work: it must lead to a Python, not merely somewhere.
    """
    program = _resolved(place / "bin" / "python")
    prefix = program.parent.parent
    if _PYTHON.fullmatch(program.name) and _has_python(prefix):
        yield prefix


def _on_path(environ: Mapping[str, str], home: Path) -> Iterator[Path]:
    """What a search path names, and what stands beside a `bin` if that is all programs."""
    for entry in environ.get("PATH", "").split(os.pathsep):
        if not entry.startswith("/"):
            continue
        folder = _resolved(Path(entry))
        hidden = folder.is_relative_to(home) or any(part[0] == "." for part in folder.parts)
        if not hidden or folder.name == "bin":
            yield folder
        if folder.name == "bin" and (not hidden or _has_python(folder.parent)):
            yield folder.parent


def _has_python(prefix: Path) -> bool:
    return _can_be_shown(prefix) and any(
        any(prefix.glob(sign)) for sign in ("pyvenv.cfg", "lib/python3*/os.py")
    )


def _can_be_shown(path: Path) -> bool:
    """Not what this user may not look into: a search path may be somebody else's."""
    return os.path.isdir(path) and os.access(path, os.R_OK | os.X_OK)  # noqa: PTH112


def _is_there_or_secret(path: Path, home: Path, workspace: Path) -> bool:
    if home.is_relative_to(path) or path.is_relative_to(workspace):
        return True
    return any(path.is_relative_to(folder) for folder in (*_SYSTEM, *_NEVER))


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # links that lead in a circle
        return Path("/")
