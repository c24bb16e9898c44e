from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.builtin_tools.calls import Caller, FolderOfArtifacts


@pytest.fixture
async def caller(tmp_path: Path) -> AsyncIterator[Caller]:
    folder = tmp_path / "workspace"
    folder.mkdir()
    caller = Caller(folder, FolderOfArtifacts(tmp_path / "artifacts"))
    yield caller
    await caller.resources.aclose()
