"""A scripted model service: real wire formats over HTTP, strict as the real ones, with faults.

In a test, `async with ModelServer(["Hi."]) as server` and point a provider at `server.url`. As a
process, `python -m roo_code.testing.model_server --script FILE`; it prints its address first.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence, Set
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from h11 import RemoteProtocolError

from roo_code.json_text import to_json
from roo_code.testing.http_connection import HttpConnection
from roo_code.testing.model_replies import Replies, Script, as_script
from roo_code.testing.scripted_answers import Answer, LoggedRequest, ScriptedAnswers


class ModelServer:
    """Serves a script on 127.0.0.1; `requests` is all that was asked of it, with verdicts."""

    def __init__(
        self,
        replies: Replies,
        *,
        key: str | None = None,
        extra_fields: Set[str] = frozenset(),
        port: int = 0,
        log: Path | None = None,
    ) -> None:
        self._answers = ScriptedAnswers(as_script(replies), key, extra_fields)
        self._port = port
        self._log = log
        self._server: asyncio.Server | None = None
        self._connections: dict[asyncio.Task[None], HttpConnection] = {}
        self.url = ""
        self.requests: list[LoggedRequest] = []
        self.connections = 0
        """How many were made, whether or not a request came over them."""

    async def __aenter__(self) -> ModelServer:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self._port)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        open_connections = dict(self._connections)
        for task in open_connections:
            task.cancel()
        await asyncio.gather(*open_connections, return_exceptions=True)
        for connection in open_connections.values():  # of tasks that had not begun
            await connection.close()
        await self._server.wait_closed()

    def problems(self) -> list[str]:
        """Why requests were refused; empty where a real service would have taken them all."""
        return [request.problem for request in self.requests if request.problem]

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        connection = HttpConnection(reader, writer)
        task = asyncio.create_task(self._serve(connection))
        self._connections[task] = connection
        task.add_done_callback(self._connections.pop)

    async def _serve(self, connection: HttpConnection) -> None:
        try:
            while request := await connection.receive():
                answer = self._answers.to(request)
                self._note(answer.logged)
                if not await _give(answer, connection):
                    return
        except (ConnectionError, RemoteProtocolError):
            pass  # the client has gone, or speaks something else
        finally:
            await connection.close()

    def _note(self, logged: LoggedRequest) -> None:
        self.requests.append(logged)
        if self._log is not None:
            with self._log.open("ab") as file:
                file.write(to_json(logged.as_line()) + b"\n")


async def _give(answer: Answer, connection: HttpConnection) -> bool:
    """Send the answer, as far as its fault lets it; True if the connection may go on."""
    fault = answer.fault
    if fault and fault.kind == "drop":
        return False
    if fault and fault.kind == "hang" and fault.after_chunks is None:
        await _hang(answer, connection)
        return False
    await connection.start(answer.status, answer.headers)
    sent = 0
    for number, piece in enumerate(answer.pieces):
        if fault and number == fault.after_chunks:
            if fault.kind == "hang":
                await _hang(answer, connection)
            return False
        if fault and fault.after_bytes is not None and sent + len(piece) > fault.after_bytes:
            await connection.send(piece[: fault.after_bytes - sent])
            return False
        wait = fault.seconds if fault and fault.kind == "slow" else 0
        if await connection.is_gone(wait):
            answer.logged.client_gone.set()
            return False
        await connection.send(piece)
        sent += len(piece)
    if fault and fault.kind == "cut":
        return False
    return await connection.finish()


async def _hang(answer: Answer, connection: HttpConnection) -> None:
    await connection.is_gone(None)
    answer.logged.client_gone.set()


async def _run(script: Script, port: int, key: str | None, log: Path | None) -> None:
    async with ModelServer(script, port=port, key=key, log=log) as server:
        print(server.url, flush=True)
        await asyncio.Event().wait()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="model_server", description="A scripted model service.")
    parser.add_argument("--script", type=Path, required=True, help="JSON: the replies in order")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", help="refuse requests with another API key")
    parser.add_argument("--log", type=Path, help="append every request and verdict as a JSON line")
    options = parser.parse_args(arguments)
    try:
        script = as_script(options.script.read_bytes())
    except (OSError, ValueError) as error:
        parser.error(f"the script {str(options.script)!r} cannot be used: {error}")
    try:
        with suppress(KeyboardInterrupt):
            asyncio.run(_run(script, options.port, options.key, options.log))
    except OSError as error:
        parser.error(f"port {options.port} cannot be served: {error.strerror}")


if __name__ == "__main__":
    main()
