"""Modes in whole tasks: rights, profiles and subtasks, from the command line to the model."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from roo_code.approval_values import ApprovalSettings
from roo_code.cli.compose import Composition, HostOptions, open_host
from roo_code.commands import ResumeTask, SendMessage, StartTask, SwitchMode
from roo_code.events import Event, ModeSwitched, RunCompleted, RunFailed, TaskSpec, ToolFinished
from roo_code.json_text import JsonValue
from roo_code.messages import ToolUseContent
from roo_code.task.store import TaskQuery
from roo_code.task.task import TaskSetup
from roo_code.testing import ModelServer, ScriptedProvider
from roo_code.testing.model_replies import ScriptedCall, ScriptedReply
from tests.cli.conftest import KEY, Roo, serving
from tests.modes.calls import done, switch, use, write
from tests.waiting import until

SWITCH = ScriptedReply(
    tool_calls=(ScriptedCall(id="s", name="switch_mode", input={"mode_slug": "code"}),)
)


def profiles(roo: Roo, *, modes: dict[str, str], **named: dict[str, Any]) -> None:
    """Keep these profiles, some of them for modes; the first is active."""
    configs = {name: {"id": name, **settings} for name, settings in named.items()}
    data = {
        "currentApiConfigName": next(iter(configs)),
        "apiConfigs": configs,
        "modeApiConfigs": modes,
    }
    (roo.home / "settings").mkdir(parents=True)
    (roo.home / "settings" / "profiles.json").write_text(json.dumps(data))


def at(server: ModelServer) -> dict[str, Any]:
    return {"apiProvider": "anthropic", "anthropicBaseUrl": server.url}


def answer(ran: subprocess.CompletedProcess[str]) -> str:
    return ran.stdout.splitlines()[-1]


class TestProfiles:
    def test_the_profile_of_a_mode_answers_from_its_first_request_on(self, roo: Roo) -> None:
        planner = roo.exits.enter_context(serving([SWITCH], KEY))
        coder = roo.exits.enter_context(serving(["not asked", "Built."], KEY))
        profiles(roo, modes={"code": "strong"}, usual=at(planner), strong=at(coder))
        ran = roo.run("-p", "--mode", "architect", "--approve", "all", "Build it.")
        assert (ran.returncode, answer(ran)) == (0, "Built.")
        assert len(planner.requests) == len(coder.requests) == 1
        assert planner.problems() == coder.problems() == []

    def test_it_still_does_in_another_process(self, roo: Roo) -> None:
        planner = roo.exits.enter_context(serving([SWITCH], KEY))
        coder = roo.exits.enter_context(serving(["not asked", "Built.", "Mended."], KEY))
        profiles(roo, modes={"code": "strong"}, usual=at(planner), strong=at(coder))
        roo.run("-p", "--mode", "architect", "--approve", "all", "Build it.")
        assert answer(roo.run("-p", "--continue", "Mend it.")) == "Mended."
        assert [len(server.requests) for server in (planner, coder)] == [1, 2]

    def test_all_modes_keep_one_profile_if_the_user_wants_it(self, roo: Roo) -> None:
        planner = roo.exits.enter_context(serving([SWITCH, "Built."], KEY))
        coder = roo.exits.enter_context(serving([], KEY))
        profiles(roo, modes={"code": "strong"}, usual=at(planner), strong=at(coder))
        (roo.home / "settings" / "settings.json").write_text('{"lockApiConfigAcrossModes": true}')
        ran = roo.run("-p", "--mode", "architect", "--approve", "all", "Build it.")
        assert answer(ran) == "Built."
        assert len(planner.requests) == 2

    def test_a_profile_that_cannot_be_used_is_told_and_the_task_goes_on(self, roo: Roo) -> None:
        planner = roo.exits.enter_context(serving([SWITCH, "Built."], KEY))
        broken = {"apiProvider": "openrouter"}  # there is no key for it
        profiles(roo, modes={"code": "strong"}, usual=at(planner), strong=broken)
        ran = roo.run("-p", "--mode", "architect", "--approve", "all", "Build it.")
        assert answer(ran) == "Built."
        assert "The profile of mode code is not used: " in ran.stderr

    def test_a_key_on_the_command_line_is_not_sent_to_another_service(self, roo: Roo) -> None:
        planner = roo.exits.enter_context(serving([SWITCH, "Built."], "sk-mine"))
        other = {"apiProvider": "openrouter", "openRouterBaseUrl": planner.url}
        profiles(roo, modes={"code": "strong"}, usual=at(planner), strong=other)
        ran = roo.run("-p", "-k", "sk-mine", "--mode", "architect", "--approve", "all", "Build it.")
        assert answer(ran) == "Built."
        assert "The profile of mode code is not used: " in ran.stderr

    def test_a_subtask_has_the_profile_of_its_mode(self, roo: Roo) -> None:
        order: dict[str, JsonValue] = {"mode": "ask", "message": "What is it?"}
        call = ScriptedCall(id="n", name="new_task", input=order)
        first = roo.exits.enter_context(
            serving([ScriptedReply(tool_calls=(call,)), "Thanks."], KEY)
        )
        second = roo.exits.enter_context(serving(["A calculator."], KEY))
        profiles(roo, modes={"ask": "cheap"}, usual=at(first), cheap=at(second))
        ran = roo.run("-p", "--approve", "all", "Find out.")
        assert answer(ran) == "Thanks."
        assert len(second.requests) == 1
        assert "A calculator." in json.dumps(first.requests[-1].body)


class TestCommandLine:
    def test_a_mode_of_the_project_can_be_chosen_and_holds(self, roo: Roo) -> None:
        (roo.workspace / ".roomodes").write_text(
            "customModes:\n- slug: docs\n  name: Docs\n  roleDefinition: You write the docs.\n"
            "  groups: [read, [edit, {fileRegex: ^docs/}]]\n"
        )
        calls = [
            ScriptedCall(id=path, name="write_to_file", input={"path": path, "content": "x\n"})
            for path in ("docs/a.md", "calc.py")
        ]
        server = roo.serve(ScriptedReply(tool_calls=tuple(calls)), "Done.")
        ran = roo.run("-p", "--mode", "docs", "--approve", "all", "Write.")
        assert ran.returncode == 0
        assert "You write the docs." in json.dumps(server.requests[0].body)
        assert (roo.workspace / "docs" / "a.md").exists()
        assert "docs mode can only edit files matching ^docs/" in json.dumps(
            server.requests[1].body
        )
        assert "return a - b" in (roo.workspace / "calc.py").read_text()

    def test_a_mode_that_does_not_exist_is_refused_with_those_that_do(self, roo: Roo) -> None:
        (roo.workspace / ".roo" / "modes").mkdir(parents=True)
        (roo.workspace / ".roo" / "modes" / "docs.yaml").write_text("groups: [read]\n")
        ran = roo.run("-p", "--mode", "cook", "Soup.")
        assert ran.returncode == 1
        assert "There is no mode 'cook'." in ran.stderr
        assert "orchestrator, docs." in ran.stderr

    def test_what_is_wrong_with_a_file_of_modes_is_told(self, roo: Roo) -> None:
        (roo.workspace / ".roomodes").write_text("customModes: }")
        roo.serve("Done.")
        ran = roo.run("-p", "Go.")
        assert ran.returncode == 0
        assert f"Modes: {roo.workspace}/.roomodes:1: the YAML is broken" in ran.stderr

    def test_a_task_goes_on_in_the_mode_that_the_command_line_names(self, roo: Roo) -> None:
        server = roo.serve(SWITCH, "One.", "Two.")
        roo.run("-p", "--mode", "ask", "--approve", "all", "Go.")
        assert answer(roo.run("-p", "--continue", "--mode", "ask", "Again.")) == "Two."
        modes = [json.dumps(request.body["system"]) for request in server.requests]
        assert ["in mode ask." in text for text in modes] == [True, False, True]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "w").mkdir()
    return tmp_path / "w"


def spec(folder: Path, mode: str, prompt: str = "Go.") -> TaskSpec:
    approval = ApprovalSettings(level="all", unattended=True)
    return TaskSpec(
        prompt=prompt,
        workspace=str(folder),
        mode=mode,
        approval=approval,
        provider={"api_provider": "scripted"},
    )


def by_prompt(**scripts: list[Any]) -> tuple[HostOptions, dict[str, ScriptedProvider]]:
    """Tasks whose prompts begin with these words get these replies."""
    providers = {word: ScriptedProvider(*replies) for word, replies in scripts.items()}

    def choose(setup: TaskSetup) -> ScriptedProvider:
        return providers[setup.history.messages[0].text.split(".")[0]]

    return HostOptions(provider=choose), providers


async def ended(composed: Composition, task_id: str, after: int = 0) -> list[Event]:
    events: list[Event] = []
    async for record in composed.host.follow(task_id, after):
        events.append(record.event)
        if isinstance(record.event, RunCompleted | RunFailed):
            break
    return events


def errors(events: list[Event]) -> dict[str, bool]:
    found = [event.result for event in events if isinstance(event, ToolFinished)]
    return {result.tool_use_id: result.is_error for result in found}


def order(id: str, mode: str, message: str) -> ToolUseContent:
    return use(id, "new_task", mode=mode, message=message)


@pytest.mark.requirement("modes:new-task:reports-back")
async def test_subtasks_in_modes_of_their_own_report_up_three_levels(folder: Path) -> None:
    options, providers = by_prompt(
        Top=[
            [order("a", "orchestrator", "Middle. Do it.")],
            [write("b", "top.py")],
            [done("c", "T")],
        ],
        Middle=[
            [order("d", "architect", "Low. Plan."), order("e", "code", "Deep. Build.")],
            [done("f", "M")],
        ],
        Low=[[write("g", "plan.py"), write("h", "plan.md")], [done("i", "L")]],
        Deep=[[write("j", "deep.py")], [done("k", "D")]],
    )
    async with open_host(options) as composed:
        await composed.host.handle(
            StartTask(task_id="t", spec=spec(folder, "orchestrator", "Top."))
        )
        events = await ended(composed, "t")
        assert events[-1] == RunCompleted(result="T")
        assert errors(events) == {"a": False, "b": True, "c": False}
        below = await composed.store.summaries(TaskQuery(subtasks=True, limit=10))
        specs = [await composed.store.spec(task.id) for task in below]
    depths = {found.prompt.split(".")[0]: found.parent and found.parent.depth for found in specs}
    assert depths == {"Top": None, "Middle": 1, "Low": 2, "Deep": 2}
    assert {path.name for path in folder.iterdir()} == {"plan.md", "deep.py"}
    answers = providers["Middle"].requests[-1].messages[-1].to_json()
    assert "Result:\\nL" in answers
    assert "Result:\\nD" in answers


async def test_a_switch_outlasts_the_process(folder: Path) -> None:
    options, providers = by_prompt(Go=[[switch("1", "ask")], "Hm."])
    async with open_host(options) as composed:
        await composed.host.handle(StartTask(task_id="t", spec=spec(folder, "code")))
        before = await ended(composed, "t")
    assert ModeSwitched(mode="ask", previous="code") in before
    options, providers = by_prompt(Go=[[write("2", "a.py")], "Oh."])
    async with open_host(options) as composed:
        changed = spec(folder, "code").replace(consecutive_mistake_limit=3)
        last = (await composed.store.summary("t")).last_seq
        await composed.host.handle(ResumeTask(task_id="t", spec=changed))
        await composed.host.handle(SendMessage(task_id="t", text="Go on."))
        assert errors(await ended(composed, "t", last)) == {"2": True}
        assert (await composed.store.summary("t")).mode == "ask"
    assert "You are in mode ask." in providers["Go"].requests[0].system_prompt
    assert list(folder.iterdir()) == []


async def test_a_mode_that_a_person_orders_and_that_does_not_exist_stops_nothing(
    folder: Path,
) -> None:
    options, providers = by_prompt(Go=["Hm.", [write("1", "a.py")], [switch("2", "code")], "Ah."])
    async with open_host(options) as composed:
        await composed.host.handle(StartTask(task_id="t", spec=spec(folder, "code")))
        await ended(composed, "t")
        last = (await composed.store.summary("t")).last_seq
        await composed.host.handle(SwitchMode(task_id="t", mode="cook"))
        await composed.host.handle(SendMessage(task_id="t", text="Go on."))
        events = await ended(composed, "t", last)
    assert errors(events) == {"1": True, "2": False}
    assert "The mode 'cook' that this task was in does not exist" in (
        providers["Go"].requests[1].system_prompt
    )
    assert events[-1] == RunCompleted(result="Ah.")


async def test_a_person_switches_the_mode_of_a_running_task(folder: Path) -> None:
    waits = "touch started; until [ -e go ]; do sleep 0.02; done"
    command = use("1", "execute_command", command=waits)
    options, providers = by_prompt(Go=[[command], [write("2", "a.py")], "Oh."])
    async with open_host(options) as composed:
        await composed.host.handle(StartTask(task_id="t", spec=spec(folder, "code")))
        await until((folder / "started").exists)
        await composed.host.handle(SwitchMode(task_id="t", mode="ask"))
        (folder / "go").touch()
        events = await ended(composed, "t")
    assert errors(events) == {"1": False, "2": True}
    prompts = [request.system_prompt for request in providers["Go"].requests]
    assert ["You are in mode ask." in prompt for prompt in prompts] == [False, True, True]


async def test_subtasks_end_somewhere(folder: Path) -> None:
    """A model that hands everything on is told to do it itself."""
    endless = [[order("n", "code", "Go. Do it.")], "I did it."]
    seen: list[ScriptedProvider] = []

    def provider(_: object) -> ScriptedProvider:
        seen.append(ScriptedProvider(*endless))
        return seen[-1]

    asked: dict[str, ScriptedProvider] = {}
    options = HostOptions(provider=lambda setup: asked.setdefault(setup.task_id, provider(setup)))
    async with open_host(options) as composed:
        await composed.host.handle(StartTask(task_id="t", spec=spec(folder, "code")))
        events = await ended(composed, "t")
    assert events[-1] == RunCompleted(result="I did it.")
    assert len(asked) == 6
    deepest = list(asked.values())[-1].requests[-1].messages[-1].to_json()
    assert "5 deep below the first" in deepest
