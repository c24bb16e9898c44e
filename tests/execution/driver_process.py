"""Started by tests: forks a driver of a task for each line it reads; a start costs little so.

Each line is a state folder. The driver's process id is printed before it drives, and its exit
status after it is gone.
"""

import asyncio
import os
import sys
from pathlib import Path

from roo_code.cli.compose import HostOptions, open_host
from roo_code.commands import ResumeTask
from roo_code.events import RunEnded


async def drive(folder: Path, task_id: str) -> None:
    async with open_host(HostOptions(folder=folder)) as opened:
        await opened.host.handle(ResumeTask(task_id=task_id))
        async for record in opened.host.follow(task_id):
            if isinstance(record.event, RunEnded):
                return


def main() -> None:
    for line in sys.stdin:
        folder, task_id = line.split()
        child = os.fork()
        if child == 0:
            asyncio.run(drive(Path(folder), task_id))
            os._exit(0)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
