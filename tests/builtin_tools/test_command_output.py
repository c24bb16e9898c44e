import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roo_code.builtin_tools import command_output
from roo_code.builtin_tools.command_output import CommandOutput, HeadAndTail, LiveText


def output(folder: Path, preview: int = 100) -> CommandOutput:
    return CommandOutput(lambda: folder / "made" / "cmd-1.txt", preview=preview)


def test_short_output_is_kept_in_memory_only(tmp_path: Path) -> None:
    printed = output(tmp_path)
    printed.write(b"short\n")
    printed.finish()
    assert (printed.preview(), printed.artifact, printed.complete) == ("short\n", None, True)
    assert list(tmp_path.iterdir()) == []


def test_long_output_is_kept_byte_for_byte(tmp_path: Path) -> None:
    printed = output(tmp_path)
    data = bytes(range(256)) * 50
    for start in range(0, len(data), 77):
        printed.write(data[start : start + 77])
    assert printed.artifact is not None
    assert printed.artifact.read_bytes() == data
    printed.finish()
    assert printed.saved == printed.total == len(data)
    assert not printed.complete


def test_the_preview_is_the_beginning_and_the_end(tmp_path: Path) -> None:
    printed = output(tmp_path, preview=20)
    printed.write(b"".join(b"%04d\n" % n for n in range(1000)))
    assert printed.preview() == "0000\n0001\n\n[...4980 characters omitted...]\n0998\n0999\n"
    printed.finish()


def test_characters_may_be_cut_by_reads_and_may_be_broken(tmp_path: Path) -> None:
    printed = output(tmp_path)
    for byte in "é€".encode() + b"\xff":
        printed.write(bytes([byte]))
    printed.write(b"\xe2\x82")
    printed.finish()
    assert printed.preview() == "é€\ufffd\ufffd"


def test_an_artifact_does_not_fill_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_output, "LARGEST_ARTIFACT", 1000)
    printed = output(tmp_path)
    for _ in range(30):
        printed.write(b"x" * 101)
    assert printed.artifact is not None
    assert printed.artifact.stat().st_size == printed.saved == 1000
    assert printed.total == 3030
    printed.finish()


def test_a_full_disk_is_survived(tmp_path: Path) -> None:
    (tmp_path / "made").write_bytes(b"in the way")
    printed = output(tmp_path)
    printed.write(b"x" * 200)
    printed.write(b"y" * 200)
    printed.finish()
    assert printed.artifact is None
    assert printed.preview().endswith("y" * 50)


def test_output_can_be_persisted_before_there_is_much_of_it(tmp_path: Path) -> None:
    printed = output(tmp_path)
    printed.write(b"one\n")
    printed.persist()
    printed.write(b"two\n")
    assert printed.artifact is not None
    assert printed.artifact.read_bytes() == b"one\ntwo\n"
    printed.finish()


def test_memory_does_not_grow_with_the_output() -> None:
    printed = CommandOutput(None, preview=10 * 1024)
    chunk = b"a line that is printed again and again\n" * 1600
    tracemalloc.start()
    try:
        for _ in range(200 * 2**20 // len(chunk)):
            printed.write(chunk)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert printed.total > 199 * 2**20
    assert peak < 3 << 20


@given(st.lists(st.text()), st.text(), st.integers(2, 50).map(lambda n: n * 2))
def test_nothing_is_left_out_that_has_room(texts: list[str], rest: str, most: int) -> None:
    kept = HeadAndTail(most)
    for text in texts:
        kept.add(text)
    whole = "".join(texts) + rest
    shown = kept.with_rest(rest)
    assert kept.is_whole(rest) == (len(whole) <= most)
    if len(whole) <= most:
        assert shown == whole
    else:
        half, omitted = most // 2, len(whole) - most
        marker = f"\n[...{omitted} characters omitted...]\n"
        assert shown == whole[:half] + marker + whole[-half:]


def test_a_watcher_sees_lines_as_they_grow() -> None:
    live = LiveText()
    assert live.take("wai") == "wai"
    assert live.take("waiting") == "ting"
    assert live.take("waiting") == ""
    live.add("waiting\nnext\n")
    assert live.take("") == "\nnext\n"


def test_a_watcher_sees_a_progress_bar_at_its_end() -> None:
    live = LiveText()
    assert live.take(" 10%") == " 10%"
    assert live.take(" 50%") == ""
    live.add("100%\n")
    assert live.take("done") == "\n100%\ndone"


def test_a_watcher_sees_a_progress_bar_that_has_ended_while_it_is_on_the_screen() -> None:
    live = LiveText()
    assert live.take("begin\n 10%") == "begin\n 10%"
    assert live.take("begin\n 50%") == ""
    assert live.take("begin\n100%\n") == "\n100%\n"
    assert live.take("begin\n100%\nend") == "end"


def test_a_watcher_sees_lines_that_are_redrawn_once_nothing_can_change_them() -> None:
    live = LiveText()
    assert live.take("a 0%\nb 0%\n") == "a 0%\nb 0%\n"
    assert live.take("a 9%\nb 9%\n") == ""
    live.add("a 100%\n")
    assert live.take("b 100%\n") == "\na 100%\nb 100%\n"


def test_a_watcher_is_not_flooded() -> None:
    live = LiveText()
    for _ in range(1000):
        live.add("x" * 1000)
    shown = live.take("")
    assert len(shown) < 40_000
    assert "not shown" in shown
    assert live.take("") == ""
