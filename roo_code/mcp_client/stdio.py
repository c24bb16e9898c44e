"""The SDK's transport over a process of ours, for the SDK's own leaves orphans."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

import anyio
import mcp_types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from roo_code.errors import ConnectionCut
from roo_code.mcp_client.server_process import ServerProcess
from roo_code.workspace.uncut import uncut

_Incoming = SessionMessage | Exception
_LONGEST_SHOWN = 200


@asynccontextmanager
async def over(
    process: ServerProcess,
) -> AsyncGenerator[
    tuple[MemoryObjectReceiveStream[_Incoming], MemoryObjectSendStream[SessionMessage]]
]:
    """The process's streams; it is ended with them, whoever is cancelled."""
    to_session, incoming = anyio.create_memory_object_stream[_Incoming](0)
    outgoing, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    reading = asyncio.create_task(_read(process, to_session))
    writing = asyncio.create_task(_write(process, from_session, to_session))
    try:
        yield incoming, outgoing
    finally:
        await uncut(_close(process, reading, writing))
        for stream in (to_session, incoming, outgoing, from_session):
            stream.close()


async def _close(process: ServerProcess, *jobs: asyncio.Task[None]) -> None:
    await process.stop()
    for job in jobs:
        job.cancel()
    await asyncio.gather(*jobs, return_exceptions=True)


async def _read(process: ServerProcess, to_session: MemoryObjectSendStream[_Incoming]) -> None:
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        while (line := await process.read_line()) is not None:
            if line.strip():
                await to_session.send(_parsed(line))
    to_session.close()  # whatever is pending fails now


async def _write(
    process: ServerProcess,
    from_session: MemoryObjectReceiveStream[SessionMessage],
    to_session: MemoryObjectSendStream[_Incoming],
) -> None:
    try:
        async for message in from_session:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            await process.write(text.encode("utf-8", "replace"))
    except ConnectionCut:
        to_session.close()


def _parsed(line: bytes) -> _Incoming:
    try:
        return SessionMessage(mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        shown = line[:_LONGEST_SHOWN].decode("utf-8", "replace")
        return ValueError(f"The server printed what is no message: {shown}")
