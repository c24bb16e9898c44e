"""Writing settings: nothing is lost, whoever else writes and whenever it is killed."""

import json
import random
import stat
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roo_code.config.documents import read_document
from roo_code.config.safe_files import locked
from roo_code.config.settings_file import SettingsFile
from roo_code.config.sources import SettingsFiles
from roo_code.errors import ConfigError
from tests.config.homes import Home
from tests.config.writers import Writer, writers

Step = dict[str, Any]


def data_of(path: Path) -> dict[str, Any]:
    document = read_document(path)
    assert document is not None
    return document.data


def renamed_mode(data: Step) -> Step:
    """A step as a later version might have it."""
    return {("role" if key == "mode" else key): value for key, value in data.items()}


def doubled(data: Step) -> Step:
    return {**data, "ttsSpeed": data.get("ttsSpeed", 1) * 2}


def test_a_new_file_is_for_its_owner_only_and_says_its_version(home: Home) -> None:
    SettingsFile(home.user_file).update({"mode": "ask"})
    assert home.user_file.read_text(encoding="utf-8") == (
        '{\n  "settingsVersion": 1,\n  "mode": "ask"\n}\n'
    )
    assert stat.S_IMODE(home.user_file.stat().st_mode) == 0o600


def test_comments_unknown_keys_and_rights_stay(home: Home) -> None:
    home.user('{\n\t// mine\n\t"unknown": {"a": 1}, // kept\n\t"mode": "ask"\n}\n')
    home.user_file.chmod(0o640)
    SettingsFile(home.user_file).update({"mode": "code", "language": "de"})
    assert home.user_file.read_text(encoding="utf-8") == (
        '{\n\t// mine\n\t"unknown": {"a": 1}, // kept\n\t"mode": "code",\n\t"language": "de"\n}\n'
    )
    assert stat.S_IMODE(home.user_file.stat().st_mode) == 0o640


def test_comments_of_yaml_stay(home: Home) -> None:
    text = "# mine\nmode: ask   # for now\nx:\n- 1\n# end\n"
    path = home.write(home.user_file.with_suffix(".yaml"), text)
    SettingsFile(path).update({"mode": "code"}, ["x"])
    assert path.read_text(encoding="utf-8") == "# mine\nmode: code   # for now\n# end\n"


def test_of_a_link_the_file_it_leads_to_is_changed(home: Home, tmp_path: Path) -> None:
    real = home.write(tmp_path / "dotfiles" / "roo.json", {"mode": "ask"})
    home.user_file.parent.mkdir(parents=True)
    home.user_file.symlink_to(real)
    SettingsFile(home.user_file).update({"mode": "code"})
    assert home.user_file.is_symlink()
    assert json.loads(real.read_bytes()) == {"mode": "code"}


def test_a_write_that_changes_nothing_does_not_touch_the_file(home: Home) -> None:
    home.user({"mode": "ask"})
    before = home.user_file.stat()
    SettingsFile(home.user_file).update({"mode": "ask"}, ["nothing"])
    assert home.user_file.stat() == before


@pytest.mark.requirement("config:secrets:separate")
@pytest.mark.parametrize(
    "values",
    [
        {"apiKey": "sk-planted"},
        {"openAiHeaders": {"Authorization": "sk-planted"}},
        {"unknownToken": "sk-planted"},
        {"openRouterBaseUrl": "https://me:sk-planted@proxy"},
    ],
)
def test_a_secret_is_never_written(home: Home, values: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        SettingsFile(home.user_file).update({"mode": "ask", **values})
    assert "planted" not in str(caught.value) + repr(caught.value) + caught.value.hint
    assert not home.user_file.exists()
    SettingsFile(home.user_file).update({"apiKey": "${env:MY_KEY}"})  # names one, and is none


def test_a_broken_file_is_left_as_it_is(home: Home) -> None:
    home.user('{"mode": "ask",\n')
    with pytest.raises(ConfigError, match="line 2"):
        SettingsFile(home.user_file).update({"mode": "code"})
    assert home.user_file.read_text(encoding="utf-8") == '{"mode": "ask",\n'


def test_a_folder_that_cannot_be_made_is_told_plainly(home: Home) -> None:
    home.write(home.path, "a file where the folder should be")
    with pytest.raises(ConfigError, match="cannot be written") as caught:
        SettingsFile(home.user_file).update({"mode": "code"})
    assert "ROO_HOME" in caught.value.hint


def test_a_writer_does_not_wait_for_ever(home: Home) -> None:
    home.user({})
    with locked(home.user_file), pytest.raises(ConfigError, match="locked"):
        locked(home.user_file, seconds=0.05).__enter__()


@pytest.mark.requirement("config:validation:migrate")
def test_an_older_file_is_upgraded_once_and_its_original_kept(home: Home) -> None:
    original = '{\n  // mine\n  "mode": "ask", // for now\n  "unknown": [1]\n}\n'
    home.user(original)
    files = SettingsFiles(home.path, None, home.environ, steps=(renamed_mode, doubled))
    first = files.read()
    ((_, document),) = first.documents
    assert document.data == {"role": "ask", "unknown": [1], "ttsSpeed": 2, "settingsVersion": 3}
    kept = home.user_file.with_name("settings.json.v1")
    assert kept.read_text(encoding="utf-8") == original
    upgraded = home.user_file.read_text(encoding="utf-8")
    assert "// mine" in upgraded
    again = SettingsFiles(home.path, None, home.environ, steps=(renamed_mode, doubled)).read()
    assert again.documents[0][1].data == document.data
    assert home.user_file.read_text(encoding="utf-8") == upgraded
    assert {*home.user_file.parent.iterdir()} == {kept, home.user_file}


@pytest.mark.requirement("config:validation:migrate")
def test_files_of_others_are_upgraded_as_they_are_read(home: Home) -> None:
    home.project({"mode": "ask"})
    files = SettingsFiles(home.path, home.workspace, home.environ, steps=(renamed_mode,))
    ((_, document),) = files.read().documents
    assert document.data["role"] == "ask"
    assert json.loads(home.project_file.read_bytes()) == {"mode": "ask"}


def test_a_newer_file_is_read_as_far_as_understood_and_never_written(home: Home) -> None:
    home.user({"settingsVersion": 9, "mode": "ask"})
    resolved = home.resolve()
    assert resolved.get("mode") == "ask"
    assert "newer version" in resolved.problems[0].message
    with pytest.raises(ConfigError, match="newer"):
        SettingsFile(home.user_file).update({"mode": "code"})


# several processes


@pytest.fixture(scope="module")
def two() -> Generator[list[Writer]]:
    with writers(2) as started:
        yield started


operations = st.lists(
    st.tuples(
        st.sampled_from(["set", "remove", "increase"]), st.sampled_from("abc"), st.integers(0, 9)
    ),
    max_size=5,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(operations, operations, st.sampled_from(["s.json", "s.yaml"]))
def test_two_processes_lose_nothing_of_each_other(
    two: list[Writer], first: list[Any], second: list[Any], name: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text('{"untouched": "x"}' if name == "s.json" else "untouched: x # c\n")
        expected: dict[str, Any] = {"untouched": "x"}
        increases = 0
        for writer, owner, steps in zip(two, "12", (first, second), strict=True):
            for step, letter, value in steps:
                key = owner + letter
                if step == "increase":
                    writer.send(do="increase", path=str(path), key="both")
                    increases += 1
                elif step == "set":
                    writer.send(do="set", path=str(path), values={key: value})
                    expected[key] = value
                else:
                    writer.send(do="set", path=str(path), values={}, remove=[key])
                    expected.pop(key, None)
        for writer, steps in zip(two, (first, second), strict=True):
            for _ in steps:
                writer.wait()
        if increases:
            expected["both"] = increases
        assert data_of(path) == expected


@pytest.mark.parametrize("name", ["settings.json", "settings.yaml"])
def test_a_kill_at_any_moment_leaves_the_old_file_or_the_new(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    chance = random.Random(7)
    sure = 0
    for _ in range(6):
        with writers(1) as (writer,):
            writer.send(do="count", path=str(path))
            writer.wait()
            time.sleep(chance.uniform(0, 0.05))
            sure += 1 + writer.kill()
        count = data_of(path)["count"]
        assert count in (sure, sure + 1)
        sure = count
    SettingsFile(path).update({"mode": "ask"})
    assert sorted(left.name for left in tmp_path.iterdir()) == [name]
