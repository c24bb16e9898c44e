"""Frames as node-ipc 12 sends them, cut anywhere."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roo_code.ipc.frames import FrameReader, FrameTooLong, to_frame
from roo_code.ipc.wire import AckData, IpcMessage, TaskEvent, read_message

ACK = (
    b'{"type":"message","data":{"type":"Ack","origin":"server",'
    b'"data":{"clientId":"4d522565b58d","pid":26991,"ppid":26980}}}\x0c'
)
"""As a real server sent it."""


def test_a_frame_is_what_the_real_server_sends_to_the_byte() -> None:
    data = AckData(client_id="4d522565b58d", pid=26991, ppid=26980)
    assert to_frame(IpcMessage(kind="Ack", origin="server", data=data)) == ACK


def test_a_form_feed_in_a_text_does_not_end_the_frame() -> None:
    event = TaskEvent(event_name="taskDelegationCompleted", payload=("a", "b", "x\x0cy é 💻"))
    frame = to_frame(IpcMessage(kind="TaskEvent", origin="server", data=event))
    assert frame.count(b"\x0c") == 1
    assert "é 💻".encode() in frame
    message = read_message(frame[:-1])
    assert message is not None
    assert message.data == event


@given(
    frames=st.lists(
        st.binary(max_size=40).map(lambda data: data.replace(b"\x0c", b"")), max_size=8
    ),
    cuts=st.lists(st.integers(min_value=0, max_value=400), max_size=20),
)
def test_frames_are_whole_wherever_they_were_cut(frames: list[bytes], cuts: list[int]) -> None:
    sent = b"".join(frame + b"\x0c" for frame in frames)
    places = sorted({0, len(sent), *(min(cut, len(sent)) for cut in cuts)})
    reader = FrameReader()
    found = [f for a, b in pairwise(places) for f in reader.feed(sent[a:b])]
    assert found == frames


def test_a_frame_that_is_too_long_is_left_out_and_the_next_is_read() -> None:
    reader = FrameReader(longest=10)
    found = [f for data in (b"x" * 8, b"x" * 8, b"x\x0cshort\x0c") for f in reader.feed(data)]
    assert isinstance(found[0], FrameTooLong)
    assert "17 bytes" in str(found[0])
    assert found[1:] == [b"short"]


@pytest.mark.parametrize("size", [300_000, 3_000_000])
def test_large_frames_are_put_together_from_their_parts(size: int) -> None:
    sent = b"x" * size + b"\x0c"
    reader = FrameReader()
    parts = [sent[i : i + 1000] for i in range(0, len(sent), 1000)]
    assert [f for part in parts for f in reader.feed(part)] == [b"x" * size]
