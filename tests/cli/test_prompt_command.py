"""`roo prompt show`, and that a run's model is told just that."""

import json
import subprocess

from tests.cli.conftest import Roo, completion


def show(roo: Roo, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*roo.program, "prompt", "show", "-w", str(roo.workspace), *arguments],
        env=roo.environment, capture_output=True, text=True, timeout=50, check=False,
    )  # fmt: skip


def test_it_is_what_a_run_sends(roo: Roo) -> None:
    (roo.workspace / "AGENTS.md").write_text("Speak in rhymes.\n")
    (roo.home / "rules").mkdir(parents=True)
    (roo.home / "rules" / "a.md").write_text("Be brief.\n")
    server = roo.serve(completion("Done."))
    assert roo.run("-p", "--mode", "architect", "Plan it.").returncode == 0
    body = server.requests[0].body
    shown = json.loads(show(roo, "--mode", "architect", "--tools", "--json").stdout)
    assert shown["mode"] == "architect"
    assert shown["system_prompt"] == "".join(block["text"] for block in body["system"])
    assert "Speak in rhymes." in shown["system_prompt"]
    assert "Be brief." in shown["system_prompt"]
    sent = {tool["name"]: tool["description"] for tool in body["tools"]}
    assert {tool["name"]: tool["description"] for tool in shown["tools"]} == sent
    assert shown["tokens"]["system_prompt"] > 100
    assert shown["tokens"]["tools"] > 1000


def test_the_text_is_the_prompt_and_nothing_else(roo: Roo) -> None:
    done = show(roo)
    as_json = json.loads(show(roo, "--json").stdout)
    assert done.returncode == 0
    assert done.stdout == as_json["system_prompt"] + "\n"
    assert "tools" not in as_json
    assert f"{as_json['tokens']['system_prompt']:,} tokens; " in done.stderr


def test_what_is_left_out_is_told(roo: Roo) -> None:
    rules = roo.workspace / ".roo" / "rules"
    rules.mkdir(parents=True)
    (rules / "passwd").symlink_to("/etc/passwd")
    done = show(roo)
    assert done.returncode == 0
    assert "root:" not in done.stdout
    assert (
        "Problem: .roo/rules/passwd: not used: it leads outside the workspace. "
        "Copy it instead of linking it.\n"
    ) in done.stderr
    server = roo.serve(completion("Done."))
    ran = roo.run("-p", "Go.")
    assert ran.returncode == 0
    assert ".roo/rules/passwd: not used" in ran.stderr
    assert "root:" not in str(server.requests[0].body)


def test_a_mode_that_does_not_exist_is_an_error_that_names_those_that_do(roo: Roo) -> None:
    done = show(roo, "--mode", "cook")
    assert done.returncode == 1
    assert "There is no mode 'cook'. Modes: " in done.stderr
