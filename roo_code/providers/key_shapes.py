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
_LONG = 16
_AFTER_PREFIX = r"\w{16,}"
_SHAPES = {
    "sk-": r"\bsk-(?:(?=[\w-]*\d)[\w-]{12,}|[A-Za-z]{20,})",  # CSS has such names too
    "AIza": r"\bAIza[\w-]{30,}",
    "ya29.": r"\bya29\.[\w-]{20,}",
    "gh": r"\bgh[oprsu]_" + _AFTER_PREFIX,
    "github_pat_": r"\bgithub_pat_" + _AFTER_PREFIX,
    "glpat-": r"\bglpat-[\w-]{16,}",
    "gsk_": r"\bgsk_" + _AFTER_PREFIX,
    "hf_": r"\bhf_" + _AFTER_PREFIX,
    "xai-": r"\bxai-" + _AFTER_PREFIX,
    "AKIA": r"\bAKIA[0-9A-Z]{12,}",
    "ASIA": r"\bASIA[0-9A-Z]{12,}",
    "xox": r"\bxox[abeoprs]-[\w-]{10,}",
    "eyJ": r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{5,}",
    "earer ": r"(?<=[Bb]earer )(?:(?=\S*\d)[\w.~+/=-]{8,}|[A-Za-z]{24,})",
    "://": r"(?<=://)[^\s/@:\"]+:[^\s/@\"]+(?=@)",
    "PRIVATE KEY": r"-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r".*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
}
"""By what must be in a text for it to hold such a key: looking for that is quick."""
_SECRET_NAME = re.compile(
    r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|COOKIE|AUTHORIZATION)(?:_?\d+)?$",
    re.IGNORECASE,
)


class KeyScrubber:
    """Takes keys out of whatever is written to a recording."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: set[str] = set()
        self._spellings: list[str] = []
        self._patterns: dict[tuple[str, ...], re.Pattern[str]] = {}
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        known = {secret.strip() for secret in secrets}
        self._secrets |= {secret for secret in known if len(secret) >= _SHORTEST}
        spelt = {form for secret in self._secrets for form in (secret, json.dumps(secret)[1:-1])}
        self._spellings = sorted(spelt, key=len, reverse=True)  # one may be part of another
        self._patterns.clear()

    def __call__(self, text: str) -> str:
        return edited(text, self.find(text))

    def find(self, text: str) -> list[Edit]:
        if len(text) < _SHORTEST:
            return []
        shapes = tuple(mark for mark in _SHAPES if mark in text)
        if not shapes and not any(spelt in text for spelt in self._spellings):
            return []
        return [Edit(*match.span(), HIDDEN) for match in self._pattern(shapes).finditer(text)]

    def _pattern(self, shapes: tuple[str, ...]) -> re.Pattern[str]:
        if shapes not in self._patterns:
            known = map(re.escape, self._spellings)
            patterns = [*known, *(_SHAPES[mark] for mark in shapes)]
            self._patterns[shapes] = re.compile("|".join(patterns), re.DOTALL)
        return self._patterns[shapes]

    def __repr__(self) -> str:
        return f"KeyScrubber(<{len(self._secrets)} secrets>)"


def named_secrets(values: Mapping[str, str]) -> Iterator[str]:
    """Of variables or headers, the values of those that are secrets by their names."""
    for name, value in values.items():
        if _SECRET_NAME.search(name) and _may_be_secret(value):
            yield value
            yield value.rpartition(" ")[2]  # what follows `Bearer` or `Basic`


def _may_be_secret(value: str) -> bool:
    """Not a number, a file, or a word: that may stand in any text, which would be spoilt."""
    is_word = len(value) < _LONG and not any(map(str.isdigit, value))
    return not (is_word or value.isdecimal() or _is_path(value))


def _is_path(value: str) -> bool:
    if not value.startswith(("/", "~", ".")):
        return False
    try:
        return Path(value).expanduser().exists()
    except (OSError, RuntimeError):  # no name at all, or nobody's home
        return False
