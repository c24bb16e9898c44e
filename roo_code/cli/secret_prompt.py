"""Asking for what must not be seen."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from roo_code.errors import ConfigError


def ask_secret(key: str) -> str:
    """Typed unseen, or from the standard input."""
    if sys.stdin.isatty():
        typed: str = click.prompt(key, hide_input=True)
    else:
        typed = sys.stdin.read()
    if not typed.strip():
        raise ConfigError(f"No value for {key} was given.")
    return typed.strip()


def ask_passphrase() -> Callable[[], str] | None:
    """For a file of secrets; None where nobody can be asked."""
    if not sys.stdin.isatty():
        return None
    return lambda: click.prompt("Passphrase of your secrets", hide_input=True, err=True)
