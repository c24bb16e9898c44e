"""Whom the program itself connects to, seen by a hook in its own interpreter."""

from pathlib import Path

from tests.cli.conftest import Roo, calls, completion

HOOK = """
import sys


def seen(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        with open({log!r}, "a") as log:
            log.write(f"{{event}} {{arguments[-1] if event == 'socket.connect' else arguments}}\\n")


sys.addaudithook(seen)
"""


def test_a_run_connects_to_the_service_it_was_given_and_to_nothing_else(
    roo: Roo, tmp_path: Path
) -> None:
    log, hooks = tmp_path / "connections", tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text(HOOK.format(log=str(log)))
    (roo.workspace / "note.txt").write_text("see https://example.com/ and http://10.0.0.1/\n")
    server = roo.serve(
        calls(
            read_file={"path": "note.txt"},
            search_files={"path": ".", "regex": "see"},
            list_files={"path": "."},
            list_code_definition_names={"path": "calc.py"},
            execute_command={"command": "cat note.txt"},
            write_to_file={"path": "a.txt", "content": "https://example.com/\n"},
            update_todo_list={"todos": "[ ] https://example.com/"},
        ),
        completion("Done, see https://example.com/"),
    )
    done = roo.run("-p", "--approve", "all", "Look at @/note.txt", PYTHONPATH=str(hooks))
    assert done.returncode == 0, done.stderr
    assert len(server.requests) == 2
    here = server.url.removeprefix("http://").replace(":", "', ")
    lines = log.read_text().splitlines()
    assert [line for line in lines if line.startswith("socket.connect") and here in line]
    assert [line for line in lines if "('127.0.0.1'" not in line] == []
