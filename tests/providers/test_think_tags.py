"""Reasoning written as tags before the answer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roo_code.providers.protocols.think_tags import ThinkTags


def split(*texts: str) -> tuple[str, str]:
    """The reasoning and the answer."""
    tags = ThinkTags()
    pieces = [piece for text in texts for piece in tags.feed(text)]
    pieces += tags.flush()
    said = {
        kind: "".join(text for k, text in pieces if k == kind) for kind in ("reasoning", "text")
    }
    return said["reasoning"], said["text"]


@pytest.mark.requirement("stream:reasoning:separate")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<think>Hm.</think>\n\nHi.", ("Hm.", "Hi.")),
        ("\n<think>\nHm.\n</think>Hi.", ("\nHm.\n", "Hi.")),
        ("<think></think>Hi.", ("", "Hi.")),
        ("Hi.", ("", "Hi.")),
        ("The tag <think>x</think> is.", ("", "The tag <think>x</think> is.")),
        ("<thinking>x", ("", "<thinking>x")),
        ("<think>cut off", ("cut off", "")),
        ("<think>a</thin", ("a</thin", "")),
        ("<thi", ("", "<thi")),
        ("<think>a</think>b</think>c", ("a", "b</think>c")),
        ("", ("", "")),
    ],
)
def test_only_tags_at_the_start_are_reasoning(text: str, expected: tuple[str, str]) -> None:
    assert split(text) == expected
    assert split(*text) == expected


@settings(deadline=None)
@given(st.text(alphabet="<>/thinkab \n", max_size=40), st.integers(1, 9))
def test_where_the_text_is_split_makes_no_difference(text: str, size: int) -> None:
    assert split(*(text[n : n + size] for n in range(0, len(text), size))) == split(text)
