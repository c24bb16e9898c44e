"""Takes keys out of texts: those that this process knows, and whatever has the shape of one.

Hashes, ids, encoded data and source code stay as they are: a shape is a prefix that services give
to their keys, or a name that says so, and never mere length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from roo_code.json_text import to_json
from roo_code.key_shapes import HIDDEN, OPEN_BLOCK, SHAPES, SHORTEST_WORD, Shape

_SHORTEST = 8
"""A shorter secret is none; many give a local service a word, which stands in other texts too."""
_SHORTEST_SENT = 4
_LONG = 16
_LONGEST_HELD = 4096
_CONTEXT = 2
_LONGEST_BLOCK = 32_768
_BREAKS = (" ", "\n", "\r", "\t", '"')
_PREFIXES = frozenset(s.mark[:n] for s in SHAPES for n in range(1, len(s.mark) + 1))
_SPACED_MARKS = tuple(shape.mark for shape in SHAPES if shape.mark.endswith(" "))
_LONGEST_MARK = max(len(shape.mark) for shape in SHAPES)
_SECRET_NAME = re.compile(
    r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|COOKIE|AUTHORIZATION)(?:_?\d+)?$",
    re.IGNORECASE,
)
_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)


class Redactor:
    """Hides keys in whatever is kept or shown."""

    def __init__(self, secrets: Iterable[str] = (), *, shortest: int = _SHORTEST) -> None:
        self._shortest = shortest
        self._secrets: set[str] = set()
        self._spellings: list[str] = []
        self._pattern: re.Pattern[str] | None = None
        self.add(secrets)

    @classmethod
    def of_request(cls, key: str | None, headers: Mapping[str, str]) -> Redactor:
        """For what comes back of a request: short words too, which were sent as keys."""
        return cls([key or "", *header_secrets(headers)], shortest=_SHORTEST_SENT)

    def add(self, secrets: Iterable[str]) -> None:
        known = {secret.strip() for secret in secrets}
        self._secrets |= {secret for secret in known if len(secret) >= self._shortest}
        spelt = self._secrets | {to_json(secret).decode()[1:-1] for secret in self._secrets}
        self._spellings = sorted(spelt, key=len, reverse=True)  # one may be part of another
        self._pattern = None

    def __call__(self, text: str) -> str:
        return _without(text, self.spans(text))

    def known(self, text: str) -> str:
        """Without the keys that are known; what merely looks like one is its writer's affair."""
        return _without(text, self._known_spans(text))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where keys stand, in order and apart."""
        if len(text) < self._shortest:
            return []
        found = [*self._known_spans(text), *_shaped(text)]
        return _apart(found) if len(found) > 1 else found

    def stream(self) -> RedactedStream:
        """The same for bytes that come in pieces, of which a key may lie across two."""
        return RedactedStream(self._secrets, self._shortest)

    def _known_spans(self, text: str) -> list[tuple[int, int]]:
        if not any(spelt in text for spelt in self._spellings):
            return []
        if self._pattern is None:
            self._pattern = re.compile("|".join(map(re.escape, self._spellings)))
        return [match.span() for match in self._pattern.finditer(text)]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<{len(self._secrets)} secrets>)"


redact = Redactor()
"""With the keys that this process has come to know; for logs, errors, and all without a run."""


class RedactedStream:
    """Holds back the end of a piece only as long as it may belong to a key."""

    def __init__(self, secrets: Iterable[str], shortest: int) -> None:
        # Bytes as characters of the same number: then both are searched in one way.
        self._secrets = tuple(secret.encode().decode("latin-1") for secret in secrets)
        self._redact = Redactor(self._secrets, shortest=min(shortest, 1))
        self._held = ""
        self._before = ""
        """The end of what was shown: what follows a letter does not begin a key."""

    def feed(self, data: bytes) -> bytes:
        """Take a piece; return what can be shown now."""
        text = self._before + self._held + data.decode("latin-1")
        return self._show(text, min(_settled(text), len(text) - self._begun(text)))

    def finish(self) -> bytes:
        """What was held back, when nothing follows it."""
        text = self._before + self._held
        return self._show(text, len(text))

    def _show(self, text: str, cut: int) -> bytes:
        shown = len(self._before)
        spans = self._redact.spans(text)
        cut = max(shown, next((end for start, end in spans if start < cut < end), cut))
        self._held, self._before = text[cut:], text[max(0, cut - _CONTEXT) : cut]
        hidden = [(max(start, shown) - shown, end - shown) for start, end in spans if end <= cut]
        return _without(text[shown:cut], [span for span in hidden if span[1] > 0]).encode("latin-1")

    def _begun(self, text: str) -> int:
        """How many characters at the end a known secret begins with."""
        return max((_overlap(text, secret) for secret in self._secrets), default=0)

    def __repr__(self) -> str:
        return "RedactedStream()"


def named_secrets(values: Mapping[str, str]) -> Iterator[str]:
    """Of variables or headers, the values of those that are secrets by their names."""
    for name, value in values.items():
        if _SECRET_NAME.search(name) and _may_be_secret(value):
            yield value
            yield value.rpartition(" ")[2]  # what follows `Bearer` or `Basic`


def header_secrets(headers: Mapping[str, str]) -> Iterator[str]:
    """Of headers that we send ourselves, whatever may be a key: nobody else has a use for it."""
    for name, value in headers.items():
        if _SECRET_HEADER.search(name):
            yield value
            yield value.rpartition(" ")[2]


def _shaped(text: str) -> Iterator[tuple[int, int]]:
    # Most words are short, or come again and again: the many marks are looked for in the others.
    words = "\n".join({word for word in text.split() if len(word) >= SHORTEST_WORD})
    for shape in SHAPES:
        if shape.mark in (words if shape.is_in_word else text):
            yield from _found(text, shape)


def _found(text: str, shape: Shape) -> Iterator[tuple[int, int]]:
    mark = shape.mark
    at = text.find(mark)
    while at >= 0:
        after = at + len(mark)
        if found := shape.match(text, after if shape.follows else at):
            yield found.span(found.lastindex or 0)
            after = max(after, found.end())
        at = text.find(mark, after)


def _apart(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """In order, and what overlaps as one."""
    spans.sort()
    apart = spans[:1]
    for start, end in spans[1:]:
        last_start, last_end = apart[-1]
        if start < last_end:
            apart[-1] = (last_start, max(end, last_end))
        else:
            apart.append((start, end))
    return apart


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    if not spans:
        return text
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces += (text[at:start], HIDDEN)
        at = end
    return "".join([*pieces, text[at:]])


def _settled(text: str) -> int:
    """Up to where nothing that follows can make a key of what is there, by its shape."""
    block = text.find(OPEN_BLOCK.mark, max(0, len(text) - _LONGEST_BLOCK))
    while block >= 0:
        if OPEN_BLOCK.match(text, block):
            return _settled_run(text[:block])  # what it follows without a break may be one key
        block = text.find(OPEN_BLOCK.mark, block + 1)
    return _settled_run(text)


def _settled_run(text: str) -> int:
    start = _run_start(text, len(text))
    while text.endswith(_SPACED_MARKS, 0, start):
        start = _run_start(text, start - 1)
    if len(text) - start > _LONGEST_HELD:
        return len(text)
    run = text[start:]
    is_open = any(shape.mark in run for shape in SHAPES) or _ends_in_mark(run)
    return start if is_open else len(text)


def _run_start(text: str, end: int) -> int:
    return max(text.rfind(character, 0, end) for character in _BREAKS) + 1


def _ends_in_mark(run: str) -> bool:
    return any(run[-n:] in _PREFIXES for n in range(1, min(len(run), _LONGEST_MARK) + 1))


def _overlap(text: str, secret: str) -> int:
    """How many characters at the end of the text a secret begins with; all of it does not count."""
    longest = min(len(text), len(secret) - 1)
    return next((n for n in range(longest, 0, -1) if text.endswith(secret[:n])), 0)


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
