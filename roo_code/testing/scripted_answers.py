"""Which answer a request gets: the verdict on it, its place in the script, its fault."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from roo_code.json_text import from_json
from roo_code.testing.anthropic_service import AnthropicService
from roo_code.testing.bedrock_service import BedrockService
from roo_code.testing.gemini_service import GeminiService
from roo_code.testing.http_connection import HttpRequest
from roo_code.testing.model_replies import Fault, Script, ScriptedReply
from roo_code.testing.ollama_service import OllamaService
from roo_code.testing.openai_service import OpenAiService
from roo_code.testing.responses_service import ResponsesService
from roo_code.testing.vertex_service import VertexAnthropicService


class Service(Protocol):
    """A wire format from the server's side."""

    path: str
    """How the paths of its requests end; `/v1` at its beginning may be missing."""
    media_type: str
    """Of its replies."""

    def key(self, headers: Mapping[str, str]) -> str: ...

    def problem(self, body: dict[str, Any], headers: Mapping[str, str]) -> str | None: ...

    def messages(self, body: dict[str, Any]) -> Sequence[Mapping[str, Any]]:
        """The conversation, whose roles are `user`, `assistant` and others."""
        ...

    def error(self, status: int, message: str) -> bytes: ...

    def events(self, reply: ScriptedReply, body: dict[str, Any]) -> Iterator[bytes]: ...


@dataclass
class LoggedRequest:
    """One request and what became of it."""

    at: float
    path: str
    headers: Mapping[str, str] = field(repr=False)
    body: dict[str, Any]
    status: int = 200
    problem: str | None = None
    """Why a real service would refuse it."""
    reply: int | None = None
    """Which reply of the script it got, counted from 0."""
    fault: str | None = None
    client_gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the client hangs up before the answer is done."""

    def as_line(self) -> dict[str, Any]:
        names = ("at", "path", "status", "problem", "reply", "fault", "body")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Answer:
    logged: LoggedRequest
    status: int
    headers: Mapping[str, str]
    pieces: Sequence[bytes]
    fault: Fault | None = None


class ScriptedAnswers:
    def __init__(self, script: Script, key: str | None, extra_fields: Set[str]) -> None:
        self._script = script
        self._key = key
        self._services: tuple[Service, ...] = (
            AnthropicService(),
            OpenAiService(extra_fields),
            ResponsesService(extra_fields),
            GeminiService(),
            VertexAnthropicService(),
            BedrockService(),
            OllamaService(),
        )
        self._spent: dict[tuple[str, int], int] = {}

    def to(self, request: HttpRequest) -> Answer:
        body = _parsed(request.body)
        logged = LoggedRequest(time.time(), request.path, request.headers, body)
        service = self._service(request.path)
        if service is None or request.method != "POST":
            return self._refuse(logged, self._services[1], 404, f"no such path {request.path!r}")
        if self._key is not None and service.key(request.headers) != self._key:
            return self._refuse(logged, service, 401, "invalid x-api-key")
        if problem := _problem(service, body, request.headers):
            return self._refuse(logged, service, 400, problem)
        messages = service.messages(body)
        words, replies = self._conversation(messages)
        place = sum(message.get("role") == "assistant" for message in messages)
        if place >= len(replies):
            ended = f"the script has {len(replies)} replies and none for model call {place + 1}"
            return self._refuse(logged, service, 400, ended)
        logged.reply = place
        return self._answer(logged, service, replies[place], self._fault(words, place, replies))

    def _service(self, path: str) -> Service | None:
        ends = (service.path.removeprefix("/v1") for service in self._services)
        found = (s for s, end in zip(self._services, ends, strict=True) if path.endswith(end))
        return next(found, None)

    def _conversation(
        self, messages: Sequence[Mapping[str, Any]]
    ) -> tuple[str, tuple[ScriptedReply, ...]]:
        opening = next((str(m) for m in messages if m.get("role") == "user"), "")
        for words, replies in self._script.conversations.items():
            if words in opening:
                return words, replies
        return "", self._script.replies

    def _fault(self, words: str, place: int, replies: Sequence[ScriptedReply]) -> Fault | None:
        spent = self._spent.get((words, place), 0)
        if spent >= len(replies[place].faults):
            return None
        self._spent[words, place] = spent + 1
        return replies[place].faults[spent]

    def _answer(
        self, logged: LoggedRequest, service: Service, reply: ScriptedReply, fault: Fault | None
    ) -> Answer:
        logged.fault = fault.kind if fault else None
        if fault and fault.kind == "status":
            return self._failed(logged, service, fault)
        if fault and fault.kind == "broken_json":
            reply = reply.with_broken_json()
        pieces = _pieces(service.events(reply, logged.body), reply.write_size)
        if fault and fault.kind == "garbage":
            pieces = [b"data: {not json\n\n"]
        if fault and fault.kind == "cut" and fault.after_chunks is fault.after_bytes is None:
            fault = fault.replace(after_chunks=len(pieces) // 2)
        return Answer(logged, 200, {"content-type": service.media_type}, pieces, fault)

    def _failed(self, logged: LoggedRequest, service: Service, fault: Fault) -> Answer:
        logged.status = fault.status
        headers = {"content-type": "application/json"}
        if fault.retry_after is not None:
            headers["retry-after"] = f"{fault.retry_after}"
        body = service.error(fault.status, fault.message)
        return Answer(logged, fault.status, headers, [body])

    def _refuse(self, logged: LoggedRequest, service: Service, status: int, problem: str) -> Answer:
        logged.status, logged.problem = status, problem
        headers = {"content-type": "application/json"}
        return Answer(logged, status, headers, [service.error(status, problem)])


def _pieces(events: Iterator[bytes], write_size: int | None) -> list[bytes]:
    if write_size is None:
        return list(events)
    whole = b"".join(events)
    return [whole[n : n + write_size] for n in range(0, len(whole), write_size)]


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        parsed: Any = from_json(body)
    except ValueError:
        return {}
    return cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}


def _problem(service: Service, body: dict[str, Any], headers: Mapping[str, str]) -> str | None:
    try:
        return service.problem(body, headers)
    except (AttributeError, KeyError, TypeError) as error:  # a field of a type no rule expects
        return f"The request has not the shape of one: {error}"
