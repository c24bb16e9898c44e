from pathlib import Path

import pytest

from roo_code.events import (
    Event,
    MessageAdded,
    RequestRetried,
    TextDelta,
    ToolFinished,
    ToolOutput,
    TurnStarted,
)
from roo_code.messages import Message, ToolResult
from roo_code.providers.places import Places, comparable
from roo_code.providers.translation import Translation

THERE = Places(
    {
        "workspace": "/home/al/proj",
        "home": "/home/al",
        "temp": "/tmp",
        "artifacts": "/home/al/.roo/state/artifacts/1",
    }
)
HERE = Places({"workspace": "/srv/x", "home": "/root", "temp": "/var/tmp", "artifacts": "/a/2"})


@pytest.mark.parametrize(
    ("text", "neutral"),
    [
        ("in /home/al/proj.", "in <workspace>."),
        ("/home/al/proj/a.py:3", "<workspace>/a.py:3"),
        ("-I/home/al/inc", "-I<home>/inc"),
        ("cd /home/al&&ls", "cd <home>&&ls"),
        ("/home/alice /home/al-2 /home/al.old", "/home/alice /home/al-2 /home/al.old"),
        ("/mnt/home/al", "/mnt/home/al"),
        ("file:///home/al/x", "file://<home>/x"),
        ("/home/al/.roo/state/artifacts/1/cmd-1763200000000000000.txt",
         "<artifacts>/cmd-<artifact>.txt"),
        ("/tmp/tmp.Ab3dEf6h1J and /tmp/tmpab3d_f6h", "<temporary> and <temporary>"),
        ("/tmp/notes.txt /tmp/build-output", "<temp>/notes.txt <temp>/build-output"),
        ("Ran 6 tests in 0.012s", "Ran 6 tests in <duration>s"),
        ("took 3.2 seconds, 4.5 GB", "took <duration> seconds, 4.5 GB"),
        ("<object object at 0x7f3a2b1c4d50> 0xdeadbeef", "<object object at <address>> 0xdeadbeef"),
        ("2026-01-02T03:04:05.678Z and 2026-01-02", "<time> and 2026-01-02"),
        ("as process group 4711; `kill -- -4711` ends it",
         "as process group <process>; `kill -- -<process>` ends it"),
        ("task 3f2a91bc-7c96-7f7c-98aa-2ec4ff7f6d87", "task <id>"),
        ("10.5 and 1.2.3", "10.5 and 1.2.3"),
    ],
)  # fmt: skip
def test_what_differs_from_run_to_run_is_made_the_same(text: str, neutral: str) -> None:
    assert THERE.neutral(text) == neutral


def test_the_root_folder_is_no_place() -> None:
    assert Places({"home": "/", "workspace": "/w"}).neutral("/a/b /w/x") == "/a/b <workspace>/x"


def test_here_is_where_we_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.setenv("HOME", "/home/me/")
    places = Places.here(tmp_path / "link", Path("/artifacts"))
    assert places.folders["workspace"] == str(tmp_path / "real")
    assert places.folders["home"] == "/home/me"


def test_replies_are_moved_to_where_we_are() -> None:
    move = Translation(THERE, HERE)
    assert move.text("cd /home/al/proj && ls /home/al/.cache /home/alice") == (
        "cd /srv/x && ls /root/.cache /home/alice"
    )
    assert move.text("/tmp/x /tmp/tmpab3d_f6h") == "/var/tmp/x /var/tmp/tmpab3d_f6h"


def test_json_is_moved_as_json() -> None:
    there = Places({"workspace": '/home/al/"ü"'})
    move = Translation(there, Places({"workspace": '/srv/a"b'}))
    for spelt in (r"/home/al/\"ü\"", r"/home/al/\"\u00fc\""):
        text = f'{{"path":"{spelt}/x"}}'
        edit = move.find_in_json(text)[0]
        assert text[: edit.start] + edit.text + text[edit.end :] == r'{"path":"/srv/a\"b/x"}'


def test_names_that_were_made_on_the_way_are_learnt_where_the_rest_agrees() -> None:
    move = Translation(THERE, HERE)
    told = "still running as process group {}; see {}/cmd-{}.txt, {}/{}"
    move.learn(
        told.format(11, THERE.folders["artifacts"], 1763200000000000001, "/tmp", "tmpaaaaaaaa"),
        told.format(77, HERE.folders["artifacts"], 1763200000000000999, "/var/tmp", "tmpbbbbbbbb"),
    )
    assert move.text("/home/al/.roo/state/artifacts/1/cmd-1763200000000000001.txt") == (
        "/a/2/cmd-1763200000000000999.txt"
    )
    assert move.text("rm -r /tmp/tmpaaaaaaaa/x") == "rm -r /var/tmp/tmpbbbbbbbb/x"
    assert move.text("kill -- -11; kill 11; line 11") == "kill -- -77; kill 77; line 11"


def test_places_that_one_side_lacks_are_left_alone() -> None:
    assert Translation(Places({}), HERE).text("/home/al/proj") == "/home/al/proj"
    assert Translation(THERE, Places({})).text("/home/al/proj") == "/home/al/proj"


def finished(id: str) -> ToolFinished:
    return ToolFinished(result=ToolResult(tool_use_id=id, content="/home/al/proj"))


def test_events_are_compared_without_what_is_a_matter_of_time() -> None:
    start = TurnStarted(turn=1)
    end = MessageAdded(message=Message.from_user("/home/al/proj"))
    one: list[Event] = [
        start,
        TextDelta(text="Hel"),
        TextDelta(text="lo"),
        RequestRetried(attempt=1, delay=0.5, error="busy", kind="Overloaded"),
        finished("b"),
        finished("a"),
        ToolOutput(tool_use_id="c", text="x"),
        ToolOutput(tool_use_id="d", text="y"),
        end,
    ]
    other: list[Event] = [
        start,
        TextDelta(text="Hello"),
        finished("a"),
        finished("b"),
        ToolOutput(tool_use_id="c", text="x"),
        ToolOutput(tool_use_id="d", text="y"),
        end,
    ]
    assert comparable(one, THERE) == comparable(other, THERE)
    assert comparable(one, THERE)[-1]["message"]["content"][0]["text"] == "<workspace>"
    assert comparable(one[:-1], THERE) != comparable(other, THERE)
