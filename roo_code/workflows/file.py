"""A workflow in a YAML or JSON file, read with the place of whatever is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from roo_code.config.documents import Document, read_document
from roo_code.config.json_shapes import is_list, is_object
from roo_code.config.problem import Problem
from roo_code.config.unreadable import Unreadable
from roo_code.errors import ConfigError
from roo_code.values import Value
from roo_code.workflows.course import references
from roo_code.workflows.state import PhaseSpec, SubtaskSpec

_ID = re.compile(r"[A-Za-z0-9_-]+")
_PHASE_KEYS = frozenset({"id", "name", "mode", "subtasks", "parallel", "checks", "retries", "gate"})
_SUBTASK_KEYS = frozenset({"id", "message", "mode"})


class Workflow(Value):
    """What a file defines; stored with the task that runs it, so that a change does no harm."""

    name: str
    phases: tuple[PhaseSpec, ...]


class _Fault(NamedTuple):
    message: str
    place: tuple[str | int, ...] = ()


def read_workflow(path: Path) -> Workflow:
    """The workflow, or a ConfigError that names every fault with its line."""
    try:
        document = read_document(path)
    except Unreadable as error:
        problem = Problem(str(error), str(path), error.line)
        raise ConfigError(f"The workflow cannot be used: {problem}.") from error
    if document is None:
        raise ConfigError(
            f"There is no workflow file {str(path)!r}.",
            hint="See docs/workflows.md for the format.",
        )
    faults = list(_faults(document.data))
    if faults:
        told = "\n".join(str(_problem(document, fault)) for fault in faults)
        raise ConfigError(
            f"The workflow cannot be used:\n{told}", hint="See docs/workflows.md for the format."
        )
    phases = tuple(map(_phase, document.data["phases"]))
    return Workflow(name=str(document.data.get("name") or path.stem), phases=phases)


def _problem(document: Document, fault: _Fault) -> Problem:
    key = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in fault.place).lstrip(".")
    line = document.line_of(*fault.place) or document.line_of(*fault.place[:-1])
    return Problem(fault.message, str(document.path), line, key)


def _faults(data: dict[str, Any]) -> Iterator[_Fault]:
    for key in data.keys() - {"name", "phases"}:
        yield _Fault("nothing is known by this name", (key,))
    phases = data.get("phases")
    if not is_list(phases) or not phases:
        yield _Fault("there must be a list of phases", ("phases",))
        return
    known: set[tuple[str, str]] = set()
    seen: set[str] = set()
    for number, phase in enumerate(phases):
        place = ("phases", number)
        if not is_object(phase):
            yield _Fault("a phase must be an object with id and subtasks", place)
            continue
        yield from _id_faults(phase, seen, place)
        yield from _field_faults(phase, place)
        yield from _subtask_faults(phase, known, place)


def _id_faults(
    fields: dict[str, Any], seen: set[str], place: tuple[str | int, ...]
) -> Iterator[_Fault]:
    id = fields.get("id")
    if not (isinstance(id, str) and _ID.fullmatch(id)):
        yield _Fault("it must be a word of letters, digits, - and _", (*place, "id"))
    elif id in seen:
        yield _Fault(f"{id!r} is taken already", (*place, "id"))
    else:
        seen.add(id)


def _field_faults(phase: dict[str, Any], place: tuple[str | int, ...]) -> Iterator[_Fault]:
    for key in phase.keys() - _PHASE_KEYS:
        yield _Fault("nothing is known by this name", (*place, key))
    for key in ("name", "mode", "gate"):
        if not isinstance(phase.get(key, ""), str):
            yield _Fault("it must be a text", (*place, key))
    if not isinstance(phase.get("parallel", False), bool):
        yield _Fault("it must be true or false", (*place, "parallel"))
    retries = phase.get("retries", 0)
    if not isinstance(retries, int) or isinstance(retries, bool) or not 0 <= retries <= 100:
        yield _Fault("it must be a number from 0 to 100", (*place, "retries"))
    checks = phase.get("checks", [])
    if not (is_list(checks) and all(isinstance(c, str) and c.strip() for c in checks)):
        yield _Fault("it must be a list of commands", (*place, "checks"))


def _subtask_faults(
    phase: dict[str, Any], known: set[tuple[str, str]], place: tuple[str | int, ...]
) -> Iterator[_Fault]:
    subtasks = phase.get("subtasks")
    if not is_list(subtasks) or not subtasks:
        yield _Fault("there must be a list of subtasks", (*place, "subtasks"))
        return
    seen: set[str] = set()
    for number, subtask in enumerate(subtasks):
        here = (*place, "subtasks", number)
        if not is_object(subtask):
            yield _Fault("a subtask must be an object with id and message", here)
            continue
        yield from _id_faults(subtask, seen, here)
        for key in subtask.keys() - _SUBTASK_KEYS:
            yield _Fault("nothing is known by this name", (*here, key))
        message = subtask.get("message")
        if not (isinstance(message, str) and message.strip()):
            yield _Fault("it must be a text", (*here, "message"))
            continue
        for wanted in references(message):
            if wanted not in known:
                said = ".".join(wanted)
                yield _Fault(f"no earlier subtask is called {said!r}", (*here, "message"))
        if not phase.get("parallel"):
            known.add((str(phase.get("id")), str(subtask.get("id"))))
    known.update((str(phase.get("id")), str(s.get("id"))) for s in subtasks if is_object(s))


def _phase(fields: dict[str, Any]) -> PhaseSpec:
    subtasks = tuple(
        SubtaskSpec(subtask_id=s["id"], message=s["message"], mode=s.get("mode") or "")
        for s in fields["subtasks"]
    )
    return PhaseSpec(
        phase_id=fields["id"],
        name=fields.get("name") or "",
        mode=fields.get("mode") or "code",
        subtasks=subtasks,
        parallel=fields.get("parallel", False),
        checks=tuple(fields.get("checks", ())),
        retries=fields.get("retries", 0),
        gate=fields.get("gate") or "",
    )
