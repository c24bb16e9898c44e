"""Sessions: one for each id, counted, and forgotten after a while of silence."""

from __future__ import annotations

import asyncio

import pytest

from roo_code.mcp.session import SessionManager
from roo_code.modes.task import Task


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def manager(clock: Clock) -> SessionManager:
    return SessionManager(lambda: Task("code"), timeout=60, clock=clock)


@pytest.mark.requirement("mcp-server:session:get-or-create")
def test_a_session_is_made_once(manager: SessionManager) -> None:
    one = manager.get_session("a")
    assert manager.get_session("a") is one
    assert manager.get_session("b") is not one


@pytest.mark.requirement("mcp-server:session:fields")
def test_a_request_is_counted_and_timed(manager: SessionManager, clock: Clock) -> None:
    session = manager.get_session("a")
    assert session.session_id == "a"
    assert session.current_task.mode_slug == "code"
    assert (session.created_at, session.last_accessed, session.message_count) == (1000, 1000, 0)
    clock.now = 1010
    assert manager.note_request("a") is session
    assert (session.created_at, session.last_accessed, session.message_count) == (1000, 1010, 1)


@pytest.mark.requirement("mcp-server:session:expiry")
async def test_silent_sessions_are_removed_in_time(manager: SessionManager, clock: Clock) -> None:
    manager.get_session("old")
    clock.now = 1050
    manager.get_session("new")
    clock.now = 1061
    cleaning = asyncio.create_task(manager.clean_up_for_ever(seconds=0))
    while "old" in manager.sessions:
        await asyncio.sleep(0)
    cleaning.cancel()
    assert list(manager.sessions) == ["new"]
    assert manager.cleanup() == []
