"""Where services that speak the Responses format differ."""

from __future__ import annotations

from msgspec import Struct


class ResponsesQuirks(Struct, frozen=True, kw_only=True):
    always_reasons: bool = False
    """Every model hands its reasoning over, whether or not it can be told how much."""
    summarizes: bool = True
    """It can be asked for a summary of the reasoning."""
