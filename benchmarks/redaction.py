"""redaction: what it costs to look for keys in what tools say."""

from __future__ import annotations

import base64
import random
import time
from collections.abc import Callable
from functools import partial
from statistics import median

from benchmarks.endpoint import Endpoint
from benchmarks.places import ROOT
from benchmarks.report import Column, Table
from roo_code.redaction import Redactor

_SIZE = 200_000
_PIECE = 1 << 16
_ROUNDS = 25


def measure(endpoint: Endpoint) -> list[Table]:
    table = Table(
        f"redaction: {_SIZE:,} characters without a key in them",
        (
            Column("text", "text"),
            Column("whole", "ms as one result", 2),
            Column("pieces", "ms in pieces of 64 KiB", 2),
        ),
        notes=[f"median of {_ROUNDS} rounds; two known keys and all shapes are looked for"],
    )
    redact = Redactor(["sk-benchmark-0123456789", "another-known-secret"])
    for name, text in _texts().items():
        whole = _milliseconds(partial(redact, text))
        table.add(name, whole=whole, pieces=_milliseconds(partial(_feed, redact, text.encode())))
    return [table]


def _feed(redact: Redactor, data: bytes) -> None:
    stream = redact.stream()
    for start in range(0, len(data), _PIECE):
        stream.feed(data[start : start + _PIECE])


def _texts() -> dict[str, str]:
    sources = sorted((ROOT / "roo_code").rglob("*.py"))
    texts = {
        "source": "".join(path.read_text(encoding="utf-8") for path in sources),
        "a log": "".join(map(_log_line, range(4_000))),
        "prose": "a line of output of some length that is like many others\n" * 4_000,
        "base64": base64.b64encode(random.Random(1).randbytes(_SIZE)).decode(),
    }
    return {name: text[:_SIZE] for name, text in texts.items()}


def _log_line(number: int) -> str:
    time_of_day = f"{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}"
    return f"2026-11-16T{time_of_day}Z INFO task.log request_id=req-{number:08x} /items/{number}\n"


def _milliseconds(work: Callable[[], object]) -> float:
    rounds: list[float] = []
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        work()
        rounds.append((time.perf_counter() - started) * 1000)
    return median(rounds)
