"""Patterns mean what they mean to `re`, but never take for ever."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roo_code.config.file_pattern import BadPattern, FilePattern

ATOMS = st.sampled_from(
    ["a", "b", "/", ".", r"\.", r"\w", r"\d", r"\s", r"\W", "[ab]", "[^a]", "[a-c1]", r"[\w/]", "é"]
)
PLACES = st.sampled_from(["^", r"\b", r"\B", r"\Z"])
PATTERNS = st.recursive(
    ATOMS | PLACES,
    lambda inner: st.one_of(
        st.builds("{}{}".format, inner, inner),
        st.builds("(?:{}|{})".format, inner, inner),
        st.builds("({})".format, inner),
        st.builds("(?:{})?".format, inner),
        st.builds("(?:{})*?".format, inner),
        st.builds("(?:{})+".format, inner),
        st.builds("(?:{}){{1,3}}".format, inner),
        st.builds("(?={})".format, inner),
        st.builds("(?!{})".format, inner),
        st.builds("(?<=a[bc]){}".format, inner),
        st.builds("(?<!/){}".format, inner),
    ),
    max_leaves=8,
)


@given(PATTERNS, st.text("abc1/.é \n", min_size=1, max_size=12))
def test_a_pattern_means_what_it_means_to_re(pattern: str, path: str) -> None:
    wanted = re.search(pattern, path, re.ASCII) is not None
    assert FilePattern(pattern).matches(path) == wanted


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        (r"\.md$", "docs/a.md", True),
        (r"\.md$", "a.md\n", False),
        (r"\.md$", "a.mdx", False),
        (r"\.(md|mdx)$", "a.mdx", True),
        (r"^src/.*\.(js|ts)x?$", "src/a/b.tsx", True),
        (r"(__tests__\/.*|\.test\.(ts|tsx)$)", "a/b.test.ts", True),
        (r"^(?!.*secret).*\.py$", "a/secret.py", False),
        (r"(?<ext>ts|js)$", "a.ts", True),
        (r"^docs/(?:[^/]+/)*[^/]+\.md$", "docs/a/b/c.md", True),
        ("", "anything", True),
    ],
)
def test_what_people_write(pattern: str, path: str, matches: bool) -> None:
    assert FilePattern(pattern).matches(path) is matches


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|aa)*b", r"(.*)*(.*)*(.*)*x", r"(a*)*b"])
def test_what_keeps_re_busy_for_ever_is_decided(pattern: str) -> None:
    assert not FilePattern(pattern).matches("a" * 4_000 + "!")


def test_what_would_take_too_long_does_not_match() -> None:
    many_ways = FilePattern("(?:a{2000}|b)$")
    assert many_ways.matches("ab")
    assert not many_ways.matches("a" * 4_000 + "b")


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(", "no regular expression: missing )"),
        (r"(a)\1", "references to groups"),
        ("(?i)a", "flags"),
        ("(?i:a)", "flags"),
        ("(?<=a+)b", "must be of one length"),
        ("a{5000}", "too large"),
        ("((a{99}){99}){99}", "too large"),
        ("a" * 2_001, "longer than 2,000"),
        ("a{99999999999999999999}", "no regular expression"),
        ("(" * 600 + ")" * 600, "nested too deeply"),
    ],
)
def test_what_cannot_be_used_is_said(pattern: str, problem: str) -> None:
    with pytest.raises(BadPattern, match=re.escape(problem)):
        FilePattern(pattern)
