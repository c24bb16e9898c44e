import os
from pathlib import Path

import pytest

from tests.config.homes import Home


@pytest.fixture(autouse=True)
def no_settings_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("ROO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ROO_SECRETS", "file")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)
