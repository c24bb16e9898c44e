"""The `docker` program and the daemon it speaks to, which must be on this machine."""

from __future__ import annotations

import os
import subprocess
from typing import NamedTuple

from roo_code.errors import ConfigError

_SECONDS = 20
_NEEDED = ("PATH", "HOME", "DOCKER_CONFIG", "DOCKER_CONTEXT", "XDG_RUNTIME_DIR")
"""Where the user's choice of a daemon is kept."""
_NO_SETTINGS = "/nonexistent"
"""Those of the user would put his proxies, with their passwords, into every container."""


class DockerFailed(ConfigError):
    """What `docker` said instead of doing what it was told."""


class DockerClient(NamedTuple):
    program: str
    address: str

    @property
    def words(self) -> tuple[str, ...]:
        """With which all commands to this daemon begin."""
        return (self.program, "--config", _NO_SETTINGS, "--host", self.address)

    def ask(self, *words: str, given: bytes = b"") -> str:
        """Raises DockerFailed. Blocks."""
        return _said([*self.words, *words], given=given)


class Daemon(NamedTuple):
    """And which limits the kernel lets it set."""

    client: DockerClient
    memory: bool
    swap: bool
    processes: bool


def find_daemon(program: str) -> Daemon:
    """The one that the user has chosen; raises DockerFailed if it is elsewhere or says nothing."""
    address = os.environ.get("DOCKER_HOST") or _said(
        [program, "context", "inspect", "--format", "{{.Endpoints.docker.Host}}"]
    )
    if not address.startswith("unix://"):
        raise DockerFailed(f"its daemon is not on this machine but at {address.split('@')[-1]}")
    client = DockerClient(program, address)
    try:
        client.ask("version", "--format", "{{.Server.Version}}")  # it alone says well what is wrong
        held = client.ask("info", "--format", "{{.MemoryLimit}} {{.SwapLimit}} {{.PidsLimit}}")
    except DockerFailed as error:
        raise DockerFailed(
            str(error),
            hint="Start its daemon. If you may not speak to it: whoever may is as good as root.",
        ) from error
    return Daemon(client, *(word == "true" for word in held.split()))


def _environment() -> dict[str, str]:
    return {name: os.environ[name] for name in _NEEDED if name in os.environ}


def _said(argv: list[str], *, given: bytes = b"") -> str:
    try:
        done = subprocess.run(
            argv, input=given, capture_output=True, timeout=_SECONDS, check=False,
            start_new_session=True, env=_environment(),
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise DockerFailed(f"docker did not answer within {_SECONDS} s") from error
    except OSError as error:
        raise DockerFailed(str(error)) from error
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise DockerFailed(said[0] if said else f"docker ended with {done.returncode}")
    return done.stdout.decode(errors="replace").strip()
