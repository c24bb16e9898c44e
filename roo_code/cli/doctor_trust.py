"""Whether what a workspace could run was answered for."""

from __future__ import annotations

from pathlib import Path

from roo_code.cli.doctor_finding import Finding
from roo_code.config.paths import roo_home
from roo_code.config.trust import TrustStore
from roo_code.config.trust_contents import contents
from roo_code.errors import ConfigError


def check_trust(workspace: Path) -> Finding:
    store = TrustStore(roo_home())
    try:
        store.entries()
    except ConfigError as error:
        return Finding("trust", "broken", str(error), error.hint)
    found = contents(workspace)
    waiting = [content.name for content in found if store.answer(content) is None]
    if waiting:
        told = f"not used before you consent: {', '.join(waiting)}"
        return Finding("trust", "note", told, "See roo trust list, then roo trust grant.")
    trusted = sum(map(store.is_trusted, found))
    return Finding("trust", "ok", f"{trusted} of {len(found)} that could run here are trusted")
