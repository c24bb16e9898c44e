"""What a worker may use; it sets its own limits before it looks at its work."""

from __future__ import annotations

import sys

if sys.platform != "win32":
    import resource


def limit_this_process(*, memory: int, seconds: int) -> None:
    """From here on this process fails to get more memory, and is killed after the CPU time."""
    if sys.platform == "win32":
        return
    _lower(resource.RLIMIT_AS, memory)
    _lower(resource.RLIMIT_CPU, seconds)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, 64 << 20)  # a grammar is unpacked on first use; no more


def _lower(limit: int, wanted: int) -> None:
    _, hard = resource.getrlimit(limit)
    lowest = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(limit, (lowest, lowest))
