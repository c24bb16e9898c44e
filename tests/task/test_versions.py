"""Stores of every version so far open for ever; an older one is copied before it is changed."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from roo_code.history import History
from roo_code.task import schema
from roo_code.task.sqlite_store import SqliteTaskStore
from roo_code.task.store import TaskQuery
from tests.wellformed import problems

GOLDEN = Path(__file__).parent.parent / "golden" / "store"
"""`version-N.sqlite3` was written by the first release with schema N and is never rewritten."""


def test_every_schema_version_has_a_golden_store() -> None:
    names = {path.name for path in GOLDEN.iterdir()}
    assert names == {f"version-{n}.sqlite3" for n in range(1, schema.SCHEMA_VERSION + 1)}


@pytest.mark.parametrize("golden", sorted(GOLDEN.iterdir()), ids=lambda path: path.stem)
async def test_a_store_of_before_opens_and_its_tasks_can_go_on(
    golden: Path, tmp_path: Path
) -> None:
    path = tmp_path / "tasks.sqlite3"
    shutil.copyfile(golden, path)
    store = SqliteTaskStore(path)
    try:
        summaries = await store.summaries(TaskQuery(subtasks=True))
        assert {(s.status, s.title) for s in summaries} == {
            ("completed", "Fix the failing test."),
            ("parked", "Delete the old files."),
            ("running", "Go on after a crash."),
        }
        for summary in summaries:
            records = await store.read(summary.id)
            assert [r.seq for r in records] == list(range(1, summary.last_seq + 1))
            history = History(record.event for record in records)
            history.close("The task was interrupted.")
            assert problems(history.messages) == []
    finally:
        await store.aclose()


async def test_a_copy_of_the_old_store_is_kept_before_it_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tasks.sqlite3"
    shutil.copyfile(GOLDEN / "version-1.sqlite3", path)
    later = (schema.MIGRATIONS[0], "ALTER TABLE tasks ADD COLUMN colour TEXT")
    monkeypatch.setattr(schema, "MIGRATIONS", later)
    monkeypatch.setattr(schema, "SCHEMA_VERSION", 2)
    schema.connect(path, write=True).close()
    schema.connect(path, write=True).close()  # once is enough

    kept = tmp_path / "tasks.sqlite3.version-1"
    assert sorted(p.name for p in tmp_path.iterdir() if "version" in p.name) == [kept.name]
    assert kept.stat().st_mode & 0o077 == 0
    for file, version, columns in ((kept, 1, 0), (path, 2, 1)):
        db = sqlite3.connect(file)
        assert db.execute("PRAGMA user_version").fetchone() == (version,)
        found = db.execute("SELECT count(*) FROM pragma_table_info('tasks') WHERE name='colour'")
        assert found.fetchone() == (columns,)
        assert db.execute("SELECT count(*) FROM tasks").fetchone() == (3,)
        db.close()
