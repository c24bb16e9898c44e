"""Many source files parsed at once, in processes of their own."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

from roo_code.json_text import from_json, to_json
from roo_code.workspace.worker import worker

PATIENCE = 30.0
_FILES_PER_WORKER = 40
"""Starting another one takes as long as parsing about so many."""
_MOST_WORKERS = 4
_MOST_FAILURES = 3


class Source(NamedTuple):
    name: str
    language: str
    data: bytes


class Outline(NamedTuple):
    name: str
    definitions: Sequence[tuple[int, int, str]] = ()
    """First line, last line, text."""
    problem: str = ""


async def outline(sources: Sequence[Source]) -> list[Outline]:
    """The definitions of each file, in the order of the files."""
    count = max(1, min(_MOST_WORKERS, os.cpu_count() or 1, len(sources) // _FILES_PER_WORKER))
    async with asyncio.TaskGroup() as group:
        shares = [sources[start::count] for start in range(count)]
        tasks = [group.create_task(_outline_share(share)) for share in shares]
    found = {outlined.name: outlined for task in tasks for outlined in task.result()}
    return [found[source.name] for source in sources]


async def _outline_share(sources: Sequence[Source]) -> list[Outline]:
    """A file that brings the parser down is told; those after it go to another one."""
    done: list[Outline] = []
    failures = 0
    while (remaining := sources[len(done) :]) and failures < _MOST_FAILURES:
        answers = await _ask_worker(remaining)
        done += [_outlined(*pair) for pair in zip(remaining, answers, strict=False)]
        if len(answers) < len(remaining):
            failures += 1
            done.append(Outline(remaining[len(answers)].name, problem="it cannot be parsed"))
    return done + [Outline(source.name, problem="not parsed") for source in remaining]


async def _ask_worker(sources: Sequence[Source]) -> list[Any]:
    """The answers that came before it was done, died or ran out of time."""
    answers: list[Any] = []
    async with worker("roo_code.builtin_tools.definition_worker") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        sending = asyncio.create_task(_send(process.stdin, sources))
        try:
            async with asyncio.timeout(PATIENCE):
                while line := await process.stdout.readline():
                    answers.append(from_json(line))
        except TimeoutError:
            pass
        finally:
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await sending
    return answers


async def _send(pipe: asyncio.StreamWriter, sources: Iterable[Source]) -> None:
    with contextlib.suppress(ConnectionError):  # it died: what it has not answered tells where
        for source in sources:
            pipe.write(to_json([source.language, len(source.data)]) + b"\n" + source.data)
            await pipe.drain()
        pipe.close()


def _outlined(source: Source, answer: Any) -> Outline:
    if isinstance(answer, str):
        return Outline(source.name, problem=answer)
    return Outline(source.name, cast("list[tuple[int, int, str]]", answer))
