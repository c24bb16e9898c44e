"""What MCP servers ask, at a real terminal, with the reference server that asks for everything."""

from __future__ import annotations

import json
import os
import signal
import subprocess

from roo_code.json_text import JsonValue
from roo_code.testing.model_replies import ScriptedReply
from tests.cli.conftest import Roo, calls, completion, serving
from tests.cli.terminal import CTRL_C
from tests.mcp_client.hubs import needs_node, node_server, small

ALL = ("--approve", "all")
TASK = "018f7fc8-7c96-7f7c-98aa-2ec4ff7f6d87"


def use(tool: str, server: str = "e", **arguments: JsonValue) -> ScriptedReply:
    return calls(use_mcp_tool={"server_name": server, "tool_name": tool, "arguments": arguments})


def name_servers(roo: Roo) -> None:
    roo.home.mkdir()
    servers = {"e": node_server("everything"), "a": small()}
    (roo.home / "mcp-settings.json").write_text(
        json.dumps({"mcpServers": servers}), encoding="utf-8"
    )


@needs_node
def test_a_form_is_filled_in_field_by_field(roo: Roo) -> None:
    name_servers(roo)
    model = roo.serve(use("trigger-elicitation-request"), completion("Filled in."))
    terminal = roo.terminal(*ALL, "fill in the form")
    terminal.wait_for("MCP server e asks: ")
    terminal.wait_for("(1 of 13) String")
    for said in ("Ada Lovelace", "1", "/default", "/skip", "/skip", "/skip", "0", "7", "1.5"):
        terminal.wait_for("answer: ")
        terminal.line(said)
    for said in ("3", "Piano, bass", "/default", "/default", "/default"):
        terminal.wait_for("answer: ")
        terminal.line(said)
    terminal.wait_for("Filled in.")
    result = str(model.requests[1].body["messages"][-1])
    for value in ("Ada Lovelace", "It was a dark", "Joey", "Bass", "1.5"):
        assert value in result
    assert "It must be at least 1." in terminal.output


@needs_node
def test_the_model_is_asked_for_a_server_only_if_the_user_allows_it(roo: Roo) -> None:
    name_servers(roo)
    want = use("trigger-sampling-request", prompt="Write a poem.", maxTokens=30)
    conversations = {
        "poem": ["Roses are red."],
        "have it": [want, want, completion("It is written.")],
    }
    model = roo.exits.enter_context(serving({"conversations": conversations}))
    roo.model = ("--provider", "anthropic", "--base-url", model.url)
    terminal = roo.terminal(*ALL, "have it written")
    terminal.wait_for("MCP server e wants to ask your model, at your cost:")
    terminal.wait_for("Write a poem.")
    terminal.wait_for("answer: ")
    terminal.line("yes")
    terminal.wait_for("the model was asked for MCP server e: ")
    terminal.wait_for("wants to ask your model")
    terminal.wait_for("answer: ")
    terminal.line("no")
    terminal.wait_for("It is written.")
    _, aside, after, refused = model.requests
    assert aside.body["max_tokens"] == 30
    assert "tools" not in aside.body
    assert "Roses are red." in str(after.body["messages"][-1])
    assert "did not allow" in str(refused.body["messages"][-1])
    assert model.problems() == []


@needs_node
def test_an_address_is_shown_and_not_opened(roo: Roo) -> None:
    name_servers(roo)
    visit = use("trigger-url-elicitation", url="https://example.org/consent", message="Agree.")
    roo.serve(visit, completion("Declined."))
    terminal = roo.terminal(*ALL, "agree")
    terminal.wait_for("open this address: https://example.org/consent")
    terminal.wait_for("answer: ")
    terminal.line("/decline")
    terminal.wait_for("Declined.")


def test_where_nobody_is_there_it_is_declined_and_the_model_reads_why(roo: Roo) -> None:
    name_servers(roo)
    model = roo.serve(use("inquire", "a"), use("have_written", "a"), completion("Done."))
    done = roo.run("-p", *ALL, "ask")
    assert done.returncode == 0, done.stderr
    told = [str(request.body["messages"][-1]) for request in model.requests[1:]]
    assert all("Nobody is here to answer, so it was declined." in text for text in told)
    assert len(model.requests) == 3


def test_another_terminal_may_answer(roo: Roo) -> None:
    name_servers(roo)
    roo.serve(use("inquire", "a"), completion("Done."))
    terminal = roo.terminal(*ALL, "--create-with-session-id", TASK, "ask")
    terminal.wait_for("answer: ")
    other = subprocess.run(
        [*roo.program, "tasks", "answer", TASK, "Ada"],
        env=roo.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert other.returncode == 0, other.stderr
    terminal.wait_for("(answered: Ada)")
    terminal.wait_for("Done.")


def test_ctrl_c_ends_the_wait(roo: Roo) -> None:
    name_servers(roo)
    roo.serve(use("inquire", "a"))
    terminal = roo.terminal(*ALL, "ask")
    terminal.wait_for("answer: ")
    terminal.send(CTRL_C)
    terminal.wait_for("Resume with")
    assert terminal.exit_code() == 130


def test_a_killed_terminal_leaves_an_interrupted_call(roo: Roo) -> None:
    name_servers(roo)
    model = roo.serve(use("inquire", "a"), completion("Went on."))
    terminal = roo.terminal(*ALL, "--create-with-session-id", TASK, "ask")
    terminal.wait_for("answer: ")
    os.kill(terminal.process.pid, signal.SIGKILL)
    terminal.exit_code()
    done = roo.run("-p", "--session-id", TASK)
    assert done.returncode == 0, done.stderr
    assert "interrupted" in str(model.requests[1].body["messages"][-1])
