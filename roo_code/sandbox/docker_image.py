"""The image that containers of a sandbox are made of: the user's, or one with nothing in it."""

from __future__ import annotations

import hashlib
import io
import tarfile
from pathlib import Path

from roo_code.errors import ConfigError
from roo_code.sandbox.docker_client import DockerClient, DockerFailed
from roo_code.sandbox.shown_folders import MERGED

_NAME = "roo-code-sandbox"
_FOLDERS = ("dev", "etc", "home", "opt", "proc", "sbin", "sys", "tmp", "usr", "var")
HOLDS_INIT = "sbin"
"""A folder into which Docker puts its own first process, so that it cannot be this system's."""
_SOUGHT_THERE = ("ifconfig", "ip", "ldconfig", "sysctl")


def image_of(chosen: str, client: DockerClient) -> str:
    """The image's name, once it is on this machine; nothing is ever downloaded for it.

    Raises:
        ConfigError: The user's image is not there.
    """
    if chosen:
        if not _is_there(chosen, client):
            raise ConfigError(
                f"The image {chosen} of the setting sandboxImage is not on this machine.",
                hint=f"docker pull {chosen}",
            )
        return chosen
    layer = _layer()
    name = f"{_NAME}:{hashlib.sha256(layer).hexdigest()[:12]}"
    if not _is_there(name, client):
        client.ask("import", "--message", "Empty, for the sandbox of roo", "-", name, given=layer)
    return name


def _is_there(name: str, client: DockerClient) -> bool:
    try:
        client.ask("image", "inspect", "--format", "{{.Id}}", "--", name)
    except DockerFailed as error:
        if "no such image" in str(error).lower():
            return False
        raise
    return True


def _layer() -> bytes:
    """Folders to be mounted on, and the links that this system has between its own."""
    links = {"var/tmp": "/tmp"} | {
        f"{HOLDS_INIT}/{name}": f"/usr/sbin/{name}" for name in _SOUGHT_THERE
    }
    for name in MERGED:
        if (folder := Path("/", name)).is_symlink() and name != HOLDS_INIT:
            links[name] = str(folder.readlink())
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in _FOLDERS:
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o1777 if name == "tmp" else 0o755
            archive.addfile(folder)
        for name, target in links.items():
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, target
            archive.addfile(link)
    return written.getvalue()
