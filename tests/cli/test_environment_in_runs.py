"""What a run's model is told of its surroundings, over the wire, and in a replay."""

from pathlib import Path

from tests.cli.conftest import Roo, calls, completion
from tests.cli.recordings import comparable_events, elsewhere


def test_the_model_is_told_once_of_files_and_mode(roo: Roo) -> None:
    server = roo.serve(calls(read_file={"path": "calc.py"}), completion("Read."))
    assert roo.run("-p", "Read it.").returncode == 0
    first = server.requests[0].body["messages"][0]["content"]
    assert [block["text"].partition("\n")[0] for block in first] == [
        "Read it.",
        "<environment_details>",
    ]
    assert f"Mode: code\nFiles in {roo.workspace}:\ncalc.py\n" in first[1]["text"]
    last = server.requests[1].body["messages"][-1]["content"]
    assert [block["type"] for block in last] == ["tool_result"], "nothing has changed"


def test_a_change_by_a_command_is_told_and_replayed(roo: Roo, tmp_path: Path) -> None:
    server = roo.serve(
        calls(read_file={"path": "calc.py"}),
        calls(execute_command={"command": "echo '# end' >> calc.py"}),
        calls(list_files={"path": "."}),
        completion("Seen."),
    )
    recording = str(tmp_path / "run.jsonl")
    done = roo.run("-p", "--approve", "all", "--record", recording, "Read it.")
    assert done.returncode == 0, done.stderr
    said = [str(request.body["messages"][-1]) for request in server.requests]
    assert ["Changed since you last saw them" in text for text in said] == [
        False, False, True, False,
    ]  # fmt: skip
    other = elsewhere(roo, tmp_path / "other")
    (other.workspace / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    again = other.run("-p", "--approve", "all", "--replay", recording, "--replay-strict")
    assert again.returncode == 0, again.stderr
    assert comparable_events(other)[1:] == comparable_events(roo)[1:]


def test_a_rooignore_hides_names_too(roo: Roo) -> None:
    (roo.workspace / ".rooignore").write_text("secret*\n")
    (roo.workspace / "secret-plan.txt").write_text("x")
    server = roo.serve(completion("Done."))
    assert roo.run("-p", "Go.").returncode == 0
    told = server.requests[0].body["messages"][0]["content"][1]["text"]
    assert "calc.py" in told
    assert "secret" not in told
