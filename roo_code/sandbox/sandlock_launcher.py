"""Runs a command under sandlock: a program of its own, started by its path with a policy as JSON.

It imports nothing of ours, so that it starts as fast as it can.
"""

from __future__ import annotations

import json
import signal
import sys
from importlib import import_module


def main() -> int:
    policy, *argv = sys.argv[1:]
    # It watches over the command and must not end before it; ignored, the command would inherit it.
    signal.signal(signal.SIGTERM, lambda _number, _frame: None)
    return import_module("sandlock").Sandbox(**json.loads(policy)).run_interactive(argv)


if __name__ == "__main__":
    sys.exit(main())
