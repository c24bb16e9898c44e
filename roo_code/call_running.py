"""Calls run side by side: what they say meanwhile, and what they ask and hear."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias, TypeVar

from roo_code.events import Event, QuestionAnswered, QuestionAsked, Suggestion
from roo_code.messages import ToolUseContent
from roo_code.tools import NotAnswered

_T = TypeVar("_T")


class _Happening(NamedTuple):
    event: Event
    is_end: bool = False
    then: Callable[[], None] = lambda: None
    """What follows the event, once whoever drives the loop has stored it and asks on."""


_Happenings: TypeAlias = "asyncio.Queue[_Happening | BaseException]"


class CallLine:
    """The line between one running call and the loop."""

    def __init__(self, call_id: str, asked: int, happenings: _Happenings) -> None:
        self._call_id = call_id
        self._asked = asked
        """How often the call has asked, in an earlier process too: no id is given twice."""
        self._happenings = happenings
        self._open: dict[str, asyncio.Future[str]] = {}
        self._unstored: set[asyncio.Future[None]] = set()
        self._is_closed = False

    def emit(self, event: Event) -> None:
        """Say what happens, without waiting for anybody."""
        self._happenings.put_nowait(_Happening(event))

    async def record(self, event: Event) -> None:
        """Have the event stored before the call goes on."""
        self._check_open()
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._unstored.add(stored)
        self._happenings.put_nowait(_Happening(event, then=partial(_resolve, stored, None)))
        try:
            await stored
        finally:
            self._unstored.discard(stored)

    async def ask(self, question: str, suggestions: Sequence[str] = ()) -> str:
        """The user's answer. It may be asked by another task than the one that runs the call."""
        self._check_open()
        self._asked += 1
        id = f"{self._call_id}.q{self._asked}"
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._open[id] = answer
        shown = tuple(Suggestion(text=text) for text in suggestions)
        self.emit(
            QuestionAsked(
                tool_use_id=id, question=question, suggestions=shown, running_call=self._call_id
            )
        )
        try:
            return await answer
        finally:
            self._withdraw(id)

    def hear(self, answer: QuestionAnswered) -> bool:
        """Whether the call waits for it; then the call goes on once the answer is stored."""
        waiting = self._open.pop(answer.tool_use_id, None)
        if waiting is None:
            return False
        then = partial(_resolve, waiting, answer.answer)
        self._happenings.put_nowait(_Happening(answer, then=then))
        return True

    def end(self, event: Event | None = None) -> None:
        """The call has ended: nobody need answer it, and nothing is stored for it any more."""
        self._is_closed = True
        for id, waiting in list(self._open.items()):
            self._withdraw(id)
            _refuse(waiting)
        for stored in self._unstored:
            _refuse(stored)
        if event is not None:
            self._happenings.put_nowait(_Happening(event, is_end=True))

    def _withdraw(self, id: str) -> None:
        if self._open.pop(id, None) is not None:
            self.emit(QuestionAnswered(tool_use_id=id, answer="", withdrawn=True))

    def _check_open(self) -> None:
        if self._is_closed:
            raise NotAnswered("The call has ended.")


class CallRunning:
    """Runs the calls of one batch; their events come out as they happen, one ending for each."""

    def __init__(self, execute: Callable[[ToolUseContent, CallLine], Awaitable[Event]]) -> None:
        self._execute = execute
        """Does the work of a call and returns the event that it ends with."""
        self._lines: list[CallLine] = []

    def hear(self, answer: QuestionAnswered) -> bool:
        """Whether a running call waits for this answer."""
        return any(line.hear(answer) for line in self._lines)

    async def run(
        self, calls: Sequence[ToolUseContent], asked: Mapping[str, int]
    ) -> AsyncGenerator[Event]:
        """`asked` says of calls that an earlier process began how often they have asked."""
        happenings: _Happenings = asyncio.Queue()
        self._lines = [CallLine(call.id, asked.get(call.id, 0), happenings) for call in calls]
        jobs = [
            asyncio.create_task(self._run(call, line))
            for call, line in zip(calls, self._lines, strict=True)
        ]
        for job in jobs:
            job.add_done_callback(partial(_tell_failure, happenings))
        try:
            open_calls = len(calls)
            while open_calls:
                happened = await happenings.get()
                if isinstance(happened, BaseException):
                    raise happened
                yield happened.event
                happened.then()
                open_calls -= happened.is_end
        finally:
            for job in jobs:
                job.cancel()
            await asyncio.gather(*jobs, return_exceptions=True)
            for line in self._lines:
                line.end()
            self._lines = []

    async def _run(self, call: ToolUseContent, line: CallLine) -> None:
        line.end(await self._execute(call, line))


def _resolve(future: asyncio.Future[_T], value: _T) -> None:
    if not future.done():
        future.set_result(value)


def _refuse(future: asyncio.Future[_T]) -> None:
    if not future.done():
        future.set_exception(NotAnswered("The call has ended."))


def _tell_failure(happenings: _Happenings, job: asyncio.Task[None]) -> None:
    """A call that broke the recovery itself ends the run; nobody waits for it for ever."""
    if not job.cancelled() and (error := job.exception()):
        happenings.put_nowait(error)
