"""The layers of settings, a later one winning.

Code defaults, host-wide, the user's, the profile in force, the project's, environment, task.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from roo_code.config import migration, project_rules
from roo_code.config.defaults import DEFAULTS
from roo_code.config.documents import Document
from roo_code.config.environment import UnsetVariable, settings_in, substituted
from roo_code.config.paths import roo_home
from roo_code.config.problem import Problem, shown
from roo_code.config.profile_choice import choose_profile
from roo_code.config.resolved import ChosenProfile, Entry, Layer, Origin, Settings
from roo_code.config.secret_names import is_secret, refers
from roo_code.config.setting_types import KINDS, RETIRED_KEYS, Fault, closest, faults_of
from roo_code.config.sources import CLI_FILE, MODES_FILE, SettingsFiles
from roo_code.json_text import JsonValue

_OF_ONE_SERVICE = (
    "apiModelId", "modelMaxTokens", "modelMaxThinkingTokens", "modelTemperature",
    "reasoningEffort", "enableReasoningEffort", "verbosity", "apiBaseUrl",
)  # fmt: skip
"""Meant for one service, under the same name for all."""
_NOT_SETTINGS = frozenset({migration.VERSION_KEY, "$schema"})
_CLI_NAMES = {"provider": "apiProvider", "model": "apiModelId"}


class LayeredSettings:
    """The settings of a user in a workspace. Files are read again when they have changed."""

    def __init__(
        self,
        workspace: Path | None = None,
        *,
        home: Path | None = None,
        environ: Mapping[str, str] | None = None,
        given: Mapping[str, JsonValue] | None = None,
    ) -> None:
        self.given = given or {}
        """What one task was started with; it may hold keys, and is stored nowhere."""
        self.home = home or roo_home()
        self.environ = os.environ if environ is None else environ
        self.files = SettingsFiles(self.home, workspace, self.environ)

    def resolve(self, task: Mapping[str, JsonValue] | None = None) -> Settings:
        """What holds now. What a `task` was given holds for it alone and is stored nowhere."""
        read = self.files.read()
        resolver = _Resolver(self.environ, read.problems, self._consents)
        lower: list[Entry] = []
        upper: list[Entry] = []
        for layer, document in read.documents:
            (upper if layer == "project" else lower).extend(_entries(layer, document))
        for found in settings_in(self.environ):
            if isinstance(found, Problem):
                resolver.problems.append(found)
            else:
                origin = Origin("environment", found.variable)
                upper.append(Entry(found.key, found.value, origin))
        given = Origin("task", "given with the task")
        upper += [Entry(key, value, given) for key, value in {**self.given, **(task or {})}.items()]
        profile = choose_profile(read.profiles, [*lower, *upper])
        resolver.problems += [profile.problem] if profile.problem else []
        for entry in (*lower, *profile.entries, *upper):
            resolver.add(entry)
        return resolver.settings(profile.chosen)

    def _consents(self, document: Document) -> bool:
        """Whether the user has said yes to just this text of a project's settings."""
        from roo_code.config.trust import TrustStore  # noqa: PLC0415 - few projects ask for rights
        from roo_code.config.trust_contents import settings_content  # noqa: PLC0415

        content = settings_content(document.path.parent.parent, document)
        return content is not None and TrustStore(self.home).is_trusted(content)


def _entries(layer: Layer, document: Document) -> Iterator[Entry]:
    name = document.path.name
    for key, value in document.data.items():
        origin = Origin(layer, str(document.path), document, (key,))
        if key in _NOT_SETTINGS or (name == MODES_FILE and key != "customModes"):
            continue
        if name == CLI_FILE and key == "dangerouslySkipPermissions" and isinstance(value, bool):
            yield Entry("requireApproval", not value, origin)
        else:
            yield Entry(_CLI_NAMES.get(key, key) if name == CLI_FILE else key, value, origin)


class _Resolver:
    """Adds one value after the other; what is wrong with one becomes a problem."""

    def __init__(
        self,
        environ: Mapping[str, str],
        problems: list[Problem],
        consents: Callable[[Document], bool],
    ) -> None:
        self.problems = problems
        self._environ = environ
        self._consents = consents
        self._values: dict[str, Any] = dict(DEFAULTS)
        self._origins: dict[str, Origin] = {}
        self._unknown: dict[str, Entry] = {}
        self._secrets: dict[str, Entry] = {}

    def settings(self, profile: ChosenProfile | None) -> Settings:
        return Settings(
            self._values,
            self._origins,
            tuple(self.problems),
            profile=profile,
            unknown=self._unknown,
            secrets=self._secrets,
        )

    def add(self, entry: Entry) -> None:
        if entry.origin.layer == "profile" and entry.key == "id":
            return
        secret = is_secret(entry.key, entry.value)
        if secret and not self._may_hold(entry):
            return
        filled = self._filled(entry)
        if filled is None:
            return
        if secret:
            self._secrets[entry.key] = filled
        elif entry.key in KINDS:
            self._add_known(filled)
        else:
            self._unknown[entry.key] = filled
            self._report_unknown(entry)

    def _may_hold(self, entry: Entry) -> bool:
        """A secret may be given, or named by a variable; it may not stand in a file."""
        layer = entry.origin.layer
        if layer in ("environment", "task") or (layer != "project" and refers(entry.value)):
            return True
        if layer == "project":
            self._report(entry, "a project may not set it; it is not used", "Remove it.")
        else:
            hint = f"Remove it from the file, then: roo config set {entry.key}"
            self._report(entry, "a secret must not stand in a settings file; it is not used", hint)
        return False

    def _filled(self, entry: Entry) -> Entry | None:
        """With the variables it names; in a project's file they could carry secrets away."""
        if entry.origin.layer in ("environment", "task") or not refers(entry.value):
            return entry
        if entry.origin.layer == "project":
            self._report(entry, "a project's settings may not name variables; it is not used")
            return None
        try:
            return entry._replace(value=substituted(entry.value, self._environ))
        except UnsetVariable as error:
            self._report(entry, f"{error}; it is not used", f"Set {error.name}, or write a value.")
            return None

    def _add_known(self, entry: Entry) -> None:
        key, value, origin = entry
        if faults := faults_of(key, value):
            for fault in faults:
                self._report_fault(entry, fault)
            value = _repaired(key, value, faults)
            if value is None:
                return
        if origin.layer == "project":
            try:
                value = project_rules.narrowed(key, value, self._values.get(key))
            except project_rules.Refused as refused:
                if not self._is_consented(entry):
                    self._report(entry, f"{refused}; it is not used", _way_out(entry))
                    return
        if key == "apiProvider" and value != self._values.get(key):
            self._forget_other_service(origin)
        self._values[key], self._origins[key] = value, origin

    def _is_consented(self, entry: Entry) -> bool:
        document = entry.origin.document
        if document is None or not project_rules.needs_consent(entry.key, entry.value):
            return False
        return self._consents(document)

    def _forget_other_service(self, origin: Origin) -> None:
        """The model that a lower layer names is one of the service that it named."""
        for key in _OF_ONE_SERVICE:
            if key in self._origins and self._origins[key].source != origin.source:
                del self._origins[key], self._values[key]

    def _report_unknown(self, entry: Entry) -> None:
        if entry.key in RETIRED_KEYS:
            hint = "It does no harm, and can be removed."
            self._report(entry, "it is no longer used", hint, harmless=True)
            return
        meant = closest(entry.key)
        hint = f"Did you mean {meant}?" if meant else "roo config list --all shows all there are."
        message = "there is no such setting; it is kept and not used"
        self._report(entry, message, hint, harmless=True)

    def _report_fault(self, entry: Entry, fault: Fault) -> None:
        value = entry.value
        for part in fault.path:
            value = value[part]
        origin = entry.origin
        line = origin.document.line_of(*origin.path, *fault.path) if origin.document else None
        key = ".".join(map(str, (entry.key, *fault.path)))
        self.problems.append(
            Problem(
                file=_file(origin),
                line=line,
                key=key,
                value=shown(entry.key, value),
                message=f"{fault.message}; it is not used",
                hint=f"Correct or remove {key}.",
            )
        )

    def _report(
        self, entry: Entry, message: str, hint: str = "", *, harmless: bool = False
    ) -> None:
        self.problems.append(
            Problem(
                file=_file(entry.origin),
                line=entry.origin.line,
                key=entry.key,
                value=shown(entry.key, entry.value),
                message=message,
                hint=hint,
                harmless=harmless,
            )
        )


def _way_out(entry: Entry) -> str:
    hint = f"Put it in your own settings: roo config set {entry.key}"
    if project_rules.needs_consent(entry.key, entry.value):
        name = Path(entry.origin.source).name
        hint += f"\nor consent to the file as it is: roo trust grant .roo/{name}"
    return hint


def _file(origin: Origin) -> str:
    return str(origin) if origin.document is None else origin.source


def _repaired(key: str, value: Any, faults: list[Fault]) -> Any:
    """The value without what is wrong in it, or None if nothing is left."""
    if any(not fault.path for fault in faults):
        return None
    value = copy.deepcopy(value)
    for fault in reversed(faults):  # from behind, so that numbers stay right
        inner = value
        for part in fault.path[:-1]:
            inner = inner[part]
        del inner[fault.path[-1]]
    return value if not faults_of(key, value) else None
