"""A stage for each front end, and whatever was opened on it closed afterwards."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from roo_code.json_text import JsonValue
from roo_code.testing.model_replies import Replies, ScriptedReply
from roo_code.testing.model_server import ModelServer
from tests.cli.conftest import calls
from tests.front_ends.front_end import FrontEnd
from tests.front_ends.in_process import InProcess
from tests.front_ends.over_ipc import OverIpc
from tests.front_ends.over_mcp import OverMcp
from tests.front_ends.over_ndjson import OverNdjson
from tests.front_ends.stage import KEY, Stage, mark

FRONT_ENDS: tuple[type[FrontEnd], ...] = (InProcess, OverIpc, OverNdjson, OverMcp)


@dataclass
class Theatre:
    """Where a case is played, by one front end or by several in turn."""

    folder: Path
    kind: type[FrontEnd]
    exits: AsyncExitStack = field(repr=False)

    async def open(
        self, script: Replies, level: str = "all", *, key: str = KEY, **settings: JsonValue
    ) -> FrontEnd:
        """With a model that says this, and so much that runs unasked."""
        model = await self.exits.enter_async_context(ModelServer(script, key=key))
        stage = Stage(self.folder, model, level)
        stage.set_up(settings)
        return await self.open_on(stage)

    async def open_on(self, stage: Stage, kind: type[FrontEnd] | None = None) -> FrontEnd:
        return await self.exits.enter_async_context((kind or self.kind)(stage))

    def lasting(self, name: str = "begun") -> ScriptedReply:
        """A command that lasts until `let_go`, and leaves a line in a file each time it begins."""
        line = f": {mark(self.folder)}; echo x >> {name}; while [ ! -e go ]; do sleep 0.02; done"
        return calls(execute_command={"command": line})


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
