"""What is taken for a key and what is not, in whole texts and in pieces."""

import base64
import random
import uuid
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roo_code.redaction import Redactor, named_secrets, redact
from tests.redaction.keys import KEYS, MIXED, texts_with_keys

HARMLESS = Path(__file__).with_name("harmless.txt").read_text(encoding="utf-8").splitlines()
WITH_KEYS = list(texts_with_keys())
KEY = "sk-secret-key-s"


def streamed(redactor: Redactor, *pieces: bytes) -> bytes:
    stream = redactor.stream()
    return b"".join(map(stream.feed, pieces)) + stream.finish()


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = [0, *sorted({min(place, len(data)) for place in places}), len(data)]
    return [data[a:b] for a, b in pairwise(ends)]


def test_the_corpora_are_large_enough_to_mean_something() -> None:
    assert len(WITH_KEYS) >= 100
    assert len(set(HARMLESS)) >= 100


@pytest.mark.parametrize(
    ("text", "without"), [(t, w) for _, t, w in WITH_KEYS], ids=[n for n, _, _ in WITH_KEYS]
)
def test_what_has_the_shape_of_a_key_is_hidden_and_nothing_else(text: str, without: str) -> None:
    assert redact(text) == without
    assert streamed(Redactor(), text.encode()) == without.encode()


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_resembles_one_is_left_alone(text: str) -> None:
    assert redact(text) is text


def test_hashes_ids_and_encoded_data_are_left_alone_however_many() -> None:
    chance = random.Random(7)
    data = chance.randbytes(60_000)
    ids = "\n".join(str(uuid.UUID(int=chance.getrandbits(128))) for _ in range(2_000))
    for text in (data.hex(), base64.b64encode(data).decode(), base64.b32encode(data).decode(), ids):
        assert redact(text) == text


def test_our_own_source_is_left_alone() -> None:
    sources = Path(__file__).parents[2].glob("roo_code/**/*.py")
    changed = [path.name for path in sources if redact(text := path.read_text()) != text]
    assert changed == []


def test_a_key_behind_an_escaped_line_break_is_hidden() -> None:
    assert (
        redact(f'{{"log": "first\\n{KEYS["openai"]}\\nlast"}}') == '{"log": "first\\n***\\nlast"}'
    )


def test_a_private_key_that_is_cut_off_is_hidden_to_its_end() -> None:
    assert redact("a\n-----BEGIN PRIVATE KEY-----\ncut off") == "a\n***"


def test_known_values_are_hidden_whatever_they_look_like() -> None:
    redactor = Redactor(["correct horse", 'with "quotes"', "short"])
    redactor.add(["correct horse battery"])
    assert redactor("correct horse battery") == "***"
    assert redactor("a correct horse") == "a ***"
    assert redactor('{"a": "with \\"quotes\\""}') == '{"a": "***"}'
    assert redactor("too short to be a key") == "too short to be a key"
    assert "horse" not in repr(redactor) + repr(redactor.stream())


def test_what_merely_looks_like_a_key_stays_where_only_known_ones_are_hidden() -> None:
    redactor = Redactor(["correct horse"])
    assert redactor.known(f"correct horse {KEYS['github classic']}") == (
        f"*** {KEYS['github classic']}"
    )


def test_keys_and_secret_headers_of_a_request_are_hidden_even_if_short() -> None:
    headers = {"X-Api-Key": "header-key", "Authorization": "Bearer t0ken", "Host": "me"}
    hide = Redactor.of_request(KEY, headers)
    assert hide(f"{KEY} header-key Bearer t0ken t0ken me") == "*** *** *** *** me"
    assert Redactor.of_request(None, {})("text") == "text"


def test_secrets_are_known_by_the_names_of_variables_and_headers() -> None:
    values = {
        "DEPLOY_PASSWORD": "hunter2-hunter2",
        "API_KEY_2": "second-key-value",
        "authorization": "Basic dXNlcjpwYXNz",
        "MAX_TOKEN": "20000000",
        "SSH_KEY": "/etc/hostname",
        "SECRET_STORE": "production",
        "PROJECT_KEY": "roo-code",
        "OTHER_SECRET": "correct-horse-battery",
        "HOME": "/home/me",
    }
    assert set(named_secrets(values)) == {
        "hunter2-hunter2",
        "second-key-value",
        "correct-horse-battery",
        "Basic dXNlcjpwYXNz",
        "dXNlcjpwYXNz",
    }


@given(
    st.lists(
        st.sampled_from([
            KEY, "sk-", "s", "-", "é", "\n", " ", '"', "key", "longer", "Bearer ", "https://",
            "me:pw@h", "API_KEY=", KEYS["jwt"], KEYS["rsa"], KEYS["github classic"], MIXED,
            "-----BEGIN ", "-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN CERTIFICATE-----",
        ]),
        max_size=12,
    ),
    st.lists(st.integers(0, 400)),
)  # fmt: skip
def test_where_a_stream_is_cut_makes_no_difference(parts: list[str], places: list[int]) -> None:
    redactor = Redactor([KEY, "s-longer", f"{KEY}-longer"])
    text = "".join(parts)
    assert streamed(redactor, *cut(text.encode(), places)) == redactor(text).encode()


@given(st.binary(), st.lists(st.integers(0, 100)))
def test_other_bytes_come_through_as_they_are(data: bytes, places: list[int]) -> None:
    assert streamed(Redactor([KEY]), *cut(data, places)) == data


def test_only_what_may_belong_to_a_key_is_held_back() -> None:
    stream = Redactor([KEY]).stream()
    assert stream.feed(b"Ready? ") == b"Ready? "
    assert stream.feed(b"It is sk-se") == b"It is "
    assert stream.feed(b"t up\n") == b"sk-set up\n"
    assert stream.feed(KEY.encode() + b"\n") == b"***\n"
    assert stream.feed(b"-----BEGIN PRIVATE KEY-----\nabc\n") == b""
    assert stream.feed(b"-----END PRIVATE KEY-----\n") == b"***\n"
    assert stream.finish() == b""


def test_the_end_of_a_word_that_comes_apart_is_no_key() -> None:
    assert (
        streamed(Redactor(), b"a ta", b"sk-force-2024-meeting\n") == b"a task-force-2024-meeting\n"
    )
    assert streamed(Redactor(), b"first\\n", KEYS["openai"].encode()) == b"first\\n***"


def test_a_word_without_end_is_not_held_back_for_ever() -> None:
    stream = Redactor().stream()
    assert len(stream.feed(b"sk-" + b"." * 5_000)) == 5_003


def test_a_secret_that_begins_like_a_longer_one_is_hidden_when_that_does_not_come() -> None:
    hide = Redactor(["abcdabcd", "abcdabcdef"])
    assert streamed(hide, b"abcdabcd", b"ef.") == b"***."
    assert streamed(hide, b"abcdabcd", b"xy.") == b"***xy."
    assert streamed(hide, b"abcdabcd") == b"***"
