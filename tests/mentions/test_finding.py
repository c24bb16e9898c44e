"""What counts as a mention in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roo_code.mentions.finding import Mention, find_mentions


def found(*texts: str) -> list[tuple[str, str]]:
    return [(mention.kind, mention.value) for mention in find_mentions(texts)]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("@/a.py", "path", "a.py"),
        ("Look at @/src/a.py, please.", "path", "src/a.py"),
        ("line one\n@/src/", "path", "src"),
        ("@/my\\ notes/to\\ do.md!", "path", "my notes/to do.md"),
        ("All of @/", "path", "."),
        ("See @https://example.org/a?b=c#d.", "url", "https://example.org/a?b=c#d"),
        ("What of @git-changes?", "git-changes", ""),
        ("In @terminal:", "terminal", ""),
        ("Fix @problems", "problems", ""),
        ("Since @0123abc", "commit", "0123abc"),
        ("Since @" + "a" * 40 + ";", "commit", "a" * 40),
        ("/review main", "command", "review"),
        ("Then /do.it-now_2", "command", "do.it-now_2"),
    ],
)
def test_a_mention_is_found(text: str, kind: str, value: str) -> None:
    assert found(text) == [(kind, value)]


@pytest.mark.parametrize(
    "text",
    [
        "me@example.org", "\\@/a.py", "a@/b", "@name", "@", "@ftp://example.org/", "@0123ab",
        "@" + "a" * 41, "@0123ABC", "@git-changes-2", "read /etc/hosts", "a/b", "and/or", "//x", "",
    ],
)  # fmt: skip
def test_other_words_are_no_mentions(text: str) -> None:
    assert found(text) == []


def test_each_thing_is_found_once_in_the_order_of_the_text() -> None:
    assert found("/x @/b @/a @/b.", "@/a @terminal") == [
        ("command", "x"), ("path", "b"), ("path", "a"), ("terminal", ""),
    ]  # fmt: skip


def test_a_mention_knows_how_it_was_written() -> None:
    assert find_mentions(["@/a\\ b."]) == [Mention("path", "a b", "@/a\\ b")]


@given(st.text(alphabet="@/\\ .a\n0:!", max_size=60))
def test_whatever_is_found_stands_in_the_text(text: str) -> None:
    for mention in find_mentions([text]):
        assert mention.written in text
