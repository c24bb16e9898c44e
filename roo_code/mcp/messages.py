"""JSON-RPC 2.0: what comes in as values, what goes out as lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

from roo_code.config.json_shapes import is_object
from roo_code.json_text import from_json, to_json

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002

RequestId: TypeAlias = str | int | None
Json: TypeAlias = dict[str, Any]


class RpcError(Exception):
    """Becomes the error of a response."""

    def __init__(self, code: int, message: str, id: RequestId = None) -> None:
        super().__init__(message)
        self.code = code
        self.id = id


class Incoming(NamedTuple):
    """A request, or a notification if nobody waits for an answer."""

    method: str
    params: Json
    id: RequestId
    is_notification: bool


class MessageParser:
    """Says what a line is, or raises an RpcError that says what is wrong with it."""

    def parse(self, line: bytes | str) -> Incoming | Literal["response"]:
        try:
            data = from_json(line)
        except ValueError as error:
            raise RpcError(PARSE_ERROR, f"This is not JSON: {error}") from error
        return self.read(data)

    def read(self, data: Any) -> Incoming | Literal["response"]:
        if not is_object(data):
            raise RpcError(INVALID_REQUEST, "A message must be an object.")
        id = data.get("id")
        if isinstance(id, bool) or not isinstance(id, str | int | None):
            raise RpcError(INVALID_REQUEST, "The id must be a text or a whole number.")
        if data.get("jsonrpc") != "2.0":
            raise RpcError(INVALID_REQUEST, 'jsonrpc must be "2.0".', id)
        if "method" not in data and ("result" in data or "error" in data):
            return "response"  # to something we asked; we ask nothing
        method = data.get("method")
        if not isinstance(method, str):
            raise RpcError(INVALID_REQUEST, "The method must be a text.", id)
        params = data.get("params", {})
        if not is_object(params):
            raise RpcError(INVALID_PARAMS, "The params must be an object.", id)
        return Incoming(method, params, id, "id" not in data)


class MessageWriter:
    """Writes whole messages, one a line, one after the other."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write

    def write(self, message: Json) -> None:
        self._write(to_json(message) + b"\n")


def result_of(id: RequestId, result: Json) -> Json:
    return {"jsonrpc": "2.0", "id": id, "result": result}


def error_of(error: RpcError, id: RequestId = None) -> Json:
    told = {"code": error.code, "message": str(error)}
    return {"jsonrpc": "2.0", "id": error.id if error.id is not None else id, "error": told}


def notification(method: str, params: Json) -> Json:
    return {"jsonrpc": "2.0", "method": method, "params": params}
