from pathlib import Path

import pytest

from tests.builtin_tools.calls import Caller, FolderOfArtifacts


@pytest.fixture
def caller(tmp_path: Path) -> Caller:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return Caller(folder, FolderOfArtifacts(tmp_path / "artifacts"))
