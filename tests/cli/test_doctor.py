"""`roo doctor`: one line for each thing, with the remedy."""

import json
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from roo_code.config.secrets import SecretStore
from roo_code.events import RunCompleted
from roo_code.sandbox.detection import find_sandbox
from tests.cli.settings_cli import SettingsCli
from tests.cli.stored_tasks import database, spec, store_tasks


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ROO_SECRETS", "file")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.fixture
def roo(home: Path, capsys: pytest.CaptureFixture[str]) -> SettingsCli:
    return SettingsCli(capsys)


def findings(roo: SettingsCli, *arguments: str) -> dict[str, dict[str, Any]]:
    """By name; of several with one name the worst."""
    ran = roo("doctor", "--format", "json", *arguments)
    data = json.loads(ran.out)
    assert ran.code == (1 if data["broken"] else 0)
    order = ["ok", "note", "missing", "broken"]
    listed = sorted(data["findings"], key=lambda found: order.index(found["state"]))
    return {found["name"]: found for found in listed}


def broken(roo: SettingsCli, *arguments: str) -> dict[str, str]:
    found = findings(roo, *arguments)
    return {name: one["text"] for name, one in found.items() if one["state"] == "broken"}


def test_a_fresh_home_has_nothing_broken(roo: SettingsCli) -> None:
    ran = roo("doctor")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("ok       python       3.")
    assert lines[-1] == "Nothing is broken."
    assert {"git", "rg", "bwrap", "chromium", "keyring", "settings", "store"} <= {*findings(roo)}


def test_a_store_in_order_is_so(roo: SettingsCli, home: Path) -> None:
    store_tasks(home, [("aaaa1111", spec(), [RunCompleted(result="ok")])])
    found = findings(roo, "--thorough")
    assert found["store"]["text"] == "schema 1, 1 tasks, 2 records, whole"
    assert {found[name]["state"] for name in ("records", "leases", "times", "clock")} == {"ok"}


def test_what_is_missing_comes_with_the_way_to_get_it(
    roo: SettingsCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    found = findings(roo)
    assert found["git"]["state"] == "missing"
    assert found["git"]["fix"] == "apt install git."


def test_settings_secrets_and_rights_are_looked_at(roo: SettingsCli, home: Path) -> None:
    SecretStore().store_secret("apiKey", "sk-planted")
    settings = home / "settings" / "settings.json"
    settings.write_text('{"mode": 5}', encoding="utf-8")
    settings.chmod(0o666)
    profile = {"apiConfigs": {"x": {"id": "1"}}, "currentApiConfigName": "x"}
    (home / "settings" / "profiles.json").write_text(json.dumps(profile), encoding="utf-8")
    (home / "settings" / "secrets.json").write_text("{}", encoding="utf-8")
    found = broken(roo)
    assert "mode = 5: must be text" in found["settings"]
    assert "cannot be opened" in found["secrets"]
    assert str(home / "settings") in found["rights"]
    assert found["profile"] == "'x' names no service"
    shown = roo("doctor").out
    assert "sk-planted" not in shown
    assert f"chmod 600 {settings}" in shown


def test_a_setting_that_nobody_knows_is_a_note_and_breaks_nothing(
    roo: SettingsCli, home: Path
) -> None:
    (home / "settings").mkdir(parents=True)
    file = home / "settings" / "settings.json"
    file.write_text('{"diffEnabled": true, "nobodyKnows": 1}', encoding="utf-8")
    file.chmod(0o600)
    assert findings(roo)["settings"]["state"] == "note"
    assert roo("doctor").code == 0


def test_torn_records_are_found(roo: SettingsCli, home: Path) -> None:
    for task_id in ("gap", "end", "torn"):
        store_tasks(home, [(task_id, spec(), [RunCompleted(result="ok")] * 3)])
    with closing(database(home)) as db:
        db.execute("DELETE FROM events WHERE task_id = 'gap' AND seq = 2")
        db.execute("DELETE FROM events WHERE task_id = 'end' AND seq = 4")
        db.execute("UPDATE events SET body = '{' WHERE task_id = 'torn' AND seq = 3")
    text = broken(roo)["records"]
    assert all(task_id in text for task_id in ("gap", "end", "torn"))


def test_a_damaged_a_newer_and_an_older_store_are_told_apart(roo: SettingsCli, home: Path) -> None:
    store_tasks(home, [("aaaa1111", spec(), [])])
    path = home / "state" / "tasks.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version=99")
    assert "has schema 99" in broken(roo)["store"]
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version=0")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert findings(roo)["store"]["state"] == "ok"
    for name in path.parent.glob("tasks.sqlite3*"):
        name.unlink()
    path.write_bytes(b"not a database" * 1000)
    assert "cannot be read" in broken(roo)["store"]


def test_orphaned_leases_are_found_with_the_way_on(roo: SettingsCli, home: Path) -> None:
    store_tasks(home, [("aaaa1111", spec(), [])])
    with closing(database(home)) as db:
        db.execute(
            "INSERT INTO leases VALUES ('aaaa1111', 'elsewhere|1|1|x', 3, ?)", (time.time() - 5,)
        )
    found = findings(roo)["leases"]
    assert found["state"] == "note"
    assert found["fix"] == "Go on with one: roo tasks resume aaaa1111"


def test_records_from_the_future_are_found(roo: SettingsCli, home: Path) -> None:
    store_tasks(home, [("aaaa1111", spec(), [])])
    with closing(database(home)) as db:
        db.execute("UPDATE events SET at = ?", (time.time() + 5000,))
    assert "in the future" in broken(roo)["times"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_home_that_cannot_be_written_is_found(roo: SettingsCli, home: Path) -> None:
    home.mkdir()
    home.chmod(0o500)
    assert "cannot be written" in broken(roo)["disk"]


def test_what_the_sandbox_holds_is_said(roo: SettingsCli, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_sandbox().open is not None:
        lines = roo("doctor").out.splitlines()
        assert any("bubblewrap works here" in line for line in lines)
        monkeypatch.setenv("HOME", str(Path.cwd()))
        assert "holds your home folder" in roo("doctor").out
    monkeypatch.setenv("PATH", "/nowhere")
    found = findings(roo)["sandbox"]
    assert found["state"] == "missing"
    assert "all your rights: bubblewrap is not installed" in found["text"]
    assert found["fix"] == "apt install bubblewrap."


@pytest.mark.skipif(find_sandbox().open is None, reason="no sandbox works here")
def test_the_hosts_that_commands_reach_are_said(roo: SettingsCli) -> None:
    for key, value in (("sandbox", "auto"), ("sandboxNetwork", "hosts")):
        roo("config", "set", key, value)
    said = roo("doctor").out
    assert "commands run in it, with no hosts, for none are listed" in said
    assert "The network is off: sandboxHosts lists no hosts." in said
    roo("config", "set", "sandboxHosts", '["pypi.org", "*.npmjs.org"]')
    said = roo("doctor").out
    assert "commands run in it, with pypi.org, *.npmjs.org" in said
    assert "The network is off" not in said
    roo("config", "set", "sandboxHosts", '["https://pypi.org"]')
    assert "'https://pypi.org', which is not a host" in roo("doctor").out


def test_whether_a_task_could_be_started(roo: SettingsCli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_TOKEN"))]:
        monkeypatch.delenv(name)
    missing = findings(roo)["model"]
    assert (missing["state"], "no key in the environment" in missing["text"]) == ("missing", True)
    assert "Set ANTHROPIC_API_KEY" in missing["fix"]
    roo("profiles", "create", "work", "--provider", "anthropic", "-m", "claude-sonnet-4-5")
    assert "There is no API key for anthropic" in findings(roo)["model"]["text"]
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
    assert findings(roo)["model"]["text"] == "anthropic/claude-sonnet-4-5"
