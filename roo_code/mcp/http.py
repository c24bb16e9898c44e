"""The server over streamable HTTP, for clients that know its token."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Iterable
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from roo_code.json_text import to_json
from roo_code.mcp.messages import INVALID_REQUEST, Incoming, Json, MessageParser, RpcError, error_of
from roo_code.mcp.server import PROTOCOL_VERSIONS, McpModesServer, answered
from roo_code.mcp.session import Session

PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_SESSION = "mcp-session-id"
_MOST_BYTES = 4_000_000


class HttpFrontEnd:
    """POST to ask, DELETE to end a session; the server starts no talk of its own."""

    def __init__(self, server: McpModesServer, token: str, hosts: Iterable[str] = LOOPBACK) -> None:
        self._server = server
        self._token = token
        self._hosts = frozenset(hosts)
        self._parser = MessageParser()

    def app(self) -> Starlette:
        return Starlette(routes=[Route(PATH, self._serve, methods=["GET", "POST", "DELETE"])])

    async def _serve(self, request: Request) -> Response:
        if refused := self._refused(request):
            return refused
        match request.method:
            case "POST":
                return await self._post(request)
            case "DELETE":
                return self._delete(request)
            case _:
                return Response(status_code=405, headers={"allow": "POST, DELETE"})

    def _refused(self, request: Request) -> Response | None:
        """A page in the user's browser must not reach us, under whatever name it found us."""
        origin = request.headers.get("origin")
        if _name(request.headers.get("host", "")) not in self._hosts or (
            origin is not None and _name(urlsplit(origin).netloc) not in self._hosts
        ):
            return _failure(403, "This host or origin is not served.")
        given = request.headers.get("authorization", "")
        if not secrets.compare_digest(given.encode(), f"Bearer {self._token}".encode()):
            return Response(status_code=401, headers={"www-authenticate": "Bearer"})
        version = request.headers.get("mcp-protocol-version")
        if version is not None and version not in PROTOCOL_VERSIONS:
            return _failure(400, f"The protocol version {version!r} is not known.")
        return None

    async def _post(self, request: Request) -> Response:
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _MOST_BYTES:
                return _failure(413, "The message is too long.")
        try:
            message = self._parser.parse(body)
        except RpcError as error:
            return JSONResponse(error_of(error), status_code=400)
        if message == "response":
            return Response(status_code=202)
        session = self._session(request, message)
        if isinstance(session, Response):
            return session
        if message.is_notification:
            session.initialized |= message.method == "notifications/initialized"
            return Response(status_code=202)
        headers = {_SESSION: session.session_id}
        if _wants_progress(message):
            stream = self._stream(message, session)
            return StreamingResponse(stream, media_type="text/event-stream", headers=headers)
        answer = await answered(self._server, message, session, lambda told: None)
        return Response(to_json(answer), media_type="application/json", headers=headers)

    def _session(self, request: Request, message: Incoming) -> Session | Response:
        id = request.headers.get(_SESSION)
        if message.method == "initialize":
            id = secrets.token_urlsafe(24)
        elif id is None:
            return _failure(400, "The header Mcp-Session-Id is missing.", message)
        elif id not in self._server.sessions.sessions:
            return _failure(
                404, "There is no such session, or it was silent for too long.", message
            )
        return self._server.sessions.note_request(id)

    async def _stream(self, message: Incoming, session: Session) -> AsyncGenerator[bytes]:
        """What is told meanwhile, and the answer as the last event."""
        told: asyncio.Queue[Json | None] = asyncio.Queue()

        async def work() -> None:
            told.put_nowait(await answered(self._server, message, session, told.put_nowait))
            told.put_nowait(None)

        working = asyncio.create_task(work())
        try:
            while (event := await told.get()) is not None:
                yield b"event: message\ndata: " + to_json(event) + b"\n\n"
        finally:
            working.cancel()

    def _delete(self, request: Request) -> Response:
        id = request.headers.get(_SESSION, "")
        if id not in self._server.sessions.sessions:
            return _failure(404, "There is no such session.")
        self._server.sessions.close(id)
        return Response(status_code=200)


def _name(host: str) -> str:
    """Without the port."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _wants_progress(message: Incoming) -> bool:
    meta: Any = message.params.get("_meta")
    return isinstance(meta, dict) and "progressToken" in meta


def _failure(status: int, text: str, message: Incoming | None = None) -> Response:
    error = RpcError(INVALID_REQUEST, text, message.id if message else None)
    return JSONResponse(error_of(error), status_code=status)
