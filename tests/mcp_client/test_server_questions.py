"""What servers ask while they work reaches the user of the call that they work on, and no other."""

import asyncio
import json
from typing import Any

import pytest

from roo_code.errors import ToolError
from roo_code.mcp_access import McpUser, Question, Reply, Sample, SampleRequest
from roo_code.mcp_client.call_user import CallUser
from roo_code.mcp_client.calls_under_way import CallsUnderWay
from roo_code.mcp_client.workspace_servers import WorkspaceServers
from roo_code.tools import NotAnswered, ToolContext
from tests.mcp_client.http_servers import everything, free_port
from tests.mcp_client.hubs import Place, needs_node, node_server, small
from tests.waiting import until


class Somebody:
    """Answers with their own name, when they are let."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[str] = []
        self.notes: list[str] = []
        self.let = asyncio.Event()

    async def answer(self, question: Question) -> Reply:
        self.asked.append(question.message)
        await self.let.wait()
        return Reply("accept", {"name": self.name})

    async def sample(self, request: SampleRequest) -> Sample:
        self.asked.append(request.messages[0][1])
        return Sample(f"by {self.name}", "m")

    def user(self) -> McpUser:
        return McpUser(self.answer, self.sample, self.name, self.notes.append)


async def nobody(question: Question) -> Reply:
    raise AssertionError("nobody was meant")


async def no_sample(request: SampleRequest) -> Sample:
    raise AssertionError("nobody was meant")


ANYBODY = McpUser(nobody, no_sample)


def ask(
    servers: WorkspaceServers, who: Somebody, tool: str = "inquire", **input: Any
) -> asyncio.Task[Any]:
    return asyncio.create_task(servers.call_tool("a", tool, input, user=who.user()))


async def test_the_user_of_the_call_is_asked(place: Place) -> None:
    place.name(a=small())
    ada = Somebody("Ada")
    ada.let.set()
    async with place.servers(user=ANYBODY) as servers:
        answer = await ask(servers, ada)
        assert json.loads(answer.text) == {"action": "accept", "content": {"name": "Ada"}}
        written = await ask(servers, ada, "have_written")
        assert json.loads(written.text)["content"]["text"] == "by Ada"
    assert ada.asked == ["Who are you?", "Write a poem."]


async def test_in_doubt_nobody_is_asked_and_all_are_told(place: Place) -> None:
    """Over standard input and output a question does not say what it is for."""
    place.name(a=small())
    ada, bob = Somebody("Ada"), Somebody("Bob")
    async with place.servers(user=ANYBODY) as servers:
        sleeping = ask(servers, ada, "sleep")
        await until(lambda: servers.find("a").first.calls == 1)
        answer = await ask(servers, bob)
        assert json.loads(answer.text) == {"action": "decline"}
        refused = await ask(servers, bob, "have_written")
        assert "not clear which" in json.loads(refused.text)["message"]
        sleeping.cancel()
        await asyncio.gather(sleeping, return_exceptions=True)
        bob.let.set()
        again = await ask(servers, bob)
        assert "Bob" in again.text
    assert ada.asked == []
    assert bob.asked == ["Who are you?"]
    assert all("several tasks at once" in note for note in (*ada.notes, *bob.notes))
    assert (len(ada.notes), len(bob.notes)) == (2, 2)


async def test_a_question_outside_any_call_is_for_nobody() -> None:
    calls = CallsUnderWay(ANYBODY)
    assert calls.meant() is None
    async with calls.begun(9, None):
        meant = calls.meant()
        assert meant is not None
        assert meant.user == ANYBODY
        async with calls.begun(9, Somebody("Ada").user()):
            inner = calls.meant()
            assert inner is not None
            assert inner.user.of == "Ada"  # known by the context, though two are under way
    assert calls.meant() is None


async def test_several_connections_leave_no_doubt(place: Place) -> None:
    place.name(a=small(connections=2))
    ada, bob = Somebody("Ada"), Somebody("Bob")
    async with place.servers(user=ANYBODY) as servers:
        members = servers.find("a").members
        await until(lambda: all(member.condition == "connected" for member in members))
        calls = [ask(servers, who) for who in (ada, bob)]
        await until(lambda: bool(ada.asked and bob.asked))
        bob.let.set()
        ada.let.set()
        answers = [json.loads(answer.text) for answer in await asyncio.gather(*calls)]
    assert [answer["content"]["name"] for answer in answers] == ["Ada", "Bob"]


async def test_in_the_newest_protocol_a_question_belongs_to_its_call(place: Place) -> None:
    place.name(a=small("modern"))
    ada, bob = Somebody("Ada"), Somebody("Bob")
    async with place.servers(user=ANYBODY) as servers:
        calls = [ask(servers, who) for who in (ada, bob)]
        await until(lambda: bool(ada.asked and bob.asked))
        bob.let.set()
        ada.let.set()
        answers = [json.loads(answer.text) for answer in await asyncio.gather(*calls)]
    assert [answer["content"]["name"] for answer in answers] == ["Ada", "Bob"]


@needs_node
async def test_over_http_each_of_two_users_is_asked_their_own_question(place: Place) -> None:
    port = free_port()
    place.name(a={"type": "streamable-http", "url": f"http://127.0.0.1:{port}/mcp"})
    ada, bob = Somebody("Ada"), Somebody("Bob")
    async with everything("streamableHttp", port), place.servers(user=ANYBODY) as servers:
        calls = [ask(servers, who, "trigger-elicitation-request") for who in (ada, bob)]
        await until(lambda: bool(ada.asked and bob.asked))
        bob.let.set()
        ada.let.set()
        answers = await asyncio.gather(*calls)
    assert ["Ada" in answer.text for answer in answers] == [True, False]
    assert ["Bob" in answer.text for answer in answers] == [False, True]
    assert (len(ada.asked), len(bob.asked)) == (1, 1)


@needs_node
async def test_the_servers_time_does_not_run_while_the_user_thinks(place: Place) -> None:
    place.name(a=node_server("everything", timeout=1))
    ada = Somebody("Ada")
    async with place.servers(user=ANYBODY) as servers:
        call = ask(servers, ada, "trigger-elicitation-request")
        await until(lambda: bool(ada.asked))
        done, _ = await asyncio.wait([call], timeout=1.5)
        assert not done
        ada.let.set()
        assert "Ada" in (await call).text
        with pytest.raises(ToolError, match="did not answer within 1 s"):
            await ask(servers, ada, "trigger-long-running-operation", duration=60)


async def test_where_nobody_can_be_asked_it_is_declined_and_said() -> None:
    nobody_here = CallUser(ToolContext())
    assert await nobody_here.answer(Question("s", "Your\x1b[1m age?", {})) == Reply("decline")
    with pytest.raises(ToolError, match="Nobody is here"):
        await nobody_here.sample(SampleRequest("s", (("user", "Write."),), 9))
    assert nobody_here.notes == [
        "[MCP server s asked the user: Your[1m age?. Nobody is here to answer, so it was "
        "declined.]",
        "[MCP server s wanted to ask the model. Nobody is here to answer, so it was declined.]",
    ]


@pytest.mark.parametrize(("said", "is_allowed"), [("yes", True), ("no", False), ("sure", False)])
async def test_the_model_is_asked_only_after_a_clear_yes(said: str, is_allowed: bool) -> None:
    shown: list[str] = []

    async def answer(question: str, suggestions: object) -> str:
        shown.append(question)
        return said

    async def write(request: SampleRequest) -> Sample:
        return Sample("written", "m")

    user = CallUser(ToolContext(ask=answer, sample=write))
    request = SampleRequest("s", (("user", "Write."),), 9, "Be brief.")
    if is_allowed:
        assert (await user.sample(request)).text == "written"
    else:
        with pytest.raises(ToolError, match="did not allow"):
            await user.sample(request)
    assert shown == [
        "MCP server s wants to ask your model, at your cost:\n[system] Be brief.\n"
        "[user] Write.\nAllow it? (yes or no)"
    ]


async def test_a_call_that_has_ended_answers_nothing() -> None:
    async def gone(question: str, suggestions: object) -> str:
        raise NotAnswered("The call has ended.")

    async def write(request: SampleRequest) -> Sample:
        raise AssertionError("it was not allowed")

    user = CallUser(ToolContext(ask=gone, sample=write))
    assert await user.answer(Question("s", "?", {})) == Reply("cancel")
    with pytest.raises(ToolError, match="has ended"):
        await user.sample(SampleRequest("s", (("user", "Write."),), 9))


async def test_a_form_that_nobody_would_fill_in_is_declined_and_said() -> None:
    async def answer(question: str, suggestions: object) -> str:
        raise AssertionError("it is not asked")

    user = CallUser(ToolContext(ask=answer))
    many = {f"f{n}": {"type": "string"} for n in range(99)}
    assert await user.answer(Question("s", "?", {"properties": many})) == Reply("decline")
    assert "99 fields" in user.notes[0]
