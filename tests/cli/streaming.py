"""A program that drives `roo` by lines of JSON, as Roo's own integration cases do."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tests.cli.conftest import Roo

Event = dict[str, Any]
_SECONDS = 40


class Program:
    def __init__(self, roo: Roo, *arguments: str) -> None:
        flags = ("-p", "--output-format", "stream-json", "--stdin-prompt-stream")
        self.process = subprocess.Popen(
            roo.command(*flags, *arguments),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=roo.environment, start_new_session=True,
        )  # fmt: skip
        roo.exits.callback(self._end)
        self.events: list[Event] = []
        self._seen = 0
        self._arrived: queue.Queue[Event | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, command: str, id: str, **fields: Any) -> None:
        self.write(json.dumps({"command": command, "requestId": id, **fields}) + "\n")

    def write(self, text: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def until(self, **wanted: Any) -> Event:
        """The next event, of those not waited for yet, with these fields."""
        return self.when(lambda event: all(event.get(k) == v for k, v in wanted.items()))

    def when(self, fits: Callable[[Event], bool]) -> Event:
        while True:
            while self._seen < len(self.events):
                event = self.events[self._seen]
                self._seen += 1
                if fits(event):
                    return event
            arrived = self._arrived.get(timeout=_SECONDS)
            assert arrived is not None, f"it ended: {self.events[-5:]}"
            self.events.append(arrived)

    def close(self) -> int:
        """No more commands; the exit code."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.wait()

    def wait(self) -> int:
        code = self.process.wait(_SECONDS)
        while (event := self._arrived.get(timeout=_SECONDS)) is not None:
            self.events.append(event)
        return code

    def errors(self) -> str:
        assert self.process.stderr
        return self.process.stderr.read().decode()

    def codes(self, id: str) -> list[str]:
        """What was said of one request: subtype and code."""
        return [
            f"{event['subtype']} {event.get('code')}"
            for event in self.events
            if event["type"] == "control" and event["requestId"] == id
        ]

    def of(self, type: str) -> list[Event]:
        return [event for event in self.events if event["type"] == type]

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._arrived.put(json.loads(line))
        self._arrived.put(None)

    def _end(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                with suppress(BrokenPipeError):
                    stream.close()
