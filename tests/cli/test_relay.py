"""`--provider human-relay`: the prompt on the screen, the reply from the clipboard."""

from uuid import uuid4

import pytest

from roo_code.cli.main import run_cli
from tests.cli.conftest import Roo

WRITE = """\
I write it.
<write_to_file>
<path>made.txt</path>
<content>
<b>1 < 2</b>
</content>
</write_to_file>"""
DONE = "<attempt_completion>\n<result>It is made.</result>\n</attempt_completion>"


@pytest.mark.requirement("providers:humanrelay:by-hand")
def test_a_person_carries_prompts_out_and_replies_in(roo: Roo) -> None:
    roo.model = ("--provider", "human-relay")
    terminal = roo.terminal("--oneshot", "--approve", "all", "Make it.")
    terminal.wait_for("## write_to_file")
    terminal.wait_for("Make it.")
    terminal.wait_for("paste its reply, then a line /end")
    terminal.line(f"\n{WRITE}\n/end")
    terminal.wait_for("[write_to_file] Result:")
    terminal.wait_for("paste its reply, then a line /end")
    terminal.line(f"{DONE}\n/end")
    assert terminal.exit_code() == 0
    assert "It is made." in terminal.output
    made = roo.workspace / "made.txt"
    assert made.read_text(encoding="utf-8").strip() == "<b>1 < 2</b>"


def test_where_nobody_is_it_says_so(roo: Roo) -> None:
    roo.model = ("--provider", "human-relay")
    done = roo.run("-p", "Make it.")
    assert done.returncode != 0
    assert "Nobody is here to carry the prompt to a model" in done.stderr


def test_the_reply_can_be_given_to_the_parked_task(
    roo: Roo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    roo.model = ("--provider", "human-relay")
    task = str(uuid4())
    roo.run("-p", "--require-approval", "--create-with-session-id", task, "Make it.")
    monkeypatch.setenv("ROO_HOME", str(roo.home))
    assert run_cli(["tasks", "answer", task, DONE]) == 0
    assert run_cli(["tasks", "resume", task]) == 0
    assert "It is made." in capsys.readouterr().out
