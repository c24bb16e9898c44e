"""A task that is condensed while it is recorded."""

from contextlib import closing
from pathlib import Path

from roo_code.client import RooClient
from roo_code.config.schema import ProviderSettings
from roo_code.events import RunCompleted
from roo_code.providers.base import ModelInfo
from roo_code.providers.recorder import RecordingProvider, RecordingWriter
from roo_code.providers.recording import read_recording
from roo_code.providers.replay import ReplayProvider
from tests.context.small_window import SmallWindow, condenses, events_of, look, small_agent


async def test_every_reply_has_its_place_and_a_replay_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    provider = SmallWindow(lambda n: [look(n, 3000)] if n < 30 else "Done.")
    agent = small_agent(provider, tmp_path)
    settings = ProviderSettings(api_provider="scripted")
    with closing(RecordingWriter(path, "scripted", ModelInfo(id="m"))) as writer:
        agent.client = RooClient(settings, provider=RecordingProvider(provider, writer))
        events = await events_of(agent)
    assert condenses(events)
    recording = read_recording(path)
    assert sorted(recording.replies) == list(range(30))
    again = small_agent(provider, tmp_path)
    again.condenser = None
    again.client = RooClient(settings, provider=ReplayProvider(recording, speed=0))
    replayed = await events_of(again)
    assert replayed[-1] == RunCompleted(result="Done.")
    assert again.history.replies == 30
