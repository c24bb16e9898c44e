"""Where programs are looked for: not in the folder that one happens to work in."""

from __future__ import annotations

import os


def keep_absolute_path() -> None:
    """Take `.` and empty entries off the path, ours and that of all we start.

    With them, a workspace could bring along the `git` that we ask about it.
    """
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    kept = [entry for entry in entries if os.path.isabs(entry)]  # noqa: PTH117 - text, no path yet
    if kept != entries:
        os.environ["PATH"] = os.pathsep.join(kept) or os.defpath
