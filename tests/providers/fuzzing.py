"""How much the fuzz tests do: a little with every change, and much when asked for.

`FUZZ_STREAMS=100000 pytest tests/providers/test_fuzz.py` runs so many changed streams in all.
"""

import os

from hypothesis import HealthCheck, settings

_ASKED = int(os.environ.get("FUZZ_STREAMS", "0"))


def share(of: int) -> settings:
    """The settings of a test that is one of so many."""
    if not _ASKED:
        return settings(deadline=None)
    return settings(
        deadline=None,
        max_examples=-(-_ASKED // of),
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        database=None,
    )
