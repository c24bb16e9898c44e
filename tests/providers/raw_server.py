"""A server that answers with the bytes it is given, however wrong they are."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Answer = Callable[[bytes], bytes]


@dataclass
class RawServer:
    url: str
    requests: list[bytes] = field(default_factory=list[bytes])


def answer(status: str, body: bytes, **headers: str) -> bytes:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in named.items())]
    return "\r\n".join([*lines, f"content-length: {len(body)}", "", ""]).encode() + body


@asynccontextmanager
async def raw_server(*answers: bytes | Answer) -> AsyncGenerator[RawServer]:
    """Each connection gets the next answer, the last one for ever, and is closed."""
    left = list(answers)
    connections: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
        request = head + await reader.readexactly(length)
        found.requests.append(request)
        said = left.pop(0) if len(left) > 1 else left[0]
        writer.write(said if isinstance(said, bytes) else said(request))
        await writer.drain()
        writer.close()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(serve(reader, writer))
        connections.add(task)
        task.add_done_callback(connections.discard)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    found = RawServer(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    try:
        yield found
    finally:
        server.close()
        await asyncio.gather(*connections, return_exceptions=True)
        await server.wait_closed()
