"""What a process of ours carries in its environment, so that it can be found and told apart.

The list of processes is thereby our registry: it is right whoever was killed, and when.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Literal, TypeAlias

ChildKind: TypeAlias = Literal["command", "user tool", "mcp server", "browser", "worker"]
"""All that we ever start, besides the reaper that ends them."""

MARK_VARIABLE = "ROO_STARTED_BY"
KIND_VARIABLE = "ROO_STARTED_AS"
_START = 18
"""The place of the start among the numbers of a process's status."""

task_of_children: ContextVar[str] = ContextVar("task_of_children", default="")
"""Which task the processes belong to that are started here; each call of a tool sets it."""


def marked(environment: Mapping[str, str], mark: str, kind: ChildKind) -> dict[str, str]:
    """The environment of a child with this mark."""
    task = task_of_children.get()
    return {**environment, MARK_VARIABLE: mark, KIND_VARIABLE: f"{kind}/{task}"}


def own_mark() -> str:
    """The beginning of all marks of this process: its id and, as ids are used again, its start."""
    return f"/{os.getpid()}-{start_of(os.getpid())}-{os.urandom(8).hex()}."


def start_of(pid: int) -> int:
    """When a process was started, in ticks since the machine was; 0 if it is gone or unknown."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - many are read
            status = file.read()
    except OSError:
        return 0
    # The name, in parentheses, may hold anything; what follows its last parenthesis is fixed.
    state, *fields = status.rpartition(b")")[2].split() or (b"X",)
    if state in {b"Z", b"X"} or len(fields) <= _START:  # of one that just ends, less is told
        return 0
    return int(fields[_START])
