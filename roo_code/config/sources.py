"""The files that settings are read from, each read again only when it has changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from roo_code.config import migration
from roo_code.config.documents import (
    SUFFIXES,
    Document,
    Signature,
    read_document,
    signature_of,
)
from roo_code.config.migration import Step
from roo_code.config.paths import profiles_file, settings_folder
from roo_code.config.problem import Problem
from roo_code.config.resolved import Layer
from roo_code.config.unreadable import Unreadable
from roo_code.errors import ConfigError

HOST_VARIABLE = "ROO_HOST_SETTINGS"
HOST_FOLDER = Path("/etc/roo")
CLI_FILE = "cli-settings.json"
MODES_FILE = "custom_modes.yaml"


class Place(NamedTuple):
    """Where a layer may be written; the first file there is counts."""

    layer: Layer
    files: tuple[Path, ...]

    @property
    def preferred(self) -> Path:
        """The file to write to."""
        return next((path for path in self.files if path.exists()), self.files[0])


class ReadFiles(NamedTuple):
    documents: list[tuple[Layer, Document]]
    profiles: Document | None
    problems: list[Problem]


class _Known(NamedTuple):
    signature: Signature | None
    document: Document | None
    problem: Problem | None


class SettingsFiles:
    def __init__(
        self,
        home: Path,
        workspace: Path | None,
        environ: Mapping[str, str],
        steps: Sequence[Step] = migration.STEPS,
    ) -> None:
        given = environ.get(HOST_VARIABLE)
        host = (Path(given),) if given else _alternatives(HOST_FOLDER / "settings")
        folder = settings_folder(home)
        self.user = Place("user", _alternatives(folder / "settings"))
        self.project = workspace and Place("project", _alternatives(workspace / ".roo/settings"))
        self.profiles = profiles_file(home)
        self.places = [
            Place("host", host),
            Place("user", (home / CLI_FILE,)),
            Place("user", (folder / MODES_FILE,)),
            self.user,
            *([self.project] if self.project else []),
        ]
        self._steps = steps
        self._known: dict[Path, _Known] = {}

    def read(self) -> ReadFiles:
        documents: list[tuple[Layer, Document]] = []
        problems: list[Problem] = []
        for place in (*self.places, Place("profile", (self.profiles,))):
            present = [path for path in place.files if self._refresh(place.layer, path)]
            known = [self._known[path] for path in present]
            problems += [one.problem for one in known if one.problem]
            problems += [_ignored(path, present[0]) for path in present[1:]]
            if known and (document := known[0].document):
                documents.append((place.layer, document))
        is_last_profile = bool(documents) and documents[-1][0] == "profile"
        profiles = documents.pop()[1] if is_last_profile else None
        return ReadFiles(documents, profiles, problems)

    def _refresh(self, layer: Layer, path: Path) -> bool:
        """Whether the file is there; what it holds is known afterwards."""
        try:
            signature = signature_of(path)
        except Unreadable as error:
            self._keep(path, None, error)
            return True
        if signature is None:
            self._known.pop(path, None)
            return False
        known = self._known.get(path)
        if known is None or known.signature != signature:
            self._load(layer, path, signature)
        return path in self._known

    def _load(self, layer: Layer, path: Path, signature: Signature) -> None:
        try:
            document = read_document(path)
            if document and migration.is_older(document.data, self._steps):
                document = self._migrate(layer, document)
        except Unreadable as error:
            self._keep(path, signature, error)
            return
        if document is None:
            self._known.pop(path, None)
            return
        newer = migration.is_newer(document.data, self._steps)
        self._known[path] = _Known(signature, document, _newer(path) if newer else None)

    def _keep(self, path: Path, signature: Signature | None, error: Unreadable) -> None:
        """A file that is broken, or half written just now: what it last said holds."""
        before = self._known.get(path)
        document = before.document if before else None
        outcome = "what it said before is used" if document else "none of it is used"
        problem = Problem(
            file=str(path),
            line=error.line,
            message=f"{error}; {outcome}",
            hint="Mend it, or move it away.",
        )
        self._known[path] = _Known(signature, document, problem)

    def _migrate(self, layer: Layer, document: Document) -> Document:
        """Our own files are rewritten; of others, what is read is migrated each time."""
        if layer in ("user", "profile"):
            from roo_code.config.settings_file import (  # noqa: PLC0415 - few starts write
                SettingsFile,
            )

            try:
                SettingsFile(document.path, self._steps).migrate()
                return read_document(document.path) or document
            except ConfigError:
                pass  # a folder that cannot be written is no reason to stop
        data = migration.migrated(document.data, self._steps)
        return Document(document.path, document.text, data)


def _alternatives(stem: Path) -> tuple[Path, ...]:
    return tuple(stem.with_suffix(suffix) for suffix in SUFFIXES)


def _ignored(path: Path, used: Path) -> Problem:
    return Problem(
        file=str(path),
        message=f"is not read, because {used.name} is there too",
        hint=f"Move what it says to {used.name}, then delete it.",
    )


def _newer(path: Path) -> Problem:
    return Problem(
        file=str(path),
        message="was written by a newer version of Roo Code; what is understood is used",
        hint="Upgrade Roo Code.",
    )
