"""A stage for each front end, and whatever was opened on it closed afterwards."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from roo_code.testing.model_replies import Replies
from roo_code.testing.model_server import ModelServer
from tests.front_ends.front_end import FrontEnd
from tests.front_ends.in_process import InProcess
from tests.front_ends.over_ipc import OverIpc
from tests.front_ends.over_mcp import OverMcp
from tests.front_ends.over_ndjson import OverNdjson
from tests.front_ends.stage import KEY, Stage

FRONT_ENDS: tuple[type[FrontEnd], ...] = (InProcess, OverIpc, OverNdjson, OverMcp)


@dataclass
class Theatre:
    """Where a case is played, by one front end or by several in turn."""

    folder: Path
    kind: type[FrontEnd]
    exits: AsyncExitStack = field(repr=False)

    async def set(self, script: Replies, level: str = "all", key: str = KEY) -> Stage:
        model = await self.exits.enter_async_context(ModelServer(script, key=key))
        stage = Stage(self.folder, model, level)
        stage.set_up()
        return stage

    async def open(self, stage: Stage, kind: type[FrontEnd] | None = None) -> FrontEnd:
        return await self.exits.enter_async_context((kind or self.kind)(stage))


@pytest.fixture(params=FRONT_ENDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> type[FrontEnd]:
    return request.param


@pytest.fixture
async def theatre(
    tmp_path: Path, kind: type[FrontEnd], monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[Theatre]:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    async with AsyncExitStack() as exits:
        yield Theatre(tmp_path, kind, exits)
