"""A server that gives scripted answers, bytes as they are, to any client: ours, an official SDK.

It runs in threads of its own, so that a blocking client and an event loop can use it alike:

    with serving(stream(fixture)) as server:
        client = SomeSdk(base_url=server.url)
    assert server.requests[0].json() == {...}
"""

import json
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, NamedTuple


class Received(NamedTuple):
    method: str
    path: str
    """With its query, as it was sent."""
    headers: Mapping[str, str]
    """Names in small letters."""
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Reply(NamedTuple):
    """What is sent back. A body in pieces is sent in chunks, each in a write of its own."""

    body: bytes | Iterable[bytes] = b""
    status: int = 200
    headers: Mapping[str, str] = {}


def stream(body: bytes | Iterable[bytes], media_type: str = "text/event-stream") -> Reply:
    return Reply(body, headers={"content-type": media_type})


def json_reply(value: Any, status: int = 200, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(json.dumps(value).encode(), status, {"content-type": "application/json", **named})


class Server:
    """`requests` is all that was asked, in the order in which it came."""

    def __init__(self, replies: Iterable[Reply]) -> None:
        self._left = list(replies)
        self._lock = Lock()
        self.requests: list[Received] = []
        self.url = ""

    def answer(self, request: Received) -> Reply:
        """The next reply; the last one is given for ever."""
        with self._lock:
            self.requests.append(request)
            return self._left.pop(0) if len(self._left) > 1 else self._left[0]


@contextmanager
def serving(*replies: Reply) -> Generator[Server]:
    """Any path and any method get the replies in their order, the last one for ever."""
    found = Server(replies)
    listener = _Listener(found)
    found.url = f"http://127.0.0.1:{listener.server_address[1]}"
    thread = Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        listener.shutdown()
        thread.join()
        listener.server_close()


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a client may keep its connection open for longer than the test

    def __init__(self, found: Server) -> None:
        self.found = found
        super().__init__(("127.0.0.1", 0), _Connection)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is none of ours to report."""


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Listener  # pyright: ignore[reportIncompatibleVariableOverride] - the one above

    def parse_request(self) -> bool:
        parsed = super().parse_request()
        # Any method is answered alike, so none needs a function of its own name.
        setattr(self, f"do_{self.command}", self._answer)
        return parsed

    def _answer(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self._body(headers)
        reply = self.server.found.answer(Received(self.command, self.path, headers, body))
        self.send_response_only(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if isinstance(reply.body, bytes):
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)
        else:
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for piece in filter(None, reply.body):
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")

    def _body(self, headers: Mapping[str, str]) -> bytes:
        if headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(headers.get("content-length", 0)))
        pieces: list[bytes] = []
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def log_message(self, format: str, *args: Any) -> None:
        """Tests read `requests`, not a log."""
