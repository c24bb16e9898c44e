"""Settings and what is wrong with them, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import click

from roo_code.cli.style import Style
from roo_code.config.layers import LayeredSettings
from roo_code.config.problem import Problem, shown
from roo_code.config.resolved import Settings
from roo_code.config.secrets import SecretStore
from roo_code.config.setting_types import KINDS, kind_name
from roo_code.errors import ConfigError


def secret_names_set(layers: LayeredSettings, settings: Settings) -> tuple[set[str], list[Problem]]:
    """Names of those that are set, and what is wrong."""
    problems = list(settings.problems)
    try:
        stored = SecretStore(layers.home).all()
    except ConfigError as error:
        problems.append(Problem(message=str(error), hint=error.hint))
        stored = {}
    return {*settings.secrets} | {key for key in stored if key in KINDS}, problems


def setting_as_json(settings: Settings, name: str, with_origin: bool) -> Any:
    value = settings.values[name]
    if not with_origin:
        return value
    origin = settings.origin(name)
    return {"value": value, "layer": origin.layer, "source": origin.source, "line": origin.line}


def setting_line(
    settings: Settings, name: str, secrets: set[str], width: int, style: Style, *, with_origin: bool
) -> str:
    value = settings.get(name)
    if name in secrets:
        text = "(hidden)"
    elif value is None:
        text = style.dim(f"({kind_name(name)})")
    else:
        text = style.cut(shown(name, value), width + 3)
    line = f"{name:<{width}}  {text}"
    if with_origin and (name in secrets or value is not None):
        stored = name in secrets and name not in settings.secrets
        where = "secret store" if stored else settings.origin(name)
        line += f"  {style.dim(f'({where})')}"
    return line


def to_json(data: Any) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False)


def warn(problems: Iterable[Problem], key: str = "") -> None:
    """Each problem and its remedy; with a key, only what concerns it."""
    for problem in problems:
        if key and problem.key and not problem.key.startswith(key):
            continue
        click.echo(f"Problem: {problem}", err=True)
        if problem.hint:
            click.echo(f"  {problem.hint}", err=True)
