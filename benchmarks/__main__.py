"""`python -m benchmarks [NAME ...] [--json FILE]`: measure and show."""

from __future__ import annotations

import argparse
import json
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.endpoint import Endpoint
from benchmarks.places import compile_bytecode, forget_homes
from benchmarks.report import Table, machine

BENCHMARKS = (
    *("task", "turns", "start", "log", "settings", "replay", "edits", "reading", "commands"),
    "streaming",
    "prompt",
    "mode_switch",
    "sandbox",
    "policy",
    "redaction",
    "mcp_calls",
    "ipc",
)


def main() -> None:
    options = _options()
    here = machine()
    print(f"{here}\n", flush=True)
    compile_bytecode()
    forget_homes()
    figures: dict[str, Any] = {"machine": here}
    with Endpoint.started() as endpoint:
        for name in options.benchmarks or BENCHMARKS:
            tables: list[Table] = import_module(f"benchmarks.{name}").measure(endpoint)
            for table in tables:
                print(table.text(), flush=True)
            figures[name] = [table.as_json() for table in tables]
    forget_homes()
    if options.json:
        text = json.dumps(figures, indent=2, ensure_ascii=False)
        options.json.write_text(text + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("benchmarks", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there too")
    options = parser.parse_args()
    if unknown := set(options.benchmarks) - set(BENCHMARKS):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    return options


if __name__ == "__main__":
    main()
