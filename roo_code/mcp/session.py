"""Sessions: what each client has going on, until it has been silent for too long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from roo_code.modes.task import Task

DEFAULT_TIMEOUT = 3600.0


class Session:
    def __init__(self, session_id: str, current_task: Task, now: float) -> None:
        self.session_id = session_id
        self.current_task = current_task
        self.created_at = now
        self.last_accessed = now
        self.message_count = 0
        self.initialized = False
        """Whether the client has said that it is ready."""
        self.protocol_version = ""

    def touch(self, now: float) -> None:
        self.last_accessed = now
        self.message_count += 1


class SessionManager:
    """Sessions by id. Its tasks are not ended with a session: they are the host's."""

    def __init__(
        self,
        new_task: Callable[[], Task],
        *,
        timeout: float = DEFAULT_TIMEOUT,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._new_task = new_task
        self._timeout = timeout
        self._clock = clock
        self.sessions: dict[str, Session] = {}

    def get_session(self, session_id: str) -> Session:
        """The session of this id, made now if there is none."""
        if session_id not in self.sessions:
            self.sessions[session_id] = Session(session_id, self._new_task(), self._clock())
        return self.sessions[session_id]

    def note_request(self, session_id: str) -> Session:
        session = self.get_session(session_id)
        session.touch(self._clock())
        return session

    def close(self, session_id: str) -> None:
        self.sessions.pop(session_id, None)

    def cleanup(self) -> list[str]:
        """Remove those that were silent for too long; their ids."""
        oldest = self._clock() - self._timeout
        expired = [id for id, session in self.sessions.items() if session.last_accessed < oldest]
        for id in expired:
            del self.sessions[id]
        return expired

    async def clean_up_for_ever(self, seconds: float | None = None) -> None:
        while True:
            await asyncio.sleep(seconds if seconds is not None else min(60.0, self._timeout))
            self.cleanup()
