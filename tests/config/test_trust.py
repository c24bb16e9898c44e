"""Consent is to one content, under one name, in one workspace, whatever happens to its file."""

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from roo_code.config.trust import TrustedContent, TrustStore, workspace_path
from roo_code.errors import ConfigError


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return TrustStore(tmp_path / "home")


CONTENT = TrustedContent("mcp_server", "weather", "/work/a", "ab" * 32, "runs: node server.js")


def test_nothing_is_trusted_before_somebody_said_so(store: TrustStore) -> None:
    assert not store.is_trusted(CONTENT)
    assert store.entries() == []
    store.grant(CONTENT)
    assert store.is_trusted(CONTENT)


@pytest.mark.parametrize(
    "other",
    [
        replace(CONTENT, digest="cd" * 32),
        replace(CONTENT, name="Weather"),
        replace(CONTENT, name="weather\u200b"),
        replace(CONTENT, workspace="/work/b"),
        replace(CONTENT, kind="skill"),
        replace(CONTENT, digest=""),
    ],
)
def test_another_content_name_workspace_or_kind_asks_again(
    store: TrustStore, other: TrustedContent
) -> None:
    store.grant(CONTENT)
    assert store.answer(other) is None


def test_what_is_shown_of_it_does_not_matter(store: TrustStore) -> None:
    store.grant(CONTENT)
    assert store.is_trusted(replace(CONTENT, shown="in other words"))


def test_of_a_name_the_last_answer_counts_and_an_older_content_asks_again(
    store: TrustStore,
) -> None:
    newer = replace(CONTENT, digest="cd" * 32)
    store.grant(CONTENT)
    store.grant(newer)
    assert store.is_trusted(newer)
    assert not store.is_trusted(CONTENT)
    store.refuse(newer)
    assert store.answer(newer) is False


def test_what_is_revoked_is_trusted_no_more(store: TrustStore) -> None:
    other = replace(CONTENT, name="other")
    store.grant(CONTENT)
    store.grant(other)
    assert [entry.name for entry in store.revoke(lambda entry: entry.name == "weather")] == [
        "weather"
    ]
    assert not store.is_trusted(CONTENT)
    assert store.is_trusted(other)
    assert store.revoke(lambda entry: entry.name == "weather") == []


def test_what_cannot_be_read_whole_cannot_be_granted(store: TrustStore) -> None:
    with pytest.raises(ConfigError, match="cannot be trusted"):
        store.grant(replace(CONTENT, digest=""))


def test_the_file_is_its_owners_alone_and_holds_nothing_of_what_was_shown(
    store: TrustStore,
) -> None:
    store.grant(CONTENT)
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert "server.js" not in store.path.read_text()


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"{",
        b"[]",
        b'{"version": 2, "entries": []}',
        b'{"version": 1, "entries": [{}]}',
        b"\xff",
    ],
)
def test_a_damaged_file_grants_nothing_and_is_left_as_it_is(
    store: TrustStore, damaged: bytes
) -> None:
    store.grant(CONTENT)
    store.path.write_bytes(damaged)
    assert not store.is_trusted(CONTENT)
    for change in (lambda: store.grant(CONTENT), lambda: store.revoke(lambda _: True)):
        with pytest.raises(ConfigError) as raised:
            change()
        assert "delete it and grant anew" in raised.value.hint
    assert store.path.read_bytes() == damaged


def test_a_file_that_others_may_write_grants_nothing(store: TrustStore) -> None:
    store.grant(CONTENT)
    store.path.chmod(0o666)
    assert not store.is_trusted(CONTENT)
    with pytest.raises(ConfigError, match="others than you may write"):
        store.entries()


def test_something_that_is_no_file_keeps_nobody_waiting(store: TrustStore) -> None:
    store.path.mkdir(parents=True)
    assert not store.is_trusted(CONTENT)
    with pytest.raises(ConfigError):
        store.entries()


def test_a_link_to_a_workspace_is_that_workspace(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert workspace_path(tmp_path / "link") == str(tmp_path / "real")
    assert workspace_path(tmp_path / "link" / ".." / "real") == str(tmp_path / "real")


GRANTING = """
import sys
from pathlib import Path
from roo_code.config.trust import TrustedContent, TrustStore
store = TrustStore(Path(sys.argv[1]))
for n in range(15):
    store.grant(TrustedContent("skill", f"{sys.argv[2]}-{n}", "/w", "ab" * 32))
"""


def test_no_grant_of_several_processes_is_lost(store: TrustStore) -> None:
    home = str(store.path.parent)
    granting = [
        subprocess.Popen([sys.executable, "-c", GRANTING, home, name]) for name in ("a", "b", "c")
    ]
    assert [process.wait(30) for process in granting] == [0, 0, 0]
    assert len({entry.name for entry in store.entries()}) == 45
    assert json.loads(store.path.read_bytes())["version"] == 1
