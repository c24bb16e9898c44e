"""The one interface of all sandboxes, and the one that is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from roo_code.sandbox.policy import SandboxPolicy


class ConfinedCommand(NamedTuple):
    """What to start instead of a command: in the same folder, and in a session of its own."""

    argv: tuple[str, ...]
    environment: dict[str, str]


class Sandbox(Protocol):
    """One for a task: its commands share the limits that hold for all together."""

    @property
    def name(self) -> str: ...

    @property
    def confines(self) -> bool:
        """Whether it is a sandbox at all; without one, what runs unasked must be refused."""
        ...

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the policy asks for and this machine does not give, as sentences for the user."""
        ...

    def wrap(
        self, argv: Sequence[str], *, cwd: Path, environment: Mapping[str, str]
    ) -> ConfinedCommand:
        """Raises ConfigError if the folder cannot be seen in the sandbox."""
        ...

    def close(self) -> None:
        """Give back what it holds. Commands of it that still run are to be ended before."""
        ...


class NoSandbox:
    """Runs commands as they are, with the listed variables only; says that nothing holds them."""

    name = "none"
    confines = False

    def __init__(self, policy: SandboxPolicy, *, warning: str) -> None:
        self._policy = policy
        self.warnings: tuple[str, ...] = (warning,)

    def wrap(
        self, argv: Sequence[str], *, cwd: Path, environment: Mapping[str, str]
    ) -> ConfinedCommand:
        chosen = self._policy.chosen(dict(environment))
        # Without a sandbox the home is there anyway, and programs do not start well without it.
        kept = {name: environment[name] for name in ("HOME", "TMPDIR") if name in environment}
        return ConfinedCommand(tuple(argv), {**chosen, **kept})

    def close(self) -> None:
        pass
