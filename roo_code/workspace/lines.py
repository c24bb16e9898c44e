"""Lines of a file of any size, in memory that does not grow with it."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

_CHUNK = 1 << 18


@dataclass
class LineWindow:
    """Some neighbouring lines, gathered while the file streams by."""

    first: int
    last: int
    longest: int
    """More of a line than this, and one character that shows there was more, is not kept."""
    budget: int
    """About as many characters as are kept; then the window closes after the line it is in."""
    lines: list[str] = field(default_factory=list[str])

    def take(self, chunk: str, number: int, breaks: int) -> None:
        """Keep what falls into the window of a chunk that starts in line `number`."""
        if number > self.last or number + breaks < self.first:
            return
        for line in chunk.split("\n"):
            if number > self.last:
                return
            if number >= self.first:
                self._add(number - self.first, line)
            number += 1

    def _add(self, index: int, text: str) -> None:
        if index == len(self.lines):
            self.lines.append("")
        room = self.longest + 1 - len(self.lines[index])
        self.lines[index] += text[:room]
        self.budget -= len(text[:room])
        if self.budget < 0:
            self.last = min(self.last, self.first + index)


class LineReader:
    """Fills windows from text that comes in chunks, with LF at the end of each line."""

    def __init__(self, windows: Sequence[LineWindow]) -> None:
        self._windows = windows
        self._number = 1
        self._opened = False

    @property
    def satisfied(self) -> bool:
        """Whether no window wants what comes next."""
        return all(self._number > window.last for window in self._windows)

    def take(self, chunk: str) -> None:
        breaks = chunk.count("\n")
        for window in self._windows:
            window.take(chunk, self._number, breaks)
        self._number += breaks
        self._opened = not chunk.endswith("\n")

    def finish(self) -> int:
        """How many lines there were."""
        total = self._number if self._opened else self._number - 1
        for window in self._windows:
            del window.lines[max(0, total - window.first + 1) :]
        return total


def read_lines(file: BinaryIO, encoding: str, windows: Sequence[LineWindow]) -> int:
    """Fill the windows from a file and return how many lines it has.

    A line ends with LF, CR LF or CR. Raises UnicodeDecodeError if a guess of the encoding,
    which UTF-8 and GBK are, was wrong.
    """
    reader = LineReader(windows)
    for chunk in _text(file, encoding):
        reader.take(chunk)
    return reader.finish()


def _text(file: BinaryIO, encoding: str) -> Iterator[str]:
    # Only a guess may prove wrong; in the other encodings a broken character is just shown.
    errors = "strict" if encoding in {"utf-8", "gbk"} else "replace"
    bare = codecs.getincrementaldecoder(encoding)(errors)
    decoder = io.IncrementalNewlineDecoder(bare, translate=True)
    while data := file.read(_CHUNK):
        if chunk := decoder.decode(data):
            yield chunk
    if rest := decoder.decode(b"", final=True):
        yield rest
