"""Which model makes the summaries, by the settings."""

from pathlib import Path

import pytest

from roo_code.agent import Agent
from roo_code.cli.compose_condensing import condenser_of
from roo_code.cli.main import run_cli
from roo_code.client import RooClient
from roo_code.config.schema import ProviderSettings
from roo_code.context.condensing_summary import SYSTEM_PROMPT
from roo_code.events import CondenseRequested, ContextCondensed, Event, MessageAdded, TaskSpec
from roo_code.history import History
from roo_code.messages import Message
from roo_code.testing import ScriptedProvider, scripted_client


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
    return tmp_path / "home"


def asked_to_condense() -> History:
    said = MessageAdded(message=Message.from_user("Tell me. " * 400))
    told = Message(role="assistant", content=Message.from_user("A story. " * 400).content)
    return History([said, MessageAdded(message=told), said, CondenseRequested()])


async def condensed(
    folder: Path, tell: list[str], created: list[ProviderSettings]
) -> tuple[list[Event], ScriptedProvider]:
    """With a profile's model that says where the summary is from."""
    own = ScriptedProvider("By the task's own.")
    agent = Agent(scripted_client(provider=own), history=asked_to_condense())

    def create(settings: ProviderSettings) -> RooClient:
        created.append(settings)
        return scripted_client("By the profile's.")

    spec = TaskSpec(prompt="Go.", workspace=str(folder))
    agent.condenser = condenser_of(agent, spec, tell.append, create)
    return [event async for event in agent.condense()], own


def summary_in(events: list[Event]) -> str:
    return next(event.summary for event in events if isinstance(event, ContextCondensed))


async def test_a_profile_may_make_the_summaries(tmp_path: Path) -> None:
    model = ("--provider", "anthropic", "--model", "claude-haiku-4-5")
    assert run_cli(["profiles", "create", "small", *model]) == 0
    assert run_cli(["config", "set", "condenseProfile", "small"]) == 0
    created: list[ProviderSettings] = []
    events, own = await condensed(tmp_path, [], created)
    assert "By the profile's." in summary_in(events)
    assert [one.api_model_id for one in created] == ["claude-haiku-4-5"]
    assert own.requests == []


async def test_a_profile_that_does_not_exist_is_told_of(tmp_path: Path) -> None:
    assert run_cli(["config", "set", "condenseProfile", "nobody"]) == 0
    told: list[str] = []
    events, own = await condensed(tmp_path, told, [])
    assert "By the task's own." in summary_in(events)
    assert [request.system_prompt for request in own.requests] == [SYSTEM_PROMPT]
    assert "There is no profile 'nobody'" in told[0]
