from pathlib import Path

import pytest

from tests.context.trees import Places


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    places = Places(tmp_path)
    monkeypatch.setenv("HOME", str(places.user))
    return places
