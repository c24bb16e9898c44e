"""McpModesServer: routes what a client asks to modes, resources, tools and tasks."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from roo_code.config.json_shapes import is_object
from roo_code.input_lines import InputLines
from roo_code.mcp.messages import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Incoming,
    Json,
    MessageParser,
    MessageWriter,
    RpcError,
    error_of,
    notification,
    result_of,
)
from roo_code.mcp.resources import TEMPLATES, ResourceHandler
from roo_code.mcp.session import DEFAULT_TIMEOUT, Session, SessionManager
from roo_code.mcp.tasks import HostedTasks
from roo_code.mcp.tools import ToolHandler
from roo_code.modes.collection import Modes
from roo_code.modes.orchestrator import ModeOrchestrator
from roo_code.workspace.workspace import Workspace

NAME = "roo-modes-server"
VERSION = "1.0.0"
PROTOCOL_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
_log = logging.getLogger(__name__)

Notify = Callable[[Json], None]


class McpModesServer:
    """Without tasks it serves modes alone; `roo mcp serve` gives it the host's."""

    def __init__(
        self,
        project_root: Path | None = None,
        global_config_dir: Path | None = None,
        *,
        tasks: HostedTasks | None = None,
        session_timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        root = (project_root or Path.cwd()).resolve()
        self.modes = Modes.of(root, global_config_dir)
        self.orchestrator = ModeOrchestrator(self.modes)
        self.sessions = SessionManager(
            lambda: self.orchestrator.create_task("code"), timeout=session_timeout
        )
        self.resource_handler = ResourceHandler(self.modes, Workspace(root), tasks)
        self.tool_handler = ToolHandler(self.orchestrator, tasks)

    async def run(self, source: BinaryIO | None = None, sink: BinaryIO | None = None) -> None:
        """Over stdin and stdout, until stdin closes."""
        out = sink or sys.stdout.buffer

        def write(line: bytes) -> None:
            out.write(line)
            out.flush()

        cleaning = asyncio.create_task(self.sessions.clean_up_for_ever())
        try:
            connection = Connection(self, "stdio", MessageWriter(write).write)
            lines = InputLines(source or sys.stdin.buffer)
            while (line := await lines.next()) is not None:
                connection.receive(line)
            await connection.aclose()
        finally:
            cleaning.cancel()

    async def respond(self, message: Incoming, session: Session, notify: Notify) -> Json:
        """The result of one request; an RpcError if there is none."""
        if message.method == "initialize":
            return self.initialize(message.params, session)
        if message.method == "ping":
            return {}
        if not session.protocol_version:
            raise RpcError(INVALID_REQUEST, "The first request must be initialize.", message.id)
        match message.method:
            case "resources/list":
                return {"resources": await self.resource_handler.list()}
            case "resources/templates/list":
                return {"resourceTemplates": TEMPLATES}
            case "resources/read":
                uri = _text(message.params, "uri")
                return {"contents": await self.resource_handler.read(uri)}
            case "tools/list":
                return {"tools": self.tool_handler.list()}
            case "tools/call":
                return await self._call(message.params, session, notify)
            case _:
                raise RpcError(METHOD_NOT_FOUND, f"There is no method {message.method!r}.")

    def initialize(self, params: Json, session: Session) -> Json:
        wanted = _text(params, "protocolVersion")
        known = wanted in PROTOCOL_VERSIONS
        session.protocol_version = wanted if known else PROTOCOL_VERSIONS[-1]
        return {
            "protocolVersion": session.protocol_version,
            "serverInfo": {"name": NAME, "version": VERSION},
            "capabilities": {"resources": {}, "tools": {}},
        }

    async def _call(self, params: Json, session: Session, notify: Notify) -> Json:
        name = _text(params, "name")
        arguments = params.get("arguments", {})
        if not is_object(arguments):
            raise RpcError(INVALID_PARAMS, "arguments must be an object.")
        return await self.tool_handler.call_tool(
            name, arguments, session, _progress(params, notify)
        )


class Connection:
    """One client's messages, each answered in its own time, in one session."""

    def __init__(self, server: McpModesServer, session_id: str, write: Notify) -> None:
        self._server = server
        self._session_id = session_id
        self._write = write
        self._parser = MessageParser()
        self._running: dict[object, asyncio.Task[None]] = {}

    def receive(self, line: bytes) -> None:
        session = self._server.sessions.note_request(self._session_id)
        try:
            message = self._parser.parse(line)
        except RpcError as error:
            _log.warning("a message of an MCP client is wrong: %s", error)
            self._write(error_of(error))
            return
        if message == "response":
            return
        if message.is_notification:
            self._note(message, session)
        elif message.method == "initialize":  # before whatever follows it
            self._write(self._initialized(message, session))
        else:
            work = asyncio.create_task(self._answer(message, session))
            self._running[message.id] = work
            work.add_done_callback(lambda _: self._running.pop(message.id, None))

    async def aclose(self) -> None:
        """What is being answered is still answered, if it does not take long."""
        if self._running:
            await asyncio.wait(list(self._running.values()), timeout=2)
        for work in list(self._running.values()):
            work.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    def _initialized(self, message: Incoming, session: Session) -> Json:
        try:
            return result_of(message.id, self._server.initialize(message.params, session))
        except RpcError as error:
            return error_of(error, message.id)

    def _note(self, message: Incoming, session: Session) -> None:
        if message.method == "notifications/initialized":
            session.initialized = True
        elif message.method == "notifications/cancelled":
            work = self._running.get(message.params.get("requestId"))
            if work is not None:  # what it began goes on: a task is cancelled by cancel_task
                work.cancel()

    async def _answer(self, message: Incoming, session: Session) -> None:
        with suppress(asyncio.CancelledError):
            self._write(await answered(self._server, message, session, self._write))


async def answered(
    server: McpModesServer, message: Incoming, session: Session, notify: Notify
) -> Json:
    """The whole response, whatever happens."""
    try:
        return result_of(message.id, await server.respond(message, session, notify))
    except RpcError as error:
        return error_of(error, message.id)
    except Exception as error:  # noqa: BLE001 - one request's bug must not end the server
        _log.exception("an MCP request failed")
        broken = RpcError(INTERNAL_ERROR, f"Internal error: {type(error).__name__}.")
        return error_of(broken, message.id)


def _text(params: Json, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str) or not value:
        raise RpcError(INVALID_PARAMS, f"{name} must be a text.")
    return value


def _progress(params: Json, notify: Notify) -> Callable[[str], None]:
    """Tells the client how it goes, if it wants to know."""
    meta = params.get("_meta")
    token = meta.get("progressToken") if is_object(meta) else None
    if token is None:
        return lambda text: None
    steps = 0

    def tell(text: str) -> None:
        nonlocal steps
        steps += 1
        told: Json = {"progressToken": token, "progress": steps, "message": text}
        notify(notification("notifications/progress", told))

    return tell
