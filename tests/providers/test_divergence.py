from collections.abc import Sequence
from pathlib import Path

import pytest

from roo_code.errors import ProviderError, ReplayDiverged
from roo_code.messages import (
    ImageContent,
    Message,
    TextContent,
    ToolDefinition,
    ToolResult,
    ToolUseContent,
    Usage,
)
from roo_code.providers.base import ModelInfo, ModelRequest
from roo_code.providers.divergence import Comparison, Divergence
from roo_code.providers.places import Places
from roo_code.providers.recorder import RecordingProvider, RecordingWriter
from roo_code.providers.replaying import Replay, refuse
from roo_code.providers.translation import Translation
from roo_code.stream import ApiStream
from roo_code.testing.scripted_provider import ScriptedProvider

THERE = Places({"workspace": "/home/al/proj", "home": "/home/al"})
HERE = Places({"workspace": "/srv/x", "home": "/root"})
TOOL = ToolDefinition(name="read_file", description="Reads.", input_schema={"type": "object"})


def asks(
    *said: str | Message, prompt: str = "Be kind.", tools: Sequence[ToolDefinition] = (TOOL,)
) -> ModelRequest:
    messages = [one if isinstance(one, Message) else Message.from_user(one) for one in said]
    return ModelRequest(system_prompt=prompt, messages=tuple(messages), tools=tuple(tools))


def replies(*content: TextContent | ToolUseContent, usage: Usage | None = None) -> Message:
    return Message(role="assistant", content=content, usage=usage)


def compare(recorded: ModelRequest, asked: ModelRequest) -> list[Divergence]:
    found: list[Divergence] = []
    Comparison(THERE, HERE, Translation(THERE, HERE), found.append).check(3, recorded, asked)
    return found


def test_another_layout_is_no_difference() -> None:
    recorded = asks("Look at /home/al/proj/a.py", prompt="In /home/al/proj, 0.5 s")
    asked = asks("Look at /srv/x/a.py", prompt="In /srv/x, 0.75 s")
    assert compare(recorded, asked) == []


def test_what_nobody_reads_is_no_difference() -> None:
    said = TextContent(text="Hm.")
    recorded = asks("Go", replies(said, usage=Usage(input_tokens=1)), "On")
    assert compare(recorded, asks("Go", replies(said), "On")) == []


@pytest.mark.parametrize(
    ("asked", "diff"),
    [
        (asks("Go", prompt="Be brief."), "asked: system prompt"),
        (asks("Go", tools=()), "recorded: tool read_file"),
        (asks("Go", tools=[TOOL, ToolDefinition(name="x", description="", input_schema={})]),
         "asked: tool x"),
        (asks("Went"), "-Go\n+Went"),
        (asks("Go", replies(TextContent(text="Hm.")), "On"), "+++ asked: message 2, assistant"),
        (asks(Message.from_user("Go", [ImageContent(media_type="image/png", data="QUJD")])),
         "+(image/png, 4 characters, "),
    ],
)  # fmt: skip
def test_what_the_model_reads_is(asked: ModelRequest, diff: str) -> None:
    (found,) = compare(asks("Go"), asked)
    assert found.turn == 4
    assert diff in found.diff


def test_results_and_calls_are_held_against_each_other() -> None:
    def turn(content: str, command: str, *, failed: bool = False) -> ModelRequest:
        call = ToolUseContent(id="c1", name="execute_command", input={"command": command})
        result = ToolResult(tool_use_id="c1", content=content, is_error=failed)
        return asks("Go", replies(call), Message.from_tools([result]))

    assert compare(turn("ok", "ls"), turn("ok", "ls")) == []
    assert '-  "command": "ls"' not in compare(turn("ok", "ls"), turn("no", "ls"))[0].diff
    assert "-(result of c1) ok\n+(result of c1) no" in (
        compare(turn("ok", "ls"), turn("no", "ls"))[0].diff
    )
    assert "+(result of c1, failed) ok" in (
        compare(turn("ok", "ls"), turn("ok", "ls", failed=True))[0].diff
    )
    assert '+ "command": "pwd"' in compare(turn("ok", "ls"), turn("ok", "pwd"))[0].diff


def test_the_diff_is_short_and_told_once() -> None:
    found: list[Divergence] = []
    comparison = Comparison(THERE, HERE, Translation(THERE, HERE), found.append)
    long = "\n".join(f"{number} {'x' * 500}" for number in range(300))
    comparison.check(0, asks("Go"), asks(long))
    comparison.check(1, asks("Go"), asks("Otherwise"))
    (only,) = found
    lines = only.diff.splitlines()
    assert len(lines) == 41
    assert lines[-1] == "[265 more lines]"
    assert max(map(len, lines)) == 200
    assert str(only).startswith("At model call 1 the replay left the recording.\n--- recorded: ")


async def record(path: Path, *said: str) -> None:
    """A reply to each, every next with the ones before it in its history."""
    info = ModelInfo(id="m")
    writer = RecordingWriter(path, "scripted", info, places=THERE.folders)
    provider = RecordingProvider(ScriptedProvider(*map(reply_to, said), info=info), writer)
    for number in range(len(said)):
        await ApiStream(provider.stream(request(said, number))).get_final_message()
    writer.close()


def reply_to(said: str) -> str:
    return f"To {said} at /home/al/proj"


def request(said: Sequence[str], number: int, folder: str = "/home/al/proj") -> ModelRequest:
    messages: list[Message | str] = []
    for earlier in said[:number]:
        reply = reply_to(earlier).replace("/home/al/proj", folder)
        messages += [f"{earlier} {folder}", replies(TextContent(text=reply))]
    return asks(*messages, f"{said[number]} {folder}")


async def test_a_replay_moves_its_replies_and_tells_of_the_first_difference(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.jsonl"
    await record(path, "one", "two", "three")
    found: list[Divergence] = []
    task = Replay(path, speed=0, tell=found.append).task("t", "one", HERE, is_subtask=False)
    said = ("one", "2", "three")
    for number in range(3):
        stream = ApiStream(task.provider.stream(request(said, number, "/srv/x")))
        reply = await stream.get_final_message()
        assert reply.text == f"To {('one', 'two', 'three')[number]} at /srv/x"
        assert bool(found) == (number > 0)
    assert [one.turn for one in found] == [2]
    assert "-two <workspace>\n+2 <workspace>" in found[0].diff


async def test_a_strict_replay_ends_at_the_first_difference(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    await record(path, "one")
    task = Replay(path, tell=refuse).task("t", "one", HERE, is_subtask=False)
    with pytest.raises(ReplayDiverged, match="At model call 1") as caught:
        await ApiStream(task.provider.stream(request(["other"], 0))).get_final_message()
    assert not caught.value.retryable
    assert caught.value.hint


async def test_subtasks_find_their_own_replies_by_their_orders(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    info = ModelInfo(id="m")
    writer = RecordingWriter(path, "scripted", info, places=THERE.folders)
    for label, order in ((None, "all"), ("s-1", "left"), ("s-2", "right"), ("s-3", "left")):
        said = f"{order} of {label}"
        provider = RecordingProvider(ScriptedProvider(said, info=info), writer, label)
        await ApiStream(provider.stream(asks(f"{order} in /home/al/proj"))).get_final_message()
    writer.close()
    replay = Replay(path, speed=0)
    for task_id, order, said in (
        ("main", "whatever", "all of None"),
        ("n-1", "right in /srv/x", "right of s-2"),
        ("n-2", "left in /srv/x", "left of s-1"),
        ("n-3", "left in /srv/x", "left of s-3"),
        ("n-1", "right in /srv/x", "right of s-2"),
    ):
        task = replay.task(task_id, order, HERE, is_subtask=task_id != "main")
        assert (await ApiStream(task.provider.stream(asks(order))).get_final_message()).text == said
    none = replay.task("n-4", "left in /srv/x", HERE, is_subtask=True)
    with pytest.raises(ProviderError, match="holds 0 replies"):
        await ApiStream(none.provider.stream(asks("left"))).get_final_message()
