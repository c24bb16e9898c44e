"""Which profile holds for a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from roo_code.config.defaults import DEFAULTS
from roo_code.config.documents import Document
from roo_code.config.json_shapes import as_object
from roo_code.config.problem import Problem
from roo_code.config.resolved import ChosenProfile, Entry, Origin


class ProfileEntries(NamedTuple):
    chosen: ChosenProfile | None
    entries: list[Entry]
    problem: Problem | None = None


def choose_profile(document: Document | None, entries: Sequence[Entry]) -> ProfileEntries:
    """The profile that a layer names, else the mode's, else the active one; with its values."""
    data: Mapping[str, Any] = document.data if document else {}
    configs = as_object(data.get("apiConfigs"))
    named = _last(entries, "currentApiConfigName")
    if named is not None and named.value not in configs:
        return ProfileEntries(None, [], _missing(named, list(configs)))
    name = named.value if named else _name_for_mode(data, configs, entries)
    if document is None or name is None:
        return ProfileEntries(None, [])
    config, source = as_object(configs[name]), str(document.path)
    made = [
        Entry(key, value, Origin("profile", source, document, ("apiConfigs", name, key)))
        for key, value in config.items()
    ]
    current = Origin("profile", source, document, ("currentApiConfigName",))
    made.append(Entry("currentApiConfigName", name, current))
    return ProfileEntries(ChosenProfile(name, str(config.get("id", ""))), made)


def _name_for_mode(
    data: Mapping[str, Any], configs: Mapping[str, Any], entries: Sequence[Entry]
) -> str | None:
    locked = _last(entries, "lockApiConfigAcrossModes")
    if not (locked and locked.value is True):
        mode = _last(entries, "mode")
        wanted = str(mode.value if mode else DEFAULTS["mode"])
        id = as_object(data.get("modeApiConfigs")).get(wanted)
        for name, config in configs.items():
            found = as_object(config)
            if id is not None and found.get("id") == id and found.get("apiProvider"):
                return name
    active = data.get("currentApiConfigName")
    return active if isinstance(active, str) and active in configs else None


def _last(entries: Sequence[Entry], key: str) -> Entry | None:
    kind = bool if key == "lockApiConfigAcrossModes" else str
    of_key = (entry for entry in reversed(entries) if entry.key == key)
    return next((entry for entry in of_key if isinstance(entry.value, kind)), None)


def _missing(named: Entry, known: list[str]) -> Problem:
    there = f"There are: {', '.join(known)}." if known else "There are none yet."
    return Problem(
        file=named.origin.source,
        line=named.origin.line,
        key="currentApiConfigName",
        value=repr(named.value),
        message="there is no such profile",
        hint=f"{there} roo profiles create makes one.",
    )
