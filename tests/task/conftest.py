"""A store of its own for every test."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from roo_code.task.sqlite_store import SqliteTaskStore


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[SqliteTaskStore]:
    opened = SqliteTaskStore(tmp_path / "state" / "tasks.sqlite3")
    yield opened
    await opened.aclose()
