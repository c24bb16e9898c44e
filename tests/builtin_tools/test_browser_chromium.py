import sys
from pathlib import Path

import pytest

from roo_code.builtin_tools.browser_chromium import VARIABLE, find_chromium
from roo_code.errors import ToolError
from tests.builtin_tools.calls import Caller


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(VARIABLE, raising=False)
    return tmp_path


def program(path: Path) -> str:
    path.write_bytes(b"#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_systems_own_is_used(folder: Path) -> None:
    chrome = program(folder / "google-chrome")
    assert find_chromium("") == chrome
    chromium = program(folder / "chromium")
    assert find_chromium("") == chromium


def test_the_variable_comes_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(folder / "chromium")
    mine = program(folder / "mine")
    monkeypatch.setenv(VARIABLE, mine)
    assert find_chromium("") == mine
    monkeypatch.setenv(VARIABLE, str(folder / "gone"))
    with pytest.raises(ToolError, match=f"{VARIABLE} is set to .*gone"):
        find_chromium("")


def test_the_one_of_playwright_comes_last(folder: Path) -> None:
    own = program(folder / "own")
    assert find_chromium(own) == own
    assert find_chromium(own) != program(folder / "chromium")


async def test_without_playwright_the_error_says_how_to_get_it(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "playwright.async_api", None)
    result = await caller.call("browser_action", action="launch", url="http://localhost:9999")
    assert result.is_error
    assert "pip install 'roo-code[browser]'" in result.content
    assert (await caller.call("browser_action", action="close")).content == "The browser is closed."


def test_where_there_is_none_the_error_says_how_to_get_one(folder: Path) -> None:
    with pytest.raises(ToolError, match=r"apt install chromium.*playwright install chromium"):
        find_chromium(str(folder / "not installed"))
