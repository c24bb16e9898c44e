"""SparingExecutor: drives tasks in this process, but for those it is told to leave alone."""

from __future__ import annotations

from roo_code.execution.local import LocalExecutor
from roo_code.task.live import LiveRecords
from roo_code.task.store import TaskStore
from roo_code.task.task import CreateAgent


class SparingExecutor(LocalExecutor):
    """For a command that sees one task through and then ends.

    Were it to begin on the task that waits for that one, it would cut it off in the middle.
    """

    def __init__(
        self,
        store: TaskStore,
        create_agent: CreateAgent,
        live: LiveRecords,
        *,
        spared: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(store, create_agent, live)
        self._spared = spared

    async def wake(self, task_id: str) -> None:
        if task_id not in self._spared:
            await super().wake(task_id)
