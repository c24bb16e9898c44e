"""What a command prints: its beginning and end in memory, all of it in a file if it is long."""

from __future__ import annotations

import codecs
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Protocol

from roo_code.builtin_tools.terminal_text import TerminalText
from roo_code.redaction import Redactor

LARGEST_ARTIFACT = 1 << 30
"""Bytes; a command that prints without end must not fill the disk."""
_LIVE_CHARACTERS = 16_000


class CommandOutput:
    """Fed by one thread, read by another. Keys are hidden before anything is kept or shown."""

    def __init__(
        self,
        place: Callable[[], Path] | None,
        *,
        preview: int,
        hide: Callable[[str], str] = lambda text: text,
    ) -> None:
        self.total = 0
        """Bytes printed so far, as they are with keys hidden."""
        self.saved = 0
        """Bytes of them in the artifact."""
        self.artifact: Path | None = None
        """The file that holds the output, once there is one."""
        self._place = place
        self._preview = preview
        self._hiding: _Hiding = hide.stream() if isinstance(hide, Redactor) else PieceByPiece(hide)
        self._lock = threading.Lock()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._screen = TerminalText()
        self._text = HeadAndTail(preview)
        self._live = LiveText()
        self._early: list[bytes] = []
        self._file: BinaryIO | None = None
        self._finished = False

    def write(self, data: bytes) -> None:
        with self._lock:
            self._take(self._hiding.feed(data))

    def finish(self) -> None:
        """No more output will come."""
        with self._lock:
            self._take(self._hiding.finish())
            tail = self._screen.feed(self._decoder.decode(b"", final=True))
            self._show(tail + self._screen.finish())
            self._close_file()
            self._finished = True

    def persist(self) -> None:
        """Put even short output into the artifact, for a command that goes on unobserved."""
        with self._lock:
            if not self._finished:
                self._save(b"", at_once=True)

    def take_live(self) -> str:
        """What has been printed since the last time, for somebody who watches."""
        with self._lock:
            return self._live.take(self._screen.pending)

    @property
    def complete(self) -> bool:
        """Whether the preview leaves nothing out."""
        with self._lock:
            return self._text.is_whole(self._screen.pending)

    def preview(self) -> str:
        """All of the output, or its beginning and its end."""
        with self._lock:
            return self._text.with_rest(self._screen.pending)

    def _take(self, data: bytes) -> None:
        self.total += len(data)
        self._save(data)
        self._show(self._screen.feed(self._decoder.decode(data)))

    def _show(self, text: str) -> None:
        self._text.add(text)
        self._live.add(text)

    def _save(self, data: bytes, *, at_once: bool = False) -> None:
        if self._file is None and self.total <= self._preview and not at_once:
            self._early.append(data)
            return
        try:
            self._open_file()
            if self._file is not None and (room := LARGEST_ARTIFACT - self.saved) > 0:
                self.saved += self._file.write(data[:room])
                self._file.flush()  # a reader is to see all that was printed
        except OSError:  # a full disk must not end the command; the result says what was kept
            self._close_file()
            self._place = self.artifact = self._file = None
            self.saved = 0

    def _open_file(self) -> None:
        if self._file is not None or self._place is None:
            return
        self.artifact = self._place()
        self.artifact.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.artifact.open("xb")
        self.saved += sum(self._file.write(data) for data in self._early)
        self._early.clear()

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()


class _Hiding(Protocol):
    def feed(self, data: bytes) -> bytes: ...

    def finish(self) -> bytes: ...


class PieceByPiece:
    """Hides with a function of which nothing more is known: only what comes in one piece."""

    def __init__(self, hide: Callable[[str], str]) -> None:
        self._hide = hide

    def feed(self, data: bytes) -> bytes:
        text = data.decode("utf-8", "surrogateescape")  # comes back as it was, whatever it was
        hidden = self._hide(text)
        return data if hidden is text else hidden.encode("utf-8", "surrogateescape")

    def finish(self) -> bytes:
        return b""


class HeadAndTail:
    """The first and the last characters of a text, half of `most` each."""

    def __init__(self, most: int) -> None:
        self._half = most // 2
        self._head = ""
        self._tail = ""
        self._omitted = 0

    def add(self, text: str) -> None:
        room = self._half - len(self._head)
        if room > 0:
            self._head += text[:room]
            text = text[room:]
        self._tail += text
        if len(self._tail) > 4 * self._half:
            self._omitted += len(self._tail) - self._half
            self._tail = self._tail[-self._half :]

    def is_whole(self, rest: str) -> bool:
        return not self._omitted and len(self._head + self._tail + rest) <= 2 * self._half

    def with_rest(self, rest: str) -> str:
        """The text with `rest` at its end, cut in the middle if it is too long."""
        if self.is_whole(rest):
            return self._head + self._tail + rest
        tail = self._tail + rest
        room = self._half - len(self._head)
        head, tail = self._head + tail[:room], tail[room:]
        omitted = self._omitted + max(0, len(tail) - self._half)
        return f"{head}\n[...{omitted} characters omitted...]\n{tail[-self._half :]}"


class LiveText:
    """Output for a watcher: only ever added to, and never more at once than can be shown."""

    def __init__(self) -> None:
        self._final = ""
        self._skipped = 0
        self._shown = ""
        """What the watcher has already seen of that which is not final."""

    def add(self, text: str) -> None:
        self._final += text
        excess = len(self._final) - _LIVE_CHARACTERS
        if excess > _LIVE_CHARACTERS:
            self._final = self._final[excess:]
            self._skipped += excess

    def take(self, pending: str) -> str:
        """What is new, given what may still change."""
        text, shown = self._final + pending, self._shown
        if self._skipped:
            added = text
        elif text.startswith(shown):
            added = text[len(shown) :]
        else:
            # Something is being redrawn. A last line, such as a progress bar, is shown once more
            # when it has ended; what stands above it, once nothing can change it.
            lines = shown[: shown.rfind("\n") + 1]
            bar_ended = text.startswith(lines) and "\n" in text[len(lines) :]
            if not (self._final or bar_ended):
                return ""
            added = "\n" + text[len(lines) if bar_ended else 0 :]
        skipped = self._skipped + max(0, len(added) - 2 * _LIVE_CHARACTERS)
        self._final, self._skipped, self._shown = "", 0, pending
        if not skipped:
            return added
        return f"\n[... {skipped} characters not shown ...]\n{added[-2 * _LIVE_CHARACTERS :]}"
