"""What keys look like: the prefixes that services give them, and the names they stand behind."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

HIDDEN = "***"
SHORTEST_WORD = 15
"""Of those that hold a key with its mark."""


class Shape(NamedTuple):
    mark: str
    """What must be in a text for it to hold such a key: looking for that is quick."""
    pattern: str
    """Tried where the mark begins or, if the key follows it, where it ends."""
    follows: bool = False

    def match(self, text: str, at: int) -> re.Match[str] | None:
        return _compiled(self.pattern).match(text, at)

    @property
    def is_in_word(self) -> bool:
        """Whether mark and key make one long word, so that shorter ones need not be searched."""
        return self.mark.endswith("=") or not (self.follows or " " in self.mark)


# After a letter it is the end of a word, unless that letter is the one of an escaped line break.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
_VALUE = r"(?=[^\s\"'&;,]{0,64}\d)(?=[^\s\"'&;,]{0,64}[A-Za-z])[A-Za-z0-9+/_=.~-]{16,512}"
_AWS = r"[\"']?\s{0,3}[:=]\s{0,3}[\"']?([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """When a mark is found: to compile all would take longer than the rest of a start."""
    return re.compile(pattern, re.ASCII | re.DOTALL)


def _shape(mark: str, rest: str) -> Shape:
    return Shape(mark, _START + re.escape(mark) + rest)


def _behind(mark: str, key: str) -> Shape:
    return Shape(mark, key, follows=True)


_BEGIN = "-----BEGIN "
_BLOCK = r"[A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
OPEN_BLOCK = Shape(
    _BEGIN, _BEGIN + rf"(?:[A-Z ]{{0,60}}-{{0,5}}\Z|{_BLOCK}(?!.*-----END {_BLOCK}))"
)
"""A private key whose end has not come yet."""

SHAPES: tuple[Shape, ...] = (
    # Models. CSS has names with `sk-` too.
    _shape("sk-", r"(?:(?=[\w-]{0,64}\d)[\w-]{12,512}|[A-Za-z]{20,512})"),
    _shape("AIza", r"[\w-]{30,}"),
    _shape("ya29.", r"[\w-]{20,}"),
    _shape("gsk_", r"\w{16,}"),
    _shape("hf_", r"\w{16,}"),
    _shape("xai-", r"\w{16,}"),
    _shape("pplx-", r"[A-Za-z0-9]{24,}"),
    _shape("r8_", r"[A-Za-z0-9]{24,}"),
    _shape("tvly-", r"[\w-]{16,}"),
    _shape("nvapi-", r"[\w-]{24,}"),
    # Code and packages.
    *(_shape(mark, r"\w{16,}") for mark in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    _shape("github_pat_", r"\w{16,}"),
    _shape("glpat-", r"[\w-]{16,}"),
    _shape("npm_", r"(?=[A-Za-z0-9]{0,36}\d)[A-Za-z0-9]{30,}"),
    _shape("pypi-AgE", r"[\w-]{24,}"),
    _shape("lin_api_", r"[A-Za-z0-9]{20,}"),
    # Clouds.
    *(_shape(mark, r"[0-9A-Z]{12,}") for mark in ("AKIA", "ASIA")),
    _shape("GOCSPX-", r"[\w-]{20,}"),
    _shape("dop_v1_", r"[0-9a-f]{40,}"),
    _shape("hvs.", r"[\w-]{20,}"),
    _behind("AccountKey=", r"[A-Za-z0-9+/=]{40,}"),
    _behind("aws_secret_access_key", _AWS),
    _behind("SecretAccessKey", _AWS),
    # Payments, mail, messages.
    *(_shape(mark, r"[A-Za-z0-9]{16,}") for mark in ("sk_live_", "sk_test_", "rk_live_", "whsec_")),
    _shape("SG.", r"[\w-]{16,}\.[\w-]{16,}"),
    _shape("xox", r"[abeoprs]-[\w-]{10,}"),
    _behind("hooks.slack.com/services/", r"[\w/]{20,}"),
    _shape("shpat_", r"[0-9a-f]{32}"),
    # Tokens, key files, and what stands behind a name that says so.
    _shape("eyJ", r"[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{5,}"),
    _shape("AGE-SECRET-KEY-1", r"[0-9A-Z]{20,}"),
    Shape(_BEGIN, rf"{_BEGIN}{_BLOCK}.*?(?:-----END {_BLOCK}|\Z)"),
    _behind("earer ", r"(?:(?=\S{0,64}\d)[\w.~+/=-]{8,}|[A-Za-z]{24,})"),
    _behind("://", r"[^\s/@:\"]{1,256}:[^\s/@\"]{1,256}(?=@)"),
    *(_behind(f"{name}_KEY=", _VALUE) for name in ("API", "ACCESS", "SECRET")),
    *(_behind(f"{name}=", _VALUE) for name in ("_TOKEN", "_SECRET", "PASSWORD", "PASSWD")),
)
