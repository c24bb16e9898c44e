import io
import tracemalloc
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roo_code.workspace import lines
from roo_code.workspace.lines import LineWindow, read_lines

TEXT = st.text(st.sampled_from("ab\u00e9\U0001f600\n\r\t"))


def window(first: int, last: int, *, longest: int = 1000, budget: int = 10**6) -> LineWindow:
    return LineWindow(first, last, longest=longest, budget=budget)


def reference(text: str) -> list[str]:
    *whole, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [*whole, rest] if rest else whole


@given(
    text=TEXT,
    encoding=st.sampled_from(["utf-8", "utf-16-le"]),
    first=st.integers(1, 6),
    count=st.integers(1, 6),
    chunk=st.integers(1, 7),
)
def test_a_window_holds_exactly_its_lines(
    text: str, encoding: str, first: int, count: int, chunk: int
) -> None:
    wanted = window(first, first + count - 1)
    with patch.object(lines, "_CHUNK", chunk):
        total = read_lines(io.BytesIO(text.encode(encoding)), encoding, [wanted])
    expected = reference(text)
    assert total == len(expected)
    assert wanted.lines == expected[first - 1 : first - 1 + count]


def test_several_windows_are_filled_in_one_pass() -> None:
    windows = [window(2, 3), window(9, 20)]
    assert read_lines(io.BytesIO(b"\n".join(b"%d" % n for n in range(10))), "utf-8", windows) == 10
    assert [w.lines for w in windows] == [["1", "2"], ["8", "9"]]


def test_of_a_long_line_only_the_beginning_is_kept() -> None:
    wanted = window(1, 2, longest=5)
    read_lines(io.BytesIO(b"a" * 100 + b"\nnext"), "utf-8", [wanted])
    assert wanted.lines == ["a" * 6, "next"]


def test_a_window_closes_when_it_holds_enough() -> None:
    wanted = window(1, 100, budget=10)
    total = read_lines(io.BytesIO(b"abcdef\n" * 50), "utf-8", [wanted])
    assert (total, wanted.lines) == (50, ["abcdef", "abcdef"])


@pytest.mark.parametrize("guess", ["utf-8", "gbk"])
def test_a_wrong_guess_of_the_encoding_is_reported(guess: str) -> None:
    with pytest.raises(UnicodeDecodeError):
        read_lines(io.BytesIO(b"h\xff\xffllo"), guess, [])


class Endless(io.RawIOBase):
    """A file of a given size that nobody had to store."""

    def __init__(self, size: int) -> None:
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        count = min(len(buffer), self._left)
        buffer[:count] = b"x" * count
        self._left -= count
        return count


def test_memory_does_not_grow_with_the_file() -> None:
    tracemalloc.start()
    try:
        total = read_lines(io.BufferedReader(Endless(64 << 20)), "utf-8", [window(1, 10**9)])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert total == 1
    assert peak < 4 << 20
