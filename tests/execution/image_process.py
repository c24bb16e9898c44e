"""Started by tests: drives a task, and keeps the store as it is after every commit.

Each copy is what a process that was killed at that moment would have left.
"""

import asyncio
import itertools
import sqlite3
import sys
from pathlib import Path
from typing import Any

from roo_code.task.writer import BatchingWriter
from tests.execution.driver_process import drive


def keep_images(folder: Path) -> None:
    commit: Any = BatchingWriter._commit
    numbers = itertools.count()

    def commit_and_copy(self: Any, batch: Any) -> None:
        commit(self, batch)
        place = folder / f"{next(numbers):04}"
        place.mkdir(parents=True)
        copy = sqlite3.connect(place / "tasks.sqlite3")
        self._connection.backup(copy)
        copy.close()

    BatchingWriter._commit = commit_and_copy


if __name__ == "__main__":
    state, task_id, images = sys.argv[1:]
    keep_images(Path(images))
    asyncio.run(drive(Path(state), task_id))
