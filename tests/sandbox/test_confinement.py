from pathlib import Path

import pytest

from roo_code.errors import ConfigError
from roo_code.sandbox.confinement import Confinement, confinement, sandbox_mode
from roo_code.sandbox.detection import find_sandbox
from tests.sandbox.box import works_here


@pytest.fixture
def no_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


def test_it_is_off_unless_somebody_says_so() -> None:
    assert sandbox_mode({}) == "off"
    assert confinement({}) == Confinement(
        False, "Commands run without a sandbox: the setting `sandbox` is off."
    )


def test_what_was_chosen_for_the_task_goes_before_the_settings() -> None:
    assert sandbox_mode({"sandbox": "off"}, "required") == "required"
    assert sandbox_mode({"sandbox": "required"}, "off") == "off"
    assert sandbox_mode({"sandbox": "auto"}, "") == "auto"


def test_a_word_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match="no sandbox 'maybe'") as raised:
        sandbox_mode({}, "maybe")
    assert raised.value.hint == "Say one of off, unasked, auto, required."


@pytest.mark.skipif(not works_here(), reason="no sandbox works here")
@pytest.mark.parametrize("mode", ["auto", "required"])
def test_where_one_works_commands_are_confined(mode: str) -> None:
    held = confinement({"sandbox": mode, "sandboxBackend": "bubblewrap"})
    told = "Commands run in a sandbox (bubblewrap)."
    assert held == Confinement(True, told, mode == "required", can_confine=True)


@pytest.mark.skipif(not works_here(), reason="no sandbox works here")
def test_it_may_hold_only_what_nobody_was_asked_about() -> None:
    held = confinement({"sandbox": "unasked", "sandboxBackend": "bubblewrap"})
    assert (held.confines, held.can_confine, held.reaches_out) == (False, True, False)
    assert held.told == "Commands that nobody was asked about run in a sandbox (bubblewrap)."
    assert confinement({"sandbox": "unasked", "sandboxNetwork": "on"}).reaches_out


@pytest.mark.usefixtures("no_programs")
def test_where_there_is_none_it_is_said_and_what_follows_from_it() -> None:
    missing = "for there is no sandbox: bubblewrap is not installed. apt install bubblewrap."
    for mode in ("auto", "unasked"):
        held = confinement({"sandbox": mode})
        assert held == Confinement(False, f"Commands run with all your rights, {missing}")
    held = confinement({"sandbox": "required"})
    assert held == Confinement(False, f"Commands are refused, {missing}", True)
    told = confinement({"sandbox": "auto", "sandboxBackend": "sandlock"}).told
    assert "not found: setpriv, prlimit, timeout" in told
    told = confinement({"sandbox": "auto", "sandboxBackend": "docker"}).told
    assert "docker is not installed. apt install docker.io." in told


@pytest.mark.skipif(not find_sandbox("sandlock").open, reason="sandlock does not work here")
def test_a_sandbox_that_leaves_hooks_open_is_not_used_unless_somebody_says_so() -> None:
    assert not confinement({"sandbox": "unasked", "sandboxBackend": "sandlock"}).can_confine
    assert confinement({"sandbox": "auto", "sandboxBackend": "sandlock"}).can_confine
