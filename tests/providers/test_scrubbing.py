from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from roo_code.providers.scrubbing import Scrubber

KEY = "sk-secret-key-s"


def streamed(scrubber: Scrubber, *pieces: bytes) -> bytes:
    stream = scrubber.stream()
    return b"".join(map(stream.feed, pieces)) + stream.finish()


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = [0, *sorted({min(place, len(data)) for place in places}), len(data)]
    return [data[a:b] for a, b in pairwise(ends)]


def test_keys_and_secret_headers_are_hidden_in_text() -> None:
    hide = Scrubber(KEY, {"X-Api-Key": "header-key", "Authorization": "Bearer t0ken", "Host": "me"})
    assert hide(f"{KEY} header-key Bearer t0ken t0ken me") == "*** *** *** *** me"
    assert Scrubber(None, {})("text") == "text"


@given(
    st.lists(st.sampled_from([KEY, "sk-", "s", "-", "é", "\n", "key", "longer"]), max_size=20),
    st.lists(st.integers(0, 120)),
)
def test_where_a_stream_is_cut_makes_no_difference(parts: list[str], places: list[int]) -> None:
    hide = Scrubber(KEY, {"token": "s-longer", "cookie": f"{KEY}-longer"})
    text = "".join(parts)
    assert streamed(hide, *cut(text.encode(), places)) == hide(text).encode()


@given(st.binary(), st.lists(st.integers(0, 100)))
def test_other_bytes_come_through_as_they_are(data: bytes, places: list[int]) -> None:
    assert streamed(Scrubber(KEY, {}), *cut(data, places)) == data


def test_only_what_may_begin_a_secret_is_held_back() -> None:
    stream = Scrubber(KEY, {}).stream()
    assert stream.feed(b"Ready? ") == b"Ready? "
    assert stream.feed(b"It is sk-se") == b"It is "
    assert stream.feed(b"t up") == b"sk-set up"
    assert stream.feed(KEY.encode() + b"\n") == b"***\n"
    assert stream.finish() == b""


def test_a_secret_that_begins_like_a_longer_one_is_hidden_when_that_does_not_come() -> None:
    hide = Scrubber("abcd", {"token": "abcdef"})
    assert streamed(hide, b"abcd", b"ef.") == b"***."
    assert streamed(hide, b"abcd", b"xy.") == b"***xy."
    assert streamed(hide, b"abcd") == b"***"


def test_a_secret_shows_in_no_representation() -> None:
    hide = Scrubber(KEY, {})
    assert KEY not in repr(hide) + repr(hide.stream())
