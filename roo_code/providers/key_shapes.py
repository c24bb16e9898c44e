"""Finds keys in texts: those that this run knows, and whatever has the shape of one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from roo_code.providers.text_edits import Edit, edited

HIDDEN = "***"
_SHORTEST = 8
"""A shorter secret is none; many give a local service a word, which stands in other texts too."""
_SHAPES = (
    r"\bsk-(?:(?=[\w-]*\d)[\w-]{12,}|[A-Za-z]{20,})",  # with a digit: CSS has such names too
    r"\bAIza[\w-]{30,}",
    r"\b(?:gh[oprsu]_|github_pat_|gsk_|hf_|r8_|xai-)\w{16,}",
    r"\bglpat-[\w-]{16,}",
    r"\b(?:AKIA|ASIA)[0-9A-Z]{12,}",
    r"\bxox[abeoprs]-[\w-]{10,}",
    r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{5,}",
    r"(?<=[Bb]earer )(?:(?=\S*\d)[\w.~+/=-]{8,}|[A-Za-z]{24,})",
    r"(?<=://)[^\s/@:\"]+:[^\s/@\"]+(?=@)",
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
)
_SECRET_NAME = re.compile(
    r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|COOKIE|AUTHORIZATION)(?:_?\d+)?$",
    re.IGNORECASE,
)


class KeyScrubber:
    """Takes keys out of whatever is written to a recording."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: set[str] = set()
        self._pattern = _compiled(())
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        known = {secret.strip() for secret in secrets}
        known = {secret for secret in known if len(secret) >= _SHORTEST} - self._secrets
        if known:
            self._secrets |= known
            self._pattern = _compiled(self._secrets)

    def __call__(self, text: str) -> str:
        return edited(text, self.find(text))

    def find(self, text: str) -> list[Edit]:
        return [Edit(*match.span(), HIDDEN) for match in self._pattern.finditer(text)]

    def __repr__(self) -> str:
        return f"KeyScrubber(<{len(self._secrets)} secrets>)"


def _compiled(secrets: Iterable[str]) -> re.Pattern[str]:
    """Known ones first and the longest first: one may be part of another, or have a shape."""
    spellings = {spelling for secret in secrets for spelling in (secret, json.dumps(secret)[1:-1])}
    known = map(re.escape, sorted(spellings, key=len, reverse=True))
    return re.compile("|".join([*known, *_SHAPES]), re.DOTALL)


def named_secrets(values: Mapping[str, str]) -> Iterator[str]:
    """Of variables or headers, the values of those that are secrets by their names."""
    for name, value in values.items():
        if _SECRET_NAME.search(name) and not value.isdecimal() and not _is_path(value):
            yield value
            yield value.rpartition(" ")[2]  # what follows `Bearer` or `Basic`


def _is_path(value: str) -> bool:
    if not value.startswith(("/", "~", ".")):
        return False
    try:
        return Path(value).expanduser().exists()
    except (OSError, RuntimeError):  # no name at all, or nobody's home
        return False
