from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roo_code.builtin_tools.terminal_text import TerminalText

DRAWING = (
    *("ab", "é", "\n", "\r", "\b", "\t", "\x07", "\r\n", "\n" * 30, "\x1b[K", "\x1b[1K", "\x1b[2K"),
    *(
        "\x1b[31m",
        "\x1b=",
        "\x1b[5G",
        "\x1b[3D",
        "\x1b[2C",
        "\x1b[2A",
        "\x1b[B",
        "\x1b[2E",
        "\x1b[F",
    ),
    *("\x1b[3;2H", "\x1b[4d", "\x1b[J", "\x1b[1J", "\x1b[2J", "\x1b7", "\x1b8", "\x1b[s", "\x1b[u"),
    *(
        "\x1bM",
        "\x1bc",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b]0;title\x07",
        "\x1b]8;;x\x1b\\",
        "\x1b(B",
    ),
)
OUTPUT = st.lists(st.sampled_from(DRAWING), max_size=30)


def shown(*pieces: str) -> str:
    screen = TerminalText()
    return "".join(screen.feed(piece) for piece in pieces) + screen.finish()


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("plain\ntext", "plain\ntext"),
        ("windows\r\nlines\r\n", "windows\nlines\n"),
        (" 10%\r 50%\r100%\ndone\n", "100%\ndone\n"),
        ("a long line\rshort", "shortg line"),
        ("a long line\r\x1b[Kshort", "short"),
        ("a long line\x1b[2K\rshort", "short"),
        ("\x1b[1;31mred\x1b[0m\x1b[m text", "red text"),
        ("\x1b]0;title\x07text\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "textlink"),
        ("spin |\b/\b-\b\\", "spin \\"),
        ("abcdef\x1b[4D\x1b[K", "ab"),
        ("ab\x1b[5Gcd", "ab  cd"),
        ("bell\x07 and nul\0", "bell and nul"),
        ("half an escape \x1b[3", "half an escape "),
        ("tab\tstays", "tab\tstays"),
        ("a 0%\nb 0%\n\x1b[2Aa 50%\x1b[K\nb 99%\x1b[K\ndone\n", "a 50%\nb 99%\ndone\n"),
        ("pull a\npull b\n\x1b[1A\x1b[2K\rb is there\n", "pull a\nb is there\n"),
        ("one\ntwo\nthree\x1b[3F\x1b[Jall gone\n", "all gone\n"),
        (
            "log\n\x1b7\x1b[40;1Hbar 10%\x1b8more\n\x1b7\x1b[40;1H\x1b[2K\x1b8end\n",
            "log\nmore\nend\n",
        ),
        ("old\n\x1b[H\x1b[2Jnew", "new"),
        ("old\x1bcnew", "new"),
        ("before\n\x1b[?1049hfull screen\x1b[?1049lafter\n", "before\nafter\n"),
        ("before\n\x1b[?1049h\x1b[Hkilled here", "before\n\nkilled here"),
        ("x\n" * 100 + "\x1b[3Ay\n", "x\n" * 97 + "y\nx\nx"),
    ],
)
def test_the_last_state_is_shown(output: str, text: str) -> None:
    assert shown(output) == text


@given(OUTPUT, st.lists(st.integers(0, 60)))
def test_where_output_is_cut_makes_no_difference(output: list[str], cuts: list[int]) -> None:
    text = "".join(output)
    ends = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    pieces = [text[a:b] for a, b in pairwise(ends)]
    assert shown(*pieces) == shown(text)


@given(st.text())
def test_no_control_code_gets_through(text: str) -> None:
    assert not {*shown(text)} & {*map(chr, range(32))} - {"\n", "\t"}


def test_a_line_that_never_ends_is_given_out_in_parts() -> None:
    screen = TerminalText()
    parts = [screen.feed("x" * 1000) for _ in range(100)]
    assert len(screen.pending) < 10_000
    assert "".join(parts) + screen.finish() == "x" * 100_000


def test_an_escape_that_never_ends_is_not_kept_forever() -> None:
    screen = TerminalText()
    for _ in range(100):
        screen.feed("\x1b]0;" + "x" * 1000)
    assert (screen.feed("\x07end\n") + screen.finish()).endswith("end\n")
