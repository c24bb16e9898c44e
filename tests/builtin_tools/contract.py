"""What the contract suite knows of each built-in tool: how it is called, and what it needs."""

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, cast

from roo_code.builtin_tools.registry import create_registry
from roo_code.builtin_tools.web_fetch import WebFetch
from tests.builtin_tools.calls import PATIENCE, Caller
from tests.builtin_tools.test_image_gen import PNG, said, set_up
from tests.builtin_tools.test_web_download import HERE
from tests.mcp_client.hubs import Place, small
from tests.providers.raw_server import RawServer, answer

Input = dict[str, Any]

OLD, NEW = "    return 1\n", "    return 2\n"
CODE = f"def one():\n{OLD}"
SECRET = "the-secret-of-another-folder"
PAGE = answer("200 OK", b"<h1>Head</h1>" + b"<p>text</p>" * 99, content_type="text/html")
OUTPUT = "cmd-1.txt"


def _diff(old: str, new: str) -> str:
    return f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE"


def _patch(path: str) -> Input:
    lines = (
        "*** Begin Patch",
        f"*** Update File: {path}",
        " def one():",
        f"-{OLD}+{NEW}*** End Patch",
    )
    return {"patch": "\n".join(lines)}


def _named(field: str, **more: Any) -> Callable[[str], Input]:
    return lambda path: {field: path, **more}


def _always(input: Input) -> Callable[[str], Input]:
    return lambda path: input


class Row(NamedTuple):
    at: Callable[[str], Input]
    """A valid call that is about a path, or about nothing of the kind."""
    path: str | None = "src/one.py"
    """A path the call works with; None if the tool takes none."""
    folder: bool = False
    """Whether the path is one of a folder."""
    changes: bool = False
    """Whether the call changes files."""
    waits: bool = False
    """Whether the result comes later, from a person."""
    is_shell: bool = False
    """A command can go anywhere of itself: only a sandbox, not a path, holds it in."""
    needs_browser: bool = False

    @property
    def input(self) -> Input:
        return self.at(self.path or "")


ROWS: dict[str, Row] = {
    "read_file": Row(_named("path")),
    "search_files": Row(_named("path", regex="return"), path="src", folder=True),
    "list_files": Row(_named("path"), path="src", folder=True),
    "list_code_definition_names": Row(_named("path")),
    "fetch_instructions": Row(_always({"task": "create_mode"}), path=None),
    "write_to_file": Row(_named("path", content="new\n"), changes=True),
    "apply_diff": Row(_named("path", diff=_diff(OLD, NEW)), changes=True),
    "insert_content": Row(_named("path", line=1, content="# first\n"), changes=True),
    "apply_patch": Row(_patch, changes=True),
    "edit": Row(_named("file_path", old_string=OLD, new_string=NEW), changes=True),
    "search_replace": Row(_named("file_path", old_string=CODE, new_string=NEW), changes=True),
    "edit_file": Row(_named("file_path", old_string=OLD, new_string=NEW), changes=True),
    "execute_command": Row(
        _named("cwd", command="echo done"), path="src", folder=True, is_shell=True
    ),
    "read_command_output": Row(_always({"artifact_id": OUTPUT}), path=None),
    "background_command": Row(_always({"action": "list"}), path=None),
    "browser_action": Row(
        _named("path", action="launch", url="data:text/html,<p>hello"),
        path="src/shot.png",
        changes=True,
        needs_browser=True,
    ),
    "web_fetch": Row(_always({"url": "SERVER"}), path=None),
    "generate_image": Row(_named("path", prompt="A cat"), path="src/cat.png", changes=True),
    "use_mcp_tool": Row(
        _always({"server_name": "a", "tool_name": "echo", "arguments": {"text": "said"}}), path=None
    ),
    "access_mcp_resource": Row(_always({"server_name": "a", "uri": "small://note"}), path=None),
    "ask_followup_question": Row(_always({"question": "Which?"}), path=None, waits=True),
    "attempt_completion": Row(_always({"result": "Done."}), path=None),
    "update_todo_list": Row(_always({"todos": "[ ] one\n[x] two"}), path=None),
    "run_slash_command": Row(_always({"command": "greet"}), path=None),
    "skill": Row(_always({"skill": "greeting"}), path=None),
}
"""A tool without a row fails the suite."""


def furnish(folder: Path) -> None:
    """What all calls find in their workspace."""
    files = {
        "src/one.py": CODE,
        "README.md": "# Read me\n",
        ".roo/commands/greet.md": "Say hello.\n",
        ".roo/skills/greeting/SKILL.md": "---\nname: greeting\ndescription: How\n---\nSay hello.\n",
    }
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")


@asynccontextmanager
async def furnished(caller: Caller, name: str) -> AsyncGenerator[Input]:
    """All that a call needs, and its input."""
    furnish(caller.folder)
    caller.artifacts.write(OUTPUT, b"printed\n" * 99)
    caller.registry = create_registry(WebFetch(HERE))
    reply = PAGE if name == "web_fetch" else said("openai", PNG)
    async with _served(reply) as url, _connected(caller, name):
        set_up(caller, "openai", RawServer(url))
        given = ROWS[name].input.items()
        yield {key: url if value == "SERVER" else value for key, value in given}


@asynccontextmanager
async def _connected(caller: Caller, name: str) -> AsyncGenerator[None]:
    """With an MCP server, for the tools that need one."""
    if "mcp" not in name:
        yield
        return
    with TemporaryDirectory() as folder, ThreadPoolExecutor(2) as threads:
        asyncio.get_running_loop().set_default_executor(threads)  # the last may be closed
        place = Place(Path(folder))
        place.name(a=small())
        async with place.servers() as caller.mcp:
            yield


@asynccontextmanager
async def _served(reply: bytes) -> AsyncGenerator[str]:
    """A server that at its end wants every connection to have been closed by the caller."""
    connections: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.add(cast("asyncio.Task[None]", asyncio.current_task()))
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(reply)
            await reader.read()
        writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*connections)
        server.close()
        await server.wait_closed()


def tree(folder: Path) -> dict[str, tuple[str, int, bytes]]:
    """Every file and folder with what tells whether it was touched."""
    found: dict[str, tuple[str, int, bytes]] = {}
    for place, folders, files in os.walk(folder):
        for entry in (*folders, *files):
            path = Path(place, entry)
            status = path.lstat()
            if path.is_symlink():
                content = os.fsencode(path.readlink())
            else:
                content = b"" if path.is_dir() else path.read_bytes()
            kind = "folder" if path.is_dir() else str(status.st_ino)
            changed = 0 if path.is_dir() else status.st_mtime_ns
            found[path.relative_to(folder).as_posix()] = kind, changed, content
    return found


def contents(folder: Path) -> dict[str, bytes]:
    return {name: content for name, (_, _, content) in tree(folder).items()}
