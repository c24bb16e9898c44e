"""The scripted provider says what the test told it to."""

import subprocess
import sys

import pytest

import roo_code.testing
from roo_code.errors import AuthenticationFailed, ConnectionCut
from roo_code.messages import Message, ReasoningContent, TextContent, ToolUseContent, Usage
from roo_code.providers.base import ModelRequest
from roo_code.stream import ApiStream, BlockDelta, StreamRetry
from roo_code.testing import ScriptedProvider, scripted_client

HELLO = [Message.from_user("Hello")]
CALL = ToolUseContent(id="1", name="read_file", input={"path": "a"})
BROKEN = ToolUseContent(id="2", name="read_file", invalid_input="{")


async def test_replies_are_given_in_order_and_requests_are_kept() -> None:
    whole = Message(
        role="assistant",
        content=(ReasoningContent(text="Hm.", signature="s"), TextContent(text="Hi."), BROKEN),
        stop_reason="max_tokens",
        usage=Usage(input_tokens=1, output_tokens=2, cost=0.5),
        model="m",
    )
    client = scripted_client("One two.", [CALL], whole)
    first, second, third = [
        await client.create_message("s", HELLO).get_final_message() for _ in range(3)
    ]
    assert first == Message(
        role="assistant",
        content=(TextContent(text="One two."),),
        stop_reason="end_turn",
        usage=Usage(input_tokens=10, output_tokens=5),
        model="scripted",
    )
    assert (second.tool_uses, second.stop_reason) == ((CALL,), "tool_use")
    assert third == whole
    assert [request.system_prompt for request in client.requests] == ["s"] * 3


async def test_a_text_arrives_in_pieces() -> None:
    stream = ApiStream(ScriptedProvider("One two\n three ").stream(request()))
    pieces = [chunk.text async for chunk in stream.stream() if isinstance(chunk, BlockDelta)]
    assert len(pieces) > 1
    assert "".join(pieces) == "One two\n three "


async def test_failures_are_raised_and_those_that_may_pass_retried_at_once() -> None:
    client = scripted_client(ConnectionCut("cut"), "Hi.", AuthenticationFailed("no"))
    stream = client.create_message("", HELLO)
    retries = [chunk async for chunk in stream.stream() if isinstance(chunk, StreamRetry)]
    assert [(r.attempt, r.delay) for r in retries] == [(1, 0)]
    with pytest.raises(AuthenticationFailed, match="no"):
        await client.create_message("", HELLO).get_final_message()


async def test_a_script_that_is_too_short_says_so() -> None:
    client = scripted_client()
    with pytest.raises(AssertionError, match="no reply to request 1"):
        await client.create_message("", HELLO).get_final_message()


def test_tokens_are_counted_simply() -> None:
    assert ScriptedProvider().count_tokens("12345") == 2


def test_the_package_exports_what_it_says_and_loads_nothing_by_itself() -> None:
    for name in roo_code.testing.__all__:
        assert getattr(roo_code.testing, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        roo_code.testing.nothing  # noqa: B018
    program = "import sys, roo_code.testing; print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n"


def request() -> ModelRequest:
    return ModelRequest(system_prompt="", messages=HELLO)
