import pytest

from roo_code.providers.key_shapes import KeyScrubber, named_secrets

KEYS = [
    "sk-ant-api03-AbCdEf0123456789-AbCdEf0123456789_AA",
    "sk-abcdefghijklmnopqrstuvwxyz",
    "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
    "ya29.a0AfH6SMBx1y2z3-4w5v6u7t8s9r",
    "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "github_pat_11ABCDEFG0123456789_abcdefghijklmnop",
    "AKIAIOSFODNN7EXAMPLE",
    "xoxb-123456789012-abcdefABCDEF",
    "gsk_0123456789abcdefghijABCD",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.dBjftJeZ4CVP",
]
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize("key", [*KEYS, PEM])
def test_what_has_the_shape_of_a_key_is_hidden(key: str) -> None:
    assert KeyScrubber()(f"X='{key}', and so on") == "X='***', and so on"


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        ("Authorization: Bearer abc123def456", "Authorization: Bearer ***"),
        ("postgres://me:s3cret@db/x", "postgres://***@db/x"),
        ("-----BEGIN PRIVATE KEY-----\ncut off", "***"),
    ],
)
def test_only_the_secret_part_is_hidden(text: str, scrubbed: str) -> None:
    assert KeyScrubber()(text) == scrubbed


@pytest.mark.parametrize(
    "text",
    [
        "sk-fading-circle sk-toggleable__content task-force-2024-meeting",
        "Bearer authentication",
        "http://localhost:8080/a@b user@host:path",
        "AKIA and AIza alone; ghp_short",
        "toolu_01A09q90qw90lq917835lq9 call_abc123def456ghi789",
        "3f2a91bc-7c96-7f7c-98aa-2ec4ff7f6d87",
    ],
)
def test_what_only_resembles_one_is_left_alone(text: str) -> None:
    assert KeyScrubber()(text) == text


def test_known_values_are_hidden_whatever_they_look_like() -> None:
    scrub = KeyScrubber(["correct horse", 'with "quotes"', "short"])
    scrub.add(["correct horse battery"])
    assert scrub("correct horse battery") == "***"
    assert scrub("a correct horse") == "a ***"
    assert scrub('{"a": "with \\"quotes\\""}') == '{"a": "***"}'
    assert scrub("too short to be a key") == "too short to be a key"
    assert "horse" not in repr(scrub)


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
