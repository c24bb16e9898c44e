"""ModeAgent: prompt and rights of the mode its task is in, at every moment."""

import asyncio
from pathlib import Path

import pytest

from roo_code.agent import Agent
from roo_code.errors import AuthenticationFailed, ToolError, TurnLimitReached
from roo_code.messages import ToolResult
from roo_code.modes.agent import ModeAgent
from roo_code.modes.task import TaskState
from roo_code.testing import ScriptedClient
from roo_code.tools import ToolContext
from roo_code.workspace.workspace import Workspace
from tests.modes.calls import agent, done, results, switch, use, write
from tests.waiting import until
from tests.wellformed import problems


def requests(made: ModeAgent) -> list[str]:
    """The system prompts that were sent."""
    assert isinstance(made.client, ScriptedClient)
    return [request.system_prompt for request in made.client.requests]


@pytest.mark.requirement("modes:agent:extends")
def test_it_is_an_agent_with_two_tools_more(tmp_path: Path) -> None:
    made = agent(tmp_path / "w", "code")
    assert isinstance(made, Agent)
    plain = {tool.name for tool in Agent(made.client, context=made.context).available_tools()}
    assert {tool.name for tool in made.available_tools()} - plain == {"switch_mode", "new_task"}
    for name, kind in (("switch_mode", "SwitchMode"), ("new_task", "NewTask")):
        tool = made.tools.get(name)
        assert (type(tool).__module__, type(tool).__name__) == ("roo_code.modes.tools", kind)


@pytest.mark.requirement("modes:example:design-then-build", "modes:access:rejected-not-run")
async def test_the_example_of_a_design_that_is_built(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    made = agent(
        folder,
        "architect",
        [write("1", "API_DESIGN.md")],
        [write("2", "ARCHITECTURE.md")],
        [write("early", "main.py")],
        [switch("3", "code", "Ready to implement the API design")],
        [use("4", "read_file", path="API_DESIGN.md")],
        [write("5", "main.py")],
        [write("6", "models.py")],
        [use("7", "execute_command", command="echo it runs")],
        [done("8", "REST API designed and implemented")],
    )
    assert await made.run("Design a REST API then implement it") == (
        "REST API designed and implemented"
    )
    found = results(made)
    assert [id for id, result in found.items() if result.is_error] == ["early"]
    assert r"architect mode can only edit files matching \.md$" in found["early"].content
    assert "it runs" in found["7"].content
    assert {path.name for path in folder.iterdir()} == {
        "API_DESIGN.md",
        "ARCHITECTURE.md",
        "main.py",
        "models.py",
    }
    assert made.task.mode_slug == "code"
    assert made.task.state is TaskState.COMPLETED
    assert problems(made.history.messages) == []


@pytest.mark.requirement("modes:prompt:per-iteration", "modes:switch:effects")
async def test_each_request_has_the_prompt_of_the_mode_at_that_moment(tmp_path: Path) -> None:
    made = agent(tmp_path / "w", "architect", [switch("1", "code", "Because.")], [done()])
    await made.run("Go.")
    before, after = requests(made)
    known = made.orchestrator.modes
    assert known.in_force("architect").role in before
    assert known.in_force("code").role in after
    assert known.in_force("architect").role not in after
    assert results(made)["1"].content == "Switched from architect to code mode because: Because."
    assert isinstance(made.client, ScriptedClient)
    first, second = made.client.requests
    assert first.tools == second.tools


async def test_a_prompt_of_ones_own_stays(tmp_path: Path) -> None:
    made = agent(tmp_path / "w", "ask", "Hello.", system_prompt="Be brief.")
    await made.run("Hi.")
    assert requests(made) == ["Be brief."]


async def test_a_changed_mode_counts_from_the_next_request_on(tmp_path: Path) -> None:
    folder = tmp_path / "w" / ".roo"
    (folder / "modes").mkdir(parents=True)
    (folder / "modes" / "docs.yaml").write_text("role: You are one.\ngroups: [read, command]\n")
    change = "echo 'groups: [read]\nrole: You are another.' > .roo/modes/docs.yaml"
    made = agent(
        tmp_path / "w",
        "docs",
        [use("1", "execute_command", command=change)],
        [use("2", "execute_command", command="echo again")],
        "Done.",
    )
    await made.run("Go.")
    assert ["You are one." in text for text in requests(made)] == [True, False, False]
    assert [result.is_error for result in results(made).values()] == [False, True]


async def test_a_mode_that_is_gone_is_told_and_does_not_stop_the_task(tmp_path: Path) -> None:
    file = tmp_path / "w" / ".roo" / "modes" / "docs.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("groups: [read, edit]\n")
    made = agent(tmp_path / "w", "docs", [write("1", "a.md")], [switch("2", "code")], [done()])
    file.unlink()
    assert await made.run("Go.") == "Done."
    first, _, last = requests(made)
    assert "The mode 'docs' that this task was in does not exist any more" in first
    assert "does not exist any more" not in last
    assert [result.is_error for result in results(made).values()] == [True, False, False]


class TestStates:
    @pytest.mark.requirement("modes:task:states")
    async def test_running_with_the_message_then_completed(self, tmp_path: Path) -> None:
        made = agent(tmp_path / "w", "code", "Hello.")
        assert made.task.state is TaskState.PENDING
        seen: list[tuple[TaskState, str]] = []
        original = made.system_prompt

        def look() -> str:
            seen.append((made.task.state, made.task.messages[0].text))
            return original()

        made.system_prompt = look
        await made.run("Hi.")
        assert seen == [(TaskState.RUNNING, "Hi.")]
        assert made.task.state is TaskState.COMPLETED

    @pytest.mark.requirement("modes:task:states")
    async def test_a_run_that_fails_has_failed(self, tmp_path: Path) -> None:
        made = agent(tmp_path / "w", "code", AuthenticationFailed("No."))
        with pytest.raises(AuthenticationFailed):
            await made.run("Hi.")
        assert made.task.state is TaskState.FAILED

    @pytest.mark.requirement("modes:task:states")
    async def test_a_run_that_is_cancelled_was_cancelled(self, tmp_path: Path) -> None:
        made = agent(
            tmp_path / "w", "code", [use("1", "execute_command", command="touch on; sleep 600")]
        )
        running = asyncio.create_task(made.run("Hi."))
        await until((tmp_path / "w" / "on").exists)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert made.task.state is TaskState.CANCELLED

    async def test_a_run_that_asks_waits(self, tmp_path: Path) -> None:
        made = agent(tmp_path / "w", "code", [use("1", "ask_followup_question", question="Which?")])
        assert await made.run("Hi.") == ""
        assert made.task.state is TaskState.WAITING


class TestSubtasks:
    @pytest.mark.requirement(
        "modes:new-task:reports-back", "modes:new-task:links", "modes:new-task:own-history"
    )
    async def test_the_result_of_a_subtask_answers_the_call(self, tmp_path: Path) -> None:
        made = agent(
            tmp_path / "w",
            "orchestrator",
            [use("1", "new_task", mode="code", message="Write it.")],
            [write("2", "main.py")],
            [done("3", "It is written.")],
            [done("4", "All done.")],
        )
        assert await made.run("Build it.") == "All done."
        (child,) = (task for task in made.orchestrator.tasks.values() if task is not made.task)
        assert made.task.child_task_ids == [child.id]
        assert child.parent_task is made.task
        assert (child.mode_slug, child.state) == ("code", TaskState.COMPLETED)
        assert child.messages[0].text == "Write it."
        assert "It is written." in results(made)["1"].content
        assert (tmp_path / "w" / "main.py").exists()
        assert problems(made.history.messages) == []
        assert problems(list(child.messages)) == []

    async def test_a_subtask_that_fails_is_an_answer(self, tmp_path: Path) -> None:
        made = agent(
            tmp_path / "w",
            "orchestrator",
            [use("1", "new_task", mode="ask", message="Ask.")],
            AuthenticationFailed("No such key."),
            "I see.",
        )
        assert await made.run("Go.") == "I see."
        assert results(made)["1"].is_error
        assert "failed: No such key." in results(made)["1"].content

    async def test_a_subtask_that_asks_is_an_answer_too(self, tmp_path: Path) -> None:
        made = agent(
            tmp_path / "w",
            "orchestrator",
            [use("1", "new_task", mode="ask", message="Ask.")],
            [use("2", "ask_followup_question", question="Which?")],
            "I see.",
        )
        assert await made.run("Go.") == "I see."
        assert "waits for an answer" in results(made)["1"].content

    async def test_a_subtask_made_by_a_program_is_run_on_its_own(self, tmp_path: Path) -> None:
        made = agent(tmp_path / "w", "orchestrator", [done(result="The part.")])
        subtask = made.create_subtask("architect", "Plan a part.")
        assert made.task.child_task_ids == [subtask.id]
        assert await made.run(subtask) == "The part."
        assert subtask.state is TaskState.COMPLETED
        assert made.task.state is TaskState.PENDING
        assert made.history.messages == []
        assert made.orchestrator.modes.in_force("architect").role in requests(made)[0]

    async def test_the_limit_of_replies_is_each_tasks_own(self, tmp_path: Path) -> None:
        calls = [[use(str(n), "list_files", path=".", recursive=n % 2 == 0)] for n in range(4)]
        made = agent(tmp_path / "w", "code", *calls, max_iterations=3)
        with pytest.raises(TurnLimitReached):
            await made.run(made.create_subtask("ask", "Look."))


class TestSettings:
    def with_settings(self, folder: Path, *replies: object, **settings: object) -> ModeAgent:
        folder.mkdir()
        context = ToolContext(workspace=Workspace(folder), settings=settings)  # pyright: ignore[reportArgumentType]
        return agent(folder, "code", *replies, context=context)  # pyright: ignore[reportArgumentType]

    async def test_disabled_tools_are_neither_told_of_nor_run(self, tmp_path: Path) -> None:
        calls = [write("1", "a.md"), write("2", "b.md", "write_file"), use("3", "ls", path=".")]
        disabled = ["write_file", "list_files", "mcp--a--b"]
        made = self.with_settings(tmp_path / "w", calls, "Done.", disabledTools=disabled)
        await made.run("Go.")
        named = {tool.name for tool in made.available_tools()}
        assert {"write_to_file", "list_files"} & named == set()
        assert "read_file" in named
        assert all("switched off" in result.content for result in results(made).values())
        assert list((tmp_path / "w").iterdir()) == []

    async def test_the_todo_list_can_be_switched_off(self, tmp_path: Path) -> None:
        call = use("1", "todo_write", todos="[ ] one")
        made = self.with_settings(tmp_path / "w", [call], "Done.", todoListEnabled=False)
        await made.run("Go.")
        assert "update_todo_list" not in {tool.name for tool in made.available_tools()}
        assert results(made)["1"].is_error

    async def test_tools_know_the_mode_the_task_is_in(self, tmp_path: Path) -> None:
        skill = tmp_path / "w" / ".roo" / "skills-ask" / "look" / "SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text("---\nname: look\ndescription: How\n---\nLook well.\n")
        made = agent(
            tmp_path / "w",
            "code",
            [use("1", "skill", skill="look")],
            [switch("2", "ask")],
            [use("3", "skill", skill="look")],
            "Done.",
        )
        await made.run("Go.")
        assert [result.is_error for result in results(made).values()] == [True, False, False]


def test_an_unknown_mode_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="no mode 'cook'"):
        agent(tmp_path / "w", "cook")


async def test_an_unknown_tool_is_answered_by_the_registry(tmp_path: Path) -> None:
    made = agent(tmp_path / "w", "ask", [use("1", "cook")], "Done.")
    await made.run("Go.")
    found: ToolResult = results(made)["1"]
    assert "There is no tool named 'cook'" in found.content
