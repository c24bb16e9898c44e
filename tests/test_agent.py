"""The loop, through its public door, with a scripted model."""

import asyncio
from pathlib import Path

import pytest
from pydantic import BaseModel

from roo_code import Agent, Tool, ToolContext, Workspace
from roo_code.errors import TurnLimitReached
from roo_code.events import (
    ApprovalDecided,
    ApprovalRequested,
    Event,
    QuestionAnswered,
    QuestionAsked,
    RunParked,
    ToolFinished,
    ToolStarted,
)
from roo_code.history import History
from roo_code.messages import Message, TextContent, ToolResult, ToolUseContent
from roo_code.policy.approval import CallFacts, Verdict, refuse
from roo_code.testing import ScriptedProvider, scripted_client
from roo_code.tools import Deferred, ToolGroup
from tests.wellformed import problems


def use(id: str, name: str, **input: str | int) -> ToolUseContent:
    return ToolUseContent(id=id, name=name, input=dict(input))


class Nothing(BaseModel):
    pass


class Ping(Tool[Nothing]):
    """A user's own tool."""

    name = "ping"
    description = "Answers pong."
    group: ToolGroup = "advanced"  # pyright: ignore[reportIncompatibleVariableOverride]
    input_type = Nothing

    async def execute(self, arguments: Nothing, context: ToolContext) -> str:
        return "pong"


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    (tmp_path / "a.txt").write_text("alpha\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("beta\n", encoding="utf-8")
    return ToolContext(workspace=Workspace(tmp_path))


async def events_of(agent: Agent, prompt: str | None = "Go.") -> list[Event]:
    return [event async for event in agent.iter(prompt)]


def results(agent: Agent) -> list[ToolResult]:
    blocks = [block for message in agent.history.messages for block in message.content]
    return [block for block in blocks if isinstance(block, ToolResult)]


@pytest.mark.requirement(
    "agent:example:hello-file",
    "agent:run:tool-use-continues",
    "agent:run:no-tool-use-ends",
    "agent:run:tool-result-message",
    "agent:engine:no-editor",
)
async def test_the_example_of_the_hello_file(context: ToolContext) -> None:
    content = "print('Hello, World!')\n"
    call = use("toolu_abc123", "write_to_file", path="hello.py", content=content, line_count=1)
    client = scripted_client([call], "I've created hello.py.")
    agent = Agent(client=client, tools=[], context=context)
    answer = await agent.run("Create a hello.py file with hello world")
    assert answer == "I've created hello.py."
    assert (context.workspace.root / "hello.py").read_text(encoding="utf-8") == content
    assert len(client.requests) == 2
    last = agent.history.messages[2]
    assert last.role == "user"
    block = last.to_dict()["content"][0]
    assert (block["type"], block["tool_use_id"]) == ("tool_result", "toolu_abc123")
    assert "Successfully created hello.py" in block["content"]


@pytest.mark.requirement("agent:run:request-parts", "agent:run:consumes-stream")
async def test_every_request_carries_prompt_history_and_tools(context: ToolContext) -> None:
    client = scripted_client([use("1", "read_file", path="a.txt")], "Done.")
    agent = Agent(client, system_prompt="Be brief.", context=context)
    await agent.run("Read it.")
    first, second = client.requests
    assert [r.system_prompt for r in (first, second)] == ["Be brief.", "Be brief."]
    assert [len(r.messages) for r in (first, second)] == [1, 3]
    assert list(second.messages[:1]) == list(first.messages)
    assert first.tools == second.tools
    assert "read_file" in [tool.name for tool in first.tools]


@pytest.mark.requirement("agent:construct:system-prompt")
async def test_a_system_prompt_is_made_when_none_is_given(context: ToolContext) -> None:
    client = scripted_client("Hi.")
    await Agent(client, context=context).run("Hello")
    assert str(context.workspace.root) in client.requests[0].system_prompt


@pytest.mark.requirement(
    "agent:construct:registers-given-tools", "agent:add-tool:later", "agent:custom-tool:subclass"
)
async def test_tools_given_or_added_later_are_offered_and_run(context: ToolContext) -> None:
    class Pong(Ping):
        name = "pong"

    client = scripted_client([use("1", "ping")], "One.", [use("2", "pong")], "Two.")
    agent = Agent(client, tools=[Ping()], context=context)
    assert await agent.run("Ping.") == "One."
    agent.add_tool(Pong())
    assert await agent.run("Pong.") == "Two."
    offered = [{tool.name for tool in request.tools} for request in client.requests]
    assert "ping" in offered[0]
    assert "pong" not in offered[1]
    assert "pong" in offered[2]
    assert [r.content for r in results(agent)] == ["pong", "pong"]


@pytest.mark.requirement("agent:run:max-iterations")
async def test_the_limit_of_model_calls_is_an_error_of_its_own(context: ToolContext) -> None:
    replies = [[use(str(n), "read_file", path="a.txt", offset=n + 1)] for n in range(12)]
    client = scripted_client(*replies)
    with pytest.raises(TurnLimitReached) as raised:
        await Agent(client, context=context).run("Loop.")
    assert raised.value.limit == 10
    assert len(client.requests) == 10


@pytest.mark.requirement("agent:run:attempt-completion-ends", "tools:attempt-completion:marks-done")
async def test_a_completion_ends_the_run_with_its_result(context: ToolContext) -> None:
    client = scripted_client([use("1", "attempt_completion", result="All green.")])
    agent = Agent(client, context=context)
    assert await agent.run("Finish.") == "All green."
    assert len(client.requests) == 1
    assert problems(agent.history.messages) == []


@pytest.mark.requirement("agent:extract:tool-use")
async def test_calls_are_taken_from_a_reply_in_order(context: ToolContext) -> None:
    agent = Agent(scripted_client("x"), context=context)
    calls = (use("1", "a", x=1), use("2", "b"))
    reply = Message(role="assistant", content=(TextContent(text="t"), *calls))
    assert agent._extract_tool_use(reply) == calls
    only_text = Message(role="assistant", content=(TextContent(text="t"),))
    assert agent._extract_tool_use(only_text) == ()


@pytest.mark.requirement("agent:run:several-tool-uses")
async def test_several_calls_get_one_result_each_in_order(context: ToolContext) -> None:
    calls = [
        use("1", "read_file", path="a.txt"),
        use("2", "no_such_tool"),
        use("3", "read_file", path="../outside"),
        use("4", "write_to_file", path="c.txt", content="gamma\n"),
        use("5", "read_file", path="c.txt"),
    ]
    agent = Agent(scripted_client(calls, "Done."), context=context)
    await agent.run("Go.")
    found = results(agent)
    assert [r.tool_use_id for r in found] == ["1", "2", "3", "4", "5"]
    assert [r.is_error for r in found] == [False, True, True, False, False]
    assert "gamma" in found[4].content  # it ran after the write before it


class Meet(Ping):
    """Two of these get past each other only if both run at once."""

    name = "meet"
    repeatable = True
    arrived = 0
    both = asyncio.Event()

    async def execute(self, arguments: Nothing, context: ToolContext) -> str:
        cls = type(self)
        cls.arrived += 1
        if cls.arrived == 2:
            cls.both.set()
        await asyncio.wait_for(cls.both.wait(), 5)
        return f"met as {self.current_use_id}"


async def test_calls_that_change_nothing_run_at_the_same_time(context: ToolContext) -> None:
    Meet.arrived, Meet.both = 0, asyncio.Event()
    client = scripted_client([use("1", "meet"), use("2", "meet")], "Done.")
    agent = Agent(client, tools=[Meet()], context=context)
    await agent.run("Meet.")
    assert [r.content for r in results(agent)] == ["met as 1", "met as 2"]


async def test_a_call_with_broken_input_is_answered_and_not_run(context: ToolContext) -> None:
    broken = ToolUseContent(id="1", name="write_to_file", invalid_input='{"path": "x')
    agent = Agent(scripted_client([broken], "Sorry."), context=context)
    assert await agent.run("Write.") == "Sorry."
    assert "not a JSON object" in results(agent)[0].content


class Stern:
    async def decide(self, facts: CallFacts) -> Verdict:
        if facts.group == "edit":
            return refuse(facts, "edits are off")
        if facts.group == "command":
            return ApprovalRequested(call=facts.call, reason="a command")
        return ApprovalDecided(tool_use_id=facts.call.id, approved=True, by="policy")


@pytest.mark.requirement("agent:approval:ask-before-tool")
async def test_a_refusal_and_an_open_ask_leave_no_call_unanswered(context: ToolContext) -> None:
    calls = [
        use("1", "read_file", path="a.txt"),
        use("2", "write_to_file", path="c.txt", content="x"),
        use("3", "execute_command", command="touch ran"),
        use("4", "read_file", path="b.txt"),
    ]
    client = scripted_client(calls, "Done.")
    agent = Agent(client, context=context, approver=Stern())
    events = await events_of(agent)
    assert isinstance(events[-1], RunParked)
    assert [w.tool_use_id for w in events[-1].waiting_for] == ["3"]
    assert [e.result.tool_use_id for e in events if isinstance(e, ToolFinished)] == ["1", "2"]
    assert not (context.workspace.root / "ran").exists()

    # the answer arrives, perhaps in another process: the same history goes on
    agent.history.apply(
        ApprovalDecided(tool_use_id="3", approved=True, by="user", reason="but only once")
    )
    second = Agent(client, context=context, approver=Stern(), history=agent.history)
    events = await events_of(second, None)
    assert (context.workspace.root / "ran").exists()
    assert [r.tool_use_id for r in results(second)] == ["1", "2", "3", "4"]
    assert "edits are off" in results(second)[1].content
    assert "but only once" in results(second)[2].content
    assert not (context.workspace.root / "c.txt").exists()


class Ask(Ping):
    name = "ask"
    repeatable = True
    needs_approval = False

    async def execute(self, arguments: Nothing, context: ToolContext) -> str:
        raise Deferred(QuestionAsked(tool_use_id=context.tool_use_id, question="Which?"))


async def test_a_question_parks_the_run_and_its_answer_is_the_result(context: ToolContext) -> None:
    client = scripted_client([use("1", "ask")], "Blue it is.")
    agent = Agent(client, tools=[Ask()], context=context)
    events = await events_of(agent)
    assert [type(e) for e in events[-2:]] == [QuestionAsked, RunParked]
    agent.history.apply(QuestionAnswered(tool_use_id="1", answer="Blue."))
    await events_of(agent, None)
    assert "Blue." in results(agent)[0].content


async def test_a_call_cut_short_is_not_run_again_unless_it_changes_nothing(
    context: ToolContext,
) -> None:
    """A driver died after both calls had started; the next one loads the log."""
    calls = (
        use("1", "read_file", path="a.txt"),
        use("2", "execute_command", command="echo x >> ran"),
    )
    reply = Message(role="assistant", content=calls)
    from roo_code.events import MessageAdded

    events = [
        MessageAdded(message=Message.from_user("Go.")),
        MessageAdded(message=reply),
        ToolStarted(call=calls[0], repeatable=True),
        ToolStarted(call=calls[1]),
    ]
    agent = Agent(scripted_client("Done."), context=context, history=History(events))
    await events_of(agent, None)
    read, command = results(agent)
    assert "alpha" in read.content
    assert "was interrupted while it ran" in command.content
    assert not (context.workspace.root / "ran").exists()


async def test_closing_the_loop_stops_the_tool_that_runs(context: ToolContext) -> None:
    stopped = asyncio.Event()

    class Hang(Ping):
        name = "hang"

        async def execute(self, arguments: Nothing, context: ToolContext) -> str:
            try:
                await asyncio.Event().wait()
            finally:
                stopped.set()
            return ""

    agent = Agent(scripted_client([use("1", "hang")]), tools=[Hang()], context=context)

    async def drain() -> None:
        async for event in agent.iter("Hang."):
            if isinstance(event, ToolStarted):
                asyncio.get_running_loop().call_later(0, running.cancel)

    running = asyncio.create_task(drain())
    with pytest.raises(asyncio.CancelledError):
        await running
    assert stopped.is_set()


async def test_a_scripted_provider_can_be_used_directly(context: ToolContext) -> None:
    provider = ScriptedProvider("Hi.")
    client = scripted_client(provider=provider)
    assert await Agent(client, context=context).run("Hello") == "Hi."
    assert len(provider.requests) == 1


async def test_a_call_that_breaks_its_own_recovery_ends_the_run_and_is_not_waited_for() -> None:
    async def broken(*_: object) -> ToolResult:
        raise TypeError("a bug in the recovery")

    call = ToolUseContent(id="a", name="read_file", input={"path": "x"})
    agent = Agent(scripted_client([call]))
    agent.tools.recovery = broken
    async with asyncio.timeout(5):
        with pytest.raises(TypeError, match="bug in the recovery"):
            await agent.run("Go.")
