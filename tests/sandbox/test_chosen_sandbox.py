from pathlib import Path
from typing import Any

import pytest

from roo_code.errors import ConfigError
from roo_code.sandbox.chosen_sandbox import chosen_policy, open_chosen_sandbox
from roo_code.sandbox.policy import Limits
from tests.sandbox.box import works_here


def test_the_settings_become_a_policy(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    settings: dict[str, Any] = {
        "sandboxNetwork": "hosts",
        "sandboxHosts": ["pypi.org"],
        "sandboxLimits": {"memoryMb": 100, "processes": 0, "cpuSeconds": 5, "seconds": 1.5},
        "sandboxReadable": ["more"],
        "sandboxWritable": [str(tmp_path)],
    }
    policy = chosen_policy(settings, tmp_path, {})
    assert (policy.network, policy.hosts) == ("listed", ("pypi.org",))
    assert policy.limits == Limits(
        memory=100 << 20, processes=None, cpu_seconds=5, wall_seconds=1.5
    )
    assert policy.readable[-1] == tmp_path / "more"
    assert policy.writable == (tmp_path,)


def test_without_settings_the_network_is_off_and_the_limits_hold(tmp_path: Path) -> None:
    policy = chosen_policy({}, tmp_path, {})
    assert policy.network == "off"
    assert policy.limits == Limits()


def test_variables_are_the_callers_choice_but_for_what_is_not_there_inside(tmp_path: Path) -> None:
    given = {"TOKEN": "t", "SSH_AUTH_SOCK": "/run/agent", "XDG_CACHE_HOME": "/x", "TMP": "/x"}
    assert chosen_policy({}, tmp_path, {}).chosen(given) == {"TOKEN": "t"}
    sandbox = open_chosen_sandbox({"sandbox": "off"}, tmp_path)
    assert not sandbox.confines
    assert sandbox.wrap(["true"], cwd=tmp_path, environment=given).environment == given


def test_a_sandbox_that_is_required_and_missing_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="Commands are refused, for there is no sandbox"):
        open_chosen_sandbox({"sandbox": "required"}, tmp_path)
    assert not open_chosen_sandbox({"sandbox": "auto"}, tmp_path).confines


@pytest.mark.skipif(not works_here(), reason="no sandbox works here")
def test_the_chosen_back_end_is_opened(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"sandbox": "auto", "sandboxBackend": "bubblewrap"}
    sandbox = open_chosen_sandbox(settings, tmp_path)
    assert sandbox.name == "bubblewrap"
    sandbox.close()
