"""Put together what keeps a task within its model's window, by the settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from roo_code.cli.compose_provider import fallbacks
from roo_code.config.layers import LayeredSettings
from roo_code.context.condensing import Condenser
from roo_code.context.condensing_settings import read_condense_settings
from roo_code.context.condensing_size import ClientFor, ClientOrNone, Conversing
from roo_code.errors import ConfigError
from roo_code.events import TaskSpec


def condenser_of(
    agent: Conversing, spec: TaskSpec, tell: Callable[[str], None], create: ClientFor
) -> Condenser:
    layers = LayeredSettings(Path(spec.workspace))
    settings = layers.resolve({"mode": spec.mode})
    wanted = read_condense_settings(settings.values, settings.profile and settings.profile.id)
    profile = settings.get("condenseProfile")
    if not profile:
        return Condenser(agent, wanted)
    return Condenser(agent, wanted, partial(_client, layers, profile, tell, create))


def _client(
    layers: LayeredSettings, profile: str, tell: Callable[[str], None], create: ClientFor
) -> ClientOrNone:
    """The profile's, or None if that cannot be had: a summary by another is better than none."""
    try:
        return create(fallbacks(layers).profile(profile))
    except ConfigError as error:
        tell(f"condenseProfile: the task's own model makes the summary. {error} {error.hint}")
        return None
