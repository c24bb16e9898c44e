"""A small MCP server over stdin and stdout, of the standard library only: it starts at once.

Its words on the command line are what is special about it: `slow-start`, `dies`, `deaf`, `child`,
`strict`, `modern`.
"""

import base64
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
ECHO = {
    "name": "echo",
    "description": "Say it again.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
}
tools: list[dict[str, Any]] = [
    ECHO,
    *(
        {"name": name, "inputSchema": {"type": "object"}}
        for name in (
            "environment",
            "sleep",
            "die",
            "noise",
            "picture",
            "fails",
            "grow",
            "steps",
            "large",
            "who",
            "read",
            "inquire",
            "have_written",
        )
    ),
]
waiting: set[Any] = set()
asked: dict[str, Any] = {}
"""Calls by what we have asked for them."""


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(value: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value}]}


def die(id: Any, arguments: dict[str, Any], token: Any) -> dict[str, Any]:
    os._exit(3)


def sleep(id: Any, arguments: dict[str, Any], token: Any) -> None:
    waiting.add(id)  # answered by nobody, or told to stop


def noise(id: Any, arguments: dict[str, Any], token: Any) -> dict[str, Any]:
    print("this is no message", flush=True)
    print("something went wrong", file=sys.stderr, flush=True)
    return text("made noise")


def read_file(id: Any, arguments: dict[str, Any], token: Any) -> dict[str, Any]:
    path = Path(arguments["path"])
    return text(path.read_text(encoding="utf-8") if path.exists() else "there is no such file")


def grow(id: Any, arguments: dict[str, Any], token: Any) -> dict[str, Any]:
    tools.append({"name": "grown", "inputSchema": {"type": "object"}})
    send(method="notifications/tools/list_changed")
    return text("grown")


def steps(id: Any, arguments: dict[str, Any], token: Any) -> dict[str, Any]:
    for done in (1, 2):
        params = {"progressToken": token, "progress": done, "total": 2, "message": "working"}
        send(method="notifications/progress", params=params)
    return text("done")


def inquire(id: Any, arguments: dict[str, Any], token: Any) -> None:
    """Answered with what the user said."""
    asked[f"asks-{id}"] = id
    form = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    params = {"message": "Who are you?", "requestedSchema": form, **arguments}
    if "modern" in sys.argv:  # then the call is answered with the question, and made again
        wanted = {"method": "elicitation/create", "params": {"mode": "form", **params}}
        send(
            id=id, result={**NEWEST, "resultType": "input_required", "inputRequests": {"q": wanted}}
        )
    else:
        send(id=f"asks-{id}", method="elicitation/create", params=params)


def have_written(id: Any, arguments: dict[str, Any], token: Any) -> None:
    asked[f"asks-{id}"] = id
    content = {"type": "text", "text": "Write a poem."}
    params = {"messages": [{"role": "user", "content": content}], "maxTokens": 50}
    send(id=f"asks-{id}", method="sampling/createMessage", params=params)


CALLS: dict[str, Callable[[Any, dict[str, Any], Any], dict[str, Any] | None]] = {
    "echo": lambda id, arguments, token: text(str(arguments.get("text", ""))),
    "environment": lambda id, arguments, token: text(json.dumps(dict(os.environ))),
    "who": lambda id, arguments, token: text(f"{os.getpid()} {Path.cwd()}"),
    "picture": lambda id, arguments, token: {
        "content": [{"type": "image", "data": PNG, "mimeType": "image/png"}]
    },
    "fails": lambda id, arguments, token: {**text("it did not work"), "isError": True},
    "large": lambda id, arguments, token: text("x" * int(arguments["size"])),
    "grown": lambda id, arguments, token: text("grown indeed"),
    "read": read_file,
    "die": die,
    "sleep": sleep,
    "noise": noise,
    "grow": grow,
    "steps": steps,
    "inquire": inquire,
    "have_written": have_written,
}


def initialize(params: dict[str, Any]) -> dict[str, Any]:
    return {
        "protocolVersion": params["protocolVersion"],
        "capabilities": {"tools": {"listChanged": True}, "resources": {}, "prompts": {}},
        "serverInfo": {"name": "small", "version": "1"},
        "instructions": "Be brief.",
    }


def read(params: dict[str, Any]) -> dict[str, Any]:
    body = "x" * 5_000_000 if params["uri"] == "small://large" else f"read at {time.time_ns()}"
    return {"contents": [{"uri": params["uri"], "text": body}]}


def prompt(params: dict[str, Any]) -> dict[str, Any]:
    content = {"type": "text", "text": f"Review with {json.dumps(params.get('arguments'))}."}
    return {"messages": [{"role": "user", "content": content}]}


NOTE = {"uri": "small://note", "name": "note", "description": "A note."}
WORDS = [{"name": "language", "required": True}, {"name": "style"}]
NEWEST = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
"""What every result has in the newest protocol."""
FOUND: dict[str, Any] = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
METHODS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "initialize": initialize,
    "server/discover": lambda params: FOUND,
    "tools/list": lambda params: {"tools": tools},
    "resources/list": lambda params: {"resources": [NOTE]},
    "resources/templates/list": lambda params: {
        "resourceTemplates": [{"uriTemplate": "small://{name}", "name": "any"}]
    },
    "resources/read": read,
    "prompts/list": lambda params: {"prompts": [{"name": "review", "arguments": WORDS}]},
    "prompts/get": prompt,
}


def hear(message: dict[str, Any]) -> None:
    said = json.dumps(message.get("result") or message.get("error"))
    send(id=asked.pop(message["id"]), result=text(said))


def answer(message: dict[str, Any]) -> None:
    id, method = message.get("id"), message["method"]
    params: dict[str, Any] = message.get("params") or {}
    if method == "notifications/cancelled":
        told = os.environ.get("CANCELLED")
        if told and params["requestId"] in waiting:
            Path(told).write_text("cancelled", encoding="ascii")
    elif id is None:
        pass
    elif method == "tools/call":
        meta: dict[str, Any] = params.get("_meta") or {}
        given: dict[str, Any] = params.get("arguments") or {}
        if "inputResponses" in params:
            result = text(json.dumps(params["inputResponses"]["q"]))
        else:
            result = CALLS[params["name"]](id, given, meta.get("progressToken"))
        if result is not None:
            send(id=id, result={**result, **NEWEST} if "modern" in sys.argv else result)
    elif method in METHODS:
        result = METHODS[method](params)
        send(id=id, result={**result, **NEWEST} if "modern" in sys.argv else result)
    else:
        send(id=id, error={"code": -32601, "message": "no such method"})


def main() -> None:
    faults = sys.argv[1:]
    if pids := os.environ.get("PIDS"):
        with Path(pids).open("a", encoding="ascii") as file:
            file.write(f"{os.getpid()}\n")
            if "child" in faults:
                child = subprocess.Popen(["sleep", "600"], start_new_session=True)
                file.write(f"{child.pid}\n")
    if "dies" in faults:
        print("cannot find my database", file=sys.stderr)
        sys.exit(1)
    if "slow-start" in faults:
        time.sleep(3)
    for line in sys.stdin:
        if "deaf" in faults:
            time.sleep(600)
        message = json.loads(line)
        if "method" not in message:
            hear(message)
            continue
        if "strict" in faults and message["method"] == "server/discover":
            sys.exit("expected the handshake")
        if "modern" in faults and message["method"] == "initialize":
            send(id=message["id"], error={"code": -32601, "message": "no handshake any more"})
            continue
        answer(message)


main()
