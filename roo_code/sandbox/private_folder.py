"""A folder for the files of one sandbox, which only this user can open."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from roo_code.sandbox.leftovers import orphans, own_name


def make_private_folder() -> Path:
    """Remove it after use; those that nobody could remove are removed here."""
    for path in orphans(Path(tempfile.gettempdir())):
        shutil.rmtree(path, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=own_name()))
