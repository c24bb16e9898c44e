"""`roo --record`, `roo --replay` and `roo tasks record`, each as a process."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from roo_code.json_text import JsonValue
from roo_code.providers.recording import ToolResultLine, read_recording
from roo_code.testing.model_replies import Fault, ScriptedCall, ScriptedReply
from tests.cli.conftest import Roo, calls, completion
from tests.cli.recordings import (
    FIXED,
    comparable_events,
    elsewhere,
    fix,
    record_task,
    stored_events,
)

UUID = "018f7fc8-7c96-7f7c-98aa-2ec4ff7f6d87"


def call(id: str, name: str, **input: JsonValue) -> ScriptedCall:
    return ScriptedCall(id=id, name=name, input=input)


def turn(number: int, workspace: Path) -> ScriptedReply:
    """One of many that differ: what they write depends on what they read."""
    named = [
        call(f"a{number}", "execute_command", command=f"pwd; echo {number} >> log; cat log"),
        call(f"b{number}", "read_file", path=str(workspace / "calc.py")),
        call(f"c{number}", "execute_command", command=f"cd {workspace} && ls; echo $HOME"),
        call(f"d{number}", "write_to_file", path=f"out/{number}.txt", content=f"{workspace}\n"),
        call(f"e{number}", "execute_command", command='f=$(mktemp); echo "$f"; rm "$f"; false'),
        call(f"f{number}", "execute_command", command="python3 -c 'print(object())'"),
        call(f"g{number}", "read_file", path="nowhere.txt"),
        call(f"h{number}", "execute_command", command="rm -rf out"),
        call(f"i{number}", "execute_command", command="seq 1 3000"),
        call(f"j{number}", "ask_followup_question", question="Which?", follow_up=["red", "blue"]),
    ]
    made = [named[number % len(named)]]
    if number % 3 == 0:
        made += [call(f"x{number}", "read_file", path="calc.py")]
        made += [call(f"y{number}", "read_file", path="log")]
    return ScriptedReply(
        text=f"Step {number} in {workspace}/calc.py, said in pieces.",
        reasoning="Let me think about that." if number % 4 == 0 else "",
        tool_calls=tuple(made),
        chunk_size=7,
        faults=(Fault(kind="status", status=503, retry_after=0),) if number == 20 else (),
    )


def fifty_turns(workspace: Path) -> list[ScriptedReply]:
    done = f"All done in {workspace}."
    return [*(turn(number, workspace) for number in range(49)), completion(done)]


def recorded_task(roo: Roo, path: Path) -> Roo:
    """Fifty turns with real tools; commands run, but for one that is denied."""
    roo.serve(*fifty_turns(roo.workspace))
    done = roo.run("-p", *FLAGS, "--record", str(path), f"Work in {roo.workspace}.")
    assert done.returncode == 0, done.stderr
    return roo


FLAGS = ("--approve", "all", "--deny-command", "rm -rf", "--consecutive-mistake-limit", "0")


def test_fifty_turns_are_the_same_on_another_machine(roo: Roo, tmp_path: Path) -> None:
    recording = tmp_path / "fifty.jsonl"
    recorded_task(roo, recording)
    other = elsewhere(roo, tmp_path / "somewhere" / "else" / "entirely")
    done = other.run("-p", *FLAGS, "--replay", str(recording), "--replay-strict")
    assert done.returncode == 0, done.stderr
    assert "left the recording" not in done.stderr
    there, here = comparable_events(roo), comparable_events(other)
    assert json.dumps(here, indent=1) == json.dumps(there, indent=1)
    assert sum(event["type"] == "turn_started" for event in here) == 50
    assert str(tmp_path) not in json.dumps(here)
    written = (other.workspace / "out" / "3.txt").read_text(encoding="utf-8")
    assert written == f"{other.workspace}\n", "the model's paths are those of this machine"


def test_recorded_results_need_no_tools_and_no_approval(roo: Roo, tmp_path: Path) -> None:
    recording = tmp_path / "fifty.jsonl"
    recorded_task(roo, recording)
    other = elsewhere(roo, tmp_path / "other")
    done = other.run("-p", "--replay", str(recording), "--replay-tools", "--replay-strict",
                     "--consecutive-mistake-limit", "0")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [path.name for path in other.workspace.iterdir()] == ["calc.py"], "nothing was run"
    there, here = comparable_events(roo), comparable_events(other)
    assert json.dumps(here[1:], indent=1) == json.dumps(there[1:], indent=1)
    assert here[0]["spec"]["prompt"] == there[0]["spec"]["prompt"], "approval is another one"


def test_a_recording_made_afterwards_plays_the_same(roo: Roo, tmp_path: Path) -> None:
    live, after = tmp_path / "live.jsonl", tmp_path / "after.jsonl"
    recorded_task(roo, live)
    task_id, _ = stored_events(roo)
    made = record_task(roo, task_id[:8], after)
    assert made.returncode == 0, made.stderr
    assert made.stdout == f"{after}: 50 replies. To play it: roo --replay {after}\n"
    first, second = read_recording(live), read_recording(after)
    assert dict(second.requests()) == dict(first.requests())
    assert second.results == first.results
    assert second.header.model == first.header.model
    assert {chunk.milliseconds for line in second.replies.values() for chunk in line.chunks} == {0}
    other = elsewhere(roo, tmp_path / "other")
    done = other.run("-p", *FLAGS, "--replay", str(after), "--replay-strict")
    assert done.returncode == 0, done.stderr
    assert comparable_events(other) == comparable_events(roo)


def test_a_recording_is_one_private_file_with_everything_in_it(roo: Roo, tmp_path: Path) -> None:
    recording = tmp_path / "fix.jsonl"
    roo.serve(*fix())
    assert roo.run("-p", "--record", str(recording), "Fix calc.py").returncode == 0
    read = read_recording(recording)
    assert recording.stat().st_mode & 0o777 == 0o600
    assert (read.header.provider, read.header.model.id) == ("anthropic", "claude-sonnet-4-5")
    assert read.header.model.input_price is not None
    assert sorted(read.replies) == [0, 1, 2]
    results = [line for line in read.lines if isinstance(line, ToolResultLine)]
    assert [line.index for line in results] == [0, 1, 2]
    assert results[0].decision is not None
    assert results[0].decision.approved
    assert results[2].result.ends_run


def test_a_prompt_of_ones_own_is_a_difference(roo: Roo, tmp_path: Path) -> None:
    recording = tmp_path / "fix.jsonl"
    roo.serve(*fix())
    roo.run("-p", "--record", str(recording), "Fix calc.py")
    other = elsewhere(roo, tmp_path / "other")
    done = other.run("-p", "--replay", str(recording), "Mend calc.py")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(
        "Warning: At model call 1 the replay left the recording.\n"
        "--- recorded: message 1, user\n"
        "+++ asked: message 1, user\n"
        "@@ -1,4 +1,4 @@\n"
        " user\n"
        "-Fix calc.py\n"
        "+Mend calc.py\n"
    )
    assert done.stderr.count("left the recording") == 1
    assert (other.workspace / "calc.py").read_text(encoding="utf-8") == FIXED


def test_another_file_is_a_difference_which_may_end_the_run(roo: Roo, tmp_path: Path) -> None:
    recording = tmp_path / "fix.jsonl"
    roo.serve(*fix())
    roo.run("-p", "--record", str(recording), "Fix calc.py")
    other = elsewhere(roo, tmp_path / "other")
    (other.workspace / "calc.py").write_text("def add(a, b):\n    return a * b\n", encoding="utf-8")
    before = (other.workspace / "calc.py").read_bytes()
    done = other.run("-p", "--replay", str(recording), "--replay-strict")
    assert done.returncode == 1
    assert "Error: At model call 2 the replay left the recording.\n" in done.stderr
    assert "-2 |     return a - b\n+2 |     return a * b\n" in done.stderr
    assert (other.workspace / "calc.py").read_bytes() == before, "it ended before the edit"


def test_what_was_refused_is_refused_again(roo: Roo, tmp_path: Path) -> None:
    recording = tmp_path / "refused.jsonl"
    roo.serve(calls(execute_command={"command": "mkfifo made"}), completion("Could not."))
    assert roo.run("-p", "--record", str(recording), "Touch it").returncode == 0
    other = elsewhere(roo, tmp_path / "other")
    done = other.run("-p", "--approve", "all", "--replay", str(recording), "--replay-strict")
    assert done.returncode == 0, done.stderr
    assert not (other.workspace / "made").exists()


def test_a_recording_approves_nothing_by_itself(roo: Roo, tmp_path: Path) -> None:
    recording = tmp_path / "approved.jsonl"
    roo.serve(calls(execute_command={"command": "mkfifo made"}), completion("Made."))
    assert roo.run("-p", "--approve", "all", "--record", str(recording), "Touch").returncode == 0
    other = elsewhere(roo, tmp_path / "other")
    done = other.run("-p", "--replay", str(recording))
    assert done.returncode == 0
    assert not (other.workspace / "made").exists()
    assert "Warning: At model call 2 the replay left the recording." in done.stderr


def test_what_the_user_said_later_is_said_again(roo: Roo, tmp_path: Path) -> None:
    recording = tmp_path / "talk.jsonl"
    roo.serve("One.", completion("Two."), "Three.")
    assert roo.run("-p", "--record", str(recording), "Count").returncode == 0
    for _ in range(2):
        more = roo.run("-p", "--continue", "--record", str(recording), "And then?")
        assert more.returncode == 0, more.stderr
    other = elsewhere(roo, tmp_path / "other")
    done = other.run("-p", "--replay", str(recording), "--replay-strict")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "One.\n> And then?\n\nTwo.\n> And then?\nThree.\n"


def test_a_task_that_began_without_a_recording_is_recorded_from_its_beginning(
    roo: Roo, tmp_path: Path
) -> None:
    recording = tmp_path / "late.jsonl"
    roo.serve(*fix(), "It was the minus.")
    assert roo.run("-p", "Fix calc.py").returncode == 0
    more = roo.run("-p", "--continue", "--record", str(recording), "What was it?")
    assert more.returncode == 0, more.stderr
    other = elsewhere(roo, tmp_path / "other")
    (other.workspace / "calc.py").write_text("def add(a, b):\n    return a - b\n", encoding="utf-8")
    done = other.run("-p", "--replay", str(recording), "--replay-strict")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("> What was it?\nIt was the minus.\n")


def test_the_pace_is_the_recorded_one_or_a_multiple(roo: Roo, tmp_path: Path) -> None:
    recording = tmp_path / "slow.jsonl"
    slow = Fault(kind="slow", seconds=0.1)
    roo.serve(ScriptedReply(text="word " * 20, faults=(slow,)))
    assert roo.run("-p", "--record", str(recording), "Talk").returncode == 0
    other = elsewhere(roo, tmp_path / "other")

    def seconds(*speed: str) -> float:
        done = other.run("-p", "--output-format", "text", "--replay", str(recording), *speed)
        assert done.stdout.startswith("word word")
        return float(done.stderr.split(" · ")[3].removesuffix(" s"))

    assert seconds() < 0.5, "without a terminal nobody watches"
    assert seconds("--replay-speed", "1") > 0.8
    assert 0.2 < seconds("--replay-speed", "4") < 0.8


def test_a_replayed_task_that_was_killed_goes_on_with_the_right_reply(
    roo: Roo, tmp_path: Path
) -> None:
    recording = tmp_path / "wait.jsonl"
    waits = "echo started; while [ ! -e go ]; do sleep 0.05; done; echo over"
    roo.serve(
        calls("First.", read_file={"path": "calc.py"}),
        calls("Second.", execute_command={"command": waits}),
        calls("Third.", read_file={"path": "calc.py"}),
        completion("Fourth."),
    )
    (roo.workspace / "go").touch()
    done = roo.run("-p", "--approve", "all", "--record", str(recording), "Wait")
    assert done.returncode == 0, done.stderr
    other = elsewhere(roo, tmp_path / "other")
    begin = ("-p", "--approve", "all", "--replay", str(recording))
    running = other.start(*begin, "--create-with-session-id", UUID)
    assert running.stdout is not None
    while "started" not in running.stdout.readline():
        assert running.poll() is None
    running.kill()
    running.wait()
    again = other.run(*begin, "--session-id", UUID)
    assert again.returncode == 0, again.stderr
    assert again.stdout.splitlines()[-2:] == ["", "Fourth."]
    assert "Third." in again.stdout
    assert "First." not in again.stdout
    assert "interrupted" in again.stderr, "the result of the call that was killed is another one"


def test_a_recorded_task_that_was_killed_is_recorded_on(roo: Roo, tmp_path: Path) -> None:
    recording = tmp_path / "killed.jsonl"
    hangs = ScriptedReply(text="Alive.", faults=(Fault(kind="hang"),))
    server = roo.serve(calls("First.", read_file={"path": "calc.py"}), hangs)
    begin = ("-p", "--record", str(recording))
    running = roo.start(*begin, "--create-with-session-id", UUID, "Live")
    while len(server.requests) < 2:
        assert running.poll() is None
    running.kill()
    running.wait()
    with recording.open("ab") as file:
        file.write(b'{"type":"reply","index":1,"chu')
    done = roo.run(*begin, "--session-id", UUID)
    assert (done.returncode, done.stdout) == (0, "Alive.\n")
    other = elsewhere(roo, tmp_path / "other")
    played = other.run("-p", "--replay", str(recording), "--replay-strict")
    assert played.returncode == 0, played.stderr
    assert played.stdout.endswith("Alive.\n")


def test_a_run_without_recordings_loads_nothing_of_them(roo: Roo) -> None:
    roo.serve("Hi.")
    program = roo.command("-p", "hi")
    program[1:1] = ["-X", "importtime"]
    done = subprocess.run(
        program, env=roo.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=50, check=False,
    )  # fmt: skip
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}
    assert "roo_code.cli.run" in loaded
    assert not {name for name in loaded if "record" in name or "replay" in name}
    assert not loaded & {"roo_code.providers.places", "roo_code.providers.divergence"}
