"""Secrets: in the keyring or an encrypted file, for several processes, and never in the open."""

import base64
import json
import random
import stat
import time
import traceback
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail
from keyring.errors import KeyringLocked

from roo_code.config.keyring_vault import SERVICE, KeyringVault
from roo_code.config.secrets import SecretStore
from roo_code.errors import ConfigError
from tests.config.homes import Home
from tests.config.writers import writers

PLANTED = "sk-planted-0123456789"


class MemoryKeyring(KeyringBackend):
    priority = 5  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.entries: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise KeyringLocked(f"no {PLANTED}")
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]


@pytest.fixture
def ring(home: Home) -> Generator[MemoryKeyring]:
    before = keyring.get_keyring()
    made = MemoryKeyring()
    keyring.set_keyring(made)
    home.environ.pop("ROO_SECRETS")
    yield made
    keyring.set_keyring(before)


@pytest.fixture
def no_ring(home: Home) -> Generator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(fail.Keyring())
    home.environ.pop("ROO_SECRETS")
    yield
    keyring.set_keyring(before)


@pytest.mark.requirement("config:secrets:store", "security:local:encryption")
def test_without_a_keyring_secrets_lie_encrypted_in_a_file_of_their_owner(
    home: Home, no_ring: None
) -> None:
    home.secrets().store_secret("apiKey", PLANTED)
    assert home.secrets().get("apiKey") == PLANTED
    for path, content in home.contents().items():
        assert PLANTED.encode() not in content
        assert base64.b64encode(PLANTED.encode()) not in content
        assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600
    assert "a key that lies beside it" in home.secrets().describe()


@pytest.mark.requirement("config:secrets:store")
def test_where_there_is_a_keyring_it_keeps_them(home: Home, ring: MemoryKeyring) -> None:
    store = home.secrets()
    store.store_secret("apiKey", PLANTED)
    assert json.loads(ring.entries[SERVICE, str(home.path)]) == {"apiKey": PLANTED}
    assert home.contents() == {}
    assert home.secrets().get("apiKey") == PLANTED
    assert "operating system's keyring" in store.describe()
    store.store_secret("apiKey")
    assert ring.entries == {}


def test_a_keyring_that_comes_later_takes_the_secrets_over(home: Home, ring: MemoryKeyring) -> None:
    home.environ["ROO_SECRETS"] = "file"
    home.secrets().store_secrets({"apiKey": "old", "mistralApiKey": "m"})
    del home.environ["ROO_SECRETS"]
    assert home.secrets().get("apiKey") == "old"
    home.secrets().store_secret("apiKey", "new")
    assert home.secrets().all() == {"apiKey": "new", "mistralApiKey": "m"}
    assert json.loads(ring.entries[SERVICE, str(home.path)])["mistralApiKey"] == "m"


def test_a_keyring_that_refuses_is_told_without_its_words(home: Home, ring: MemoryKeyring) -> None:
    ring.locked = True
    with pytest.raises(ConfigError, match="KeyringLocked") as caught:
        home.secrets().get("apiKey")
    assert PLANTED not in "".join(traceback.format_exception(caught.value))
    ring.locked = False
    ring.entries[SERVICE, str(home.path)] = "not json"
    with pytest.raises(ConfigError, match="damaged"):
        home.secrets().get("apiKey")


def test_keyrings_that_keep_nothing_or_plain_text_do_not_count(home: Home, no_ring: None) -> None:
    assert KeyringVault(home.path).backend() == ""
    home.environ["ROO_SECRETS"] = "keyring"
    with pytest.raises(ConfigError, match="no keyring"):
        home.secrets().store_secret("apiKey", "x")


@pytest.mark.requirement("config:secrets:delete")
def test_storing_without_a_value_deletes(home: Home) -> None:
    store = home.secrets()
    store.store_secret("apiKey", "x")
    store.storeSecret("mistralApiKey", "y")
    store.storeSecret("apiKey")
    store.store_secret("never there")
    assert home.secrets().all() == {"mistralApiKey": "y"}


def test_a_passphrase_locks_the_file(home: Home) -> None:
    home.environ["ROO_PASSPHRASE"] = "correct horse"
    home.secrets().store_secret("apiKey", PLANTED)
    assert home.secrets().get("apiKey") == PLANTED
    assert home.secrets().describe().endswith("encrypted with your passphrase.")
    assert [path for path in home.contents() if path.endswith(".key")] == []
    home.environ["ROO_PASSPHRASE"] = "wrong"
    with pytest.raises(ConfigError, match="passphrase does not open"):
        home.secrets().get("apiKey")
    with pytest.raises(ConfigError, match="passphrase does not open"):
        home.secrets().store_secret("apiKey", "another")
    del home.environ["ROO_PASSPHRASE"]
    with pytest.raises(ConfigError, match="locked with a passphrase") as caught:
        home.secrets().get("apiKey")
    assert "ROO_PASSPHRASE" in caught.value.hint
    asked: list[str] = []
    store = SecretStore(
        home.path, environ=home.environ, ask=lambda: asked.append("?") or "correct horse"
    )
    assert store.get("apiKey") == PLANTED
    assert store.get("apiKey") == PLANTED
    assert asked == ["?"]  # once


def altered(key: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda file: {**file, key: change(file[key])}


def added(**members: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda file: {**file, **members}


def flipped(text: str) -> str:
    raw = bytearray(base64.b64decode(text))
    raw[len(raw) // 2] ^= 1
    return base64.b64encode(raw).decode()


@pytest.mark.parametrize("passphrase", ["", "correct horse"])
@pytest.mark.parametrize(
    "tamper",
    [
        altered("data", flipped),
        altered("nonce", flipped),
        altered("nonce", lambda _: ""),
        altered("check", flipped),
        altered("data", lambda text: text[:-8]),
        altered("version", lambda _: 2),
        added(extra=1),
        added(data=None),
        added(key_id="../../x"),
        added(n=1 << 30, salt="AAAA", r=8, p=1),
    ],
)
def test_a_change_of_the_file_is_noticed(
    home: Home, passphrase: str, tamper: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    home.environ["ROO_PASSPHRASE"] = passphrase
    home.secrets().store_secret("apiKey", PLANTED)
    file = json.loads(home.secrets_file.read_bytes())
    home.secrets_file.write_text(json.dumps(tamper(file)), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        home.secrets().all()
    assert caught.value.hint
    shown = "".join(traceback.format_exception(caught.value))
    assert PLANTED not in shown
    assert "correct horse" not in shown


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"\xff"])
def test_a_damaged_file_is_told_plainly(home: Home, raw: bytes) -> None:
    home.write(home.secrets_file, "")
    home.secrets_file.write_bytes(raw)
    with pytest.raises(ConfigError, match="cannot be opened"):
        home.secrets().all()


def test_a_lost_key_is_told_plainly(home: Home) -> None:
    home.secrets().store_secret("apiKey", PLANTED)
    (key,) = home.secrets_file.parent.glob("*.key")
    key.unlink()
    with pytest.raises(ConfigError, match="is missing or damaged"):
        home.secrets().all()
    key.write_text(base64.b64encode(bytes(32)).decode(), encoding="ascii")
    with pytest.raises(ConfigError, match="is not its key"):
        home.secrets().all()


def test_rotation_changes_the_key_and_keeps_the_secrets(home: Home) -> None:
    store = home.secrets()
    with pytest.raises(ConfigError, match="no file of secrets"):
        store.rotate()
    store.store_secret("apiKey", PLANTED)
    before = home.contents()
    store.rotate()
    after = home.contents()
    assert len(after) == len(before) == 2
    assert not {*before.values()} & {*after.values()}
    assert home.secrets().get("apiKey") == PLANTED
    store.rotate("a new passphrase")
    assert [path for path in home.contents() if path.endswith(".key")] == []
    home.environ["ROO_PASSPHRASE"] = "a new passphrase"
    assert home.secrets().get("apiKey") == PLANTED


def test_each_write_uses_a_fresh_nonce(home: Home) -> None:
    store = home.secrets()
    nonces: set[str] = set()
    for number in range(5):
        store.store_secret("apiKey", str(number))
        nonces.add(json.loads(home.secrets_file.read_bytes())["nonce"])
    assert len(nonces) == 5


def test_several_processes_lose_nothing_of_each_other(home: Home) -> None:
    with writers(2) as two:
        for number in range(15):
            for name, writer in zip("ab", two, strict=True):
                writer.send(do="secret", path=str(home.path), key=f"{name}{number}", value="x")
        for writer in two:
            for _ in range(15):
                writer.wait()
    assert len(home.secrets().all()) == 30


@pytest.mark.parametrize("work", ["secrets", "rotate"])
def test_a_kill_at_any_moment_leaves_secrets_that_open(home: Home, work: str) -> None:
    home.secrets().store_secrets({"one": "0", "two": "0"})
    chance = random.Random(3)
    for _ in range(4):
        with writers(1) as (writer,):
            writer.send(do=work, path=str(home.path))
            writer.wait()
            for _ in range(3):  # readers need no lock
                secrets = home.secrets().all()
                assert secrets["one"] == secrets["two"]
                time.sleep(chance.uniform(0, 0.02))
            writer.kill()
        secrets = home.secrets().all()
        assert secrets["one"] == secrets["two"]
