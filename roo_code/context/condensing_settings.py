"""What Roo's settings say of condensing."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from roo_code.context.window import DEFAULT_THRESHOLD
from roo_code.json_text import JsonValue


class CondenseSettings(Struct, frozen=True, kw_only=True):
    is_automatic: bool = True
    """Whether a summary is made by itself; if not, what does not fit is left out."""
    threshold: float = DEFAULT_THRESHOLD
    """Per cent of the window at which it is made."""
    instructions: str = ""
    """In place of ours."""


def read_condense_settings(
    values: Mapping[str, JsonValue], profile: str | None = None
) -> CondenseSettings:
    """From the settings by Roo's names; `profile` is the id of the one in force."""
    thresholds = values.get("profileThresholds")
    own = thresholds.get(profile or "") if isinstance(thresholds, dict) else None
    chosen = next(filter(_is_threshold, (own, values.get("autoCondenseContextPercent"))), None)
    prompts = values.get("customSupportPrompts")
    by_name = prompts.get("CONDENSE") if isinstance(prompts, dict) else None
    written = (by_name, values.get("customCondensingPrompt"))
    return CondenseSettings(
        is_automatic=values.get("autoCondenseContext") is not False,
        threshold=float(chosen) if isinstance(chosen, int | float) else DEFAULT_THRESHOLD,
        instructions=next((t for t in written if isinstance(t, str) and t.strip()), ""),
    )


def _is_threshold(value: JsonValue) -> bool:
    """Roo takes 5 to 100; -1 in a profile means the general one."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 5 <= value <= 100
