"""Slash commands and skills that the user names in a prompt."""

from pathlib import Path

import pytest

from roo_code.events import Event, MentionsRead, ModeSwitched, TaskCreated, TaskSpec
from roo_code.history import History
from roo_code.mentions.reader import mention_reader
from roo_code.messages import ToolUseContent
from roo_code.testing import ScriptedProvider
from roo_code.tools import ToolContext
from roo_code.workspace.workspace import Workspace
from tests.mentions.test_in_tasks import composed, run, start, texts


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    folder = tmp_path / "w"
    commands = folder / ".roo" / "commands"
    commands.mkdir(parents=True)
    (commands / "plan.md").write_text("---\nmode: architect\n---\nMake a plan of it.\n")
    (commands / "lost.md").write_text("---\nmode: nowhere\n---\nGet lost.\n")
    (commands / "review.md").write_text("---\nmode: ask\n---\nReview it.\n")
    return folder


async def told(provider: ScriptedProvider, folder: Path, prompt: str) -> list[Event]:
    async with composed(provider, folder.parent) as composition:
        await composition.host.handle(start(folder, prompt))
        return await run(composition)


def switches(events: list[Event]) -> list[tuple[str, str]]:
    return [(e.previous, e.mode) for e in events if isinstance(e, ModeSwitched)]


async def test_the_first_command_with_a_mode_switches_to_it(workspace: Path) -> None:
    provider = ScriptedProvider("Planned.")
    events = await told(provider, workspace, "/plan src then /review")
    assert switches(events) == [("code", "architect")]
    assert "You are in mode architect." in provider.requests[0].system_prompt
    said = texts(provider, 0, 0)
    assert said[0] == "/plan src then /review", "its arguments are the user's own words"
    assert '<command name="plan">\nMake a plan of it.\n</command>' in said
    assert '<command name="review">\nReview it.\n</command>' in said


async def test_a_mode_that_does_not_exist_is_not_entered(workspace: Path) -> None:
    provider = ScriptedProvider("Here.")
    assert switches(await told(provider, workspace, "/lost")) == []
    assert "You are in mode code." in provider.requests[0].system_prompt
    assert "'nowhere', which does not exist here" in texts(provider, 0, 0)[1]


async def test_a_command_that_the_model_reads_switches_nothing(workspace: Path) -> None:
    call = ToolUseContent(id="c", name="run_slash_command", input={"command": "plan"})
    provider = ScriptedProvider([call], "Read.")
    assert switches(await told(provider, workspace, "Go on.")) == []
    assert "Make a plan of it." in provider.requests[1].messages[-1].to_json()


async def test_a_skill_is_read_where_no_command_has_the_name(
    workspace: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "home" / "skills" / "greeting"
    folder.mkdir(parents=True)
    text = "---\nname: greeting\ndescription: How to greet\n---\nWith a bow.\n"
    (folder / "SKILL.md").write_text(text)
    provider = ScriptedProvider("Good day.")
    await told(provider, workspace, "/greeting me, /usr is a folder")
    [_, skill] = texts(provider, 0, 0)
    assert skill.endswith("--- Skill Instructions ---\n\nWith a bow.")


async def test_a_crash_between_the_switch_and_the_reading_switches_once(workspace: Path) -> None:
    context = ToolContext(workspace=Workspace(workspace))
    spec = TaskSpec(prompt="/plan src", workspace=str(workspace))
    history = History([TaskCreated(spec=spec)])
    first = [event async for event in mention_reader(context, history, lambda slug: True)()]
    assert [type(event) for event in first] == [ModeSwitched, MentionsRead]
    history.apply(first[0])  # no more of it is stored
    again = [event async for event in mention_reader(context, history, lambda slug: True)()]
    assert [type(event) for event in again] == [MentionsRead]
