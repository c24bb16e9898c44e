"""The folder /etc as programs in a sandbox see it: what they need to run, and no passwords."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

_ETC = Path("/etc")

# Each mount makes every command slower, and each copy the first; large folders are mounted.
# Missing are gitconfig, npmrc, pip.conf, wgetrc, environment and the like: passwords are put there.
_FILES = (
    "ca-certificates.conf", "debian_version", "gai.conf", "group", "host.conf", "hosts", "inputrc",
    "ld.so.cache", "ld.so.conf", "locale.alias", "locale.conf", "localtime", "lsb-release",
    "magic", "magic.mime", "mime.types", "nsswitch.conf", "os-release", "passwd", "protocols",
    "pki/tls/openssl.cnf", "resolv.conf", "services", "shells", "ssl/cert.pem", "ssl/openssl.cnf",
    "timezone",
)  # fmt: skip
_FOLDERS = (
    "alternatives", "crypto-policies", "fonts", "java*", "pki/ca-trust", "pki/tls/certs",
    "ssl/certs",
)  # fmt: skip
_FOR_ALL = 0o004


def shown_system_files(source: Path = _ETC) -> list[Path]:
    """All of them, where they are."""
    found = [path for name in (*_FILES, *_FOLDERS) for path in source.glob(name)]
    return [path for path in found if _is_public(path)]


def copy_system_files(target: Path, *, source: Path = _ETC) -> Sequence[str]:
    """Make the folder and copy into it; return the names of folders to be mounted in it."""
    target.mkdir(mode=0o755)
    for name in _FILES:
        found, copied = source / name, target / name
        if _is_public(found):
            copied.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            shutil.copyfile(found, copied)
    folders = [found for name in _FOLDERS for found in source.glob(name) if found.is_dir()]
    names = [str(found.relative_to(source)) for found in folders if not found.is_symlink()]
    for name in names:
        (target / name).mkdir(mode=0o755, parents=True, exist_ok=True)
    return names


def _is_public(path: Path) -> bool:
    """Whether all may read it: root could show what others are not to see, or a link lead there."""
    try:
        return bool(path.stat().st_mode & _FOR_ALL)
    except OSError:
        return False
