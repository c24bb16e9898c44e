"""Mentions, todo lists and users' tools through the whole program."""

from tests.builtin_tools.test_user_tools import GREET
from tests.cli.conftest import Roo, calls, completion


def test_the_model_is_sent_what_the_prompt_mentions(roo: Roo) -> None:
    server = roo.serve(completion("Seen."))
    done = roo.run("-p", "What of @/calc.py?")
    assert done.returncode == 0, done.stderr
    assert "read @/calc.py" in done.stdout + done.stderr
    content = server.requests[0].body["messages"][0]["content"]
    *said, environment = (block["text"] for block in content)
    assert said == [
        "What of @/calc.py?",
        "[read_file for 'calc.py']\nFile: calc.py\n1 | def add(a, b):\n2 |     return a - b",
    ]
    assert environment.startswith("<environment_details>\n")


def test_a_users_tool_is_called_and_a_projects_is_refused(roo: Roo) -> None:
    (roo.home / "tools").mkdir(parents=True)
    (roo.home / "tools" / "greet.py").write_text(GREET)
    (roo.home / "tools" / "broken.py").write_text("1 / 0\n")
    (roo.workspace / ".roo" / "tools").mkdir(parents=True)
    proof = roo.workspace / "ran"
    evil = f"open({str(proof)!r}, 'w').close()\n"
    (roo.workspace / ".roo" / "tools" / "evil.py").write_text(evil)
    server = roo.serve(calls(greet={"who": "Ada"}), completion("Done."))
    done = roo.run("--approve", "all", "-p", "Greet Ada.")
    assert done.returncode == 0, done.stderr
    assert "greet" in [tool["name"] for tool in server.requests[0].body["tools"]]
    assert "Hello, Ada!" in str(server.requests[1].body["messages"][-1])
    assert "broken.py" in done.stderr
    assert "ZeroDivisionError" in done.stderr
    assert "evil.py" in done.stderr
    assert "not trusted" in done.stderr
    assert not proof.exists()


def test_a_recording_with_mentions_is_replayed_as_it_was(roo: Roo) -> None:
    file = str(roo.home.parent / "recording.jsonl")
    roo.serve(calls(list_files={"path": "."}), completion("Seen."))
    assert roo.run("-p", "What of @/calc.py?", "--record", file).returncode == 0
    (roo.workspace / "calc.py").write_text("changed\n")
    roo.model = ()
    done = roo.run("-p", "--replay", file, "--replay-strict")
    assert done.returncode == 0, done.stderr
    assert "Seen." in done.stdout


def test_a_skill_is_read_and_so_are_the_files_beside_it(roo: Roo) -> None:
    folder = roo.home / "skills" / "greeting"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(
        "---\nname: greeting\ndescription: How to greet\n---\nAs in words.txt.\n"
    )
    (folder / "words.txt").write_text("Good day\n")
    server = roo.serve(
        calls(skill={"skill": "greeting"}),
        calls(read_file={"path": str(folder / "words.txt")}),
        completion("Done."),
    )
    assert roo.run("-p", "Greet.").returncode == 0
    told = str(server.requests[1].body["messages"][-1])
    assert "As in words.txt." in told
    assert f"Folder: {folder}" in told
    assert "1 | Good day" in str(server.requests[2].body["messages"][-1])
