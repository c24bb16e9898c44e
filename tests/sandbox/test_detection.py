import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from roo_code.sandbox.detection import find_sandbox, open_sandbox
from roo_code.sandbox.policy import SandboxPolicy
from tests.sandbox.box import ROOT, works_here

NEEDED = ("env", "prlimit", "timeout")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All that is on the search path."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_without_bubblewrap_commands_run_and_it_is_said(programs: Path, tmp_path: Path) -> None:
    sandbox = open_sandbox(SandboxPolicy(), tmp_path)
    assert (sandbox.name, sandbox.confines) == ("none", False)
    assert sandbox.warnings == (
        "Commands run without a sandbox, with all your rights: bubblewrap is not installed. "
        "apt install bubblewrap.",
    )
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/somewhere", "API_KEY": "sk-secret"}
    command = sandbox.wrap(["/bin/sh", "-c", "echo $HOME"], cwd=tmp_path, environment=environment)
    assert command.argv == ("/bin/sh", "-c", "echo $HOME")
    assert command.environment == {"PATH": "/usr/bin:/bin", "HOME": "/somewhere"}
    ran = subprocess.run(command.argv, env=command.environment, capture_output=True, check=True)
    assert ran.stdout == b"/somewhere\n"
    sandbox.close()


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is for Linux")
def test_a_bubblewrap_that_may_not_is_none(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing = programs / "bwrap"
    refusing.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1"
    )
    refusing.chmod(0o755)
    assert find_sandbox().reason == "not found: env, prlimit, timeout"
    for name in NEEDED:
        (programs / name).symlink_to(shutil.which(name, path=os.defpath) or name)
    monkeypatch.setenv("PATH", f"{programs}:")  # another, for the answer is kept
    found = find_sandbox()
    assert found.open is None
    assert "No permissions to create new namespace" in found.reason
    assert "user namespaces" in found.fix
    assert not open_sandbox(SandboxPolicy(), tmp_path).confines


def test_in_a_sandbox_there_is_no_other(tmp_path: Path) -> None:
    if not works_here():
        pytest.skip("bubblewrap does not work here")
    readable = (ROOT, Path(sys.prefix), Path(sys.base_prefix))
    sandbox = open_sandbox(SandboxPolicy(readable=readable), tmp_path)
    code = "from roo_code.sandbox.detection import find_sandbox as f; print(f().reason)"
    environment = {"PATH": os.defpath}
    command = sandbox.wrap([sys.executable, "-c", code], cwd=tmp_path, environment=environment)
    path = {"PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        command.argv, env=command.environment | path, capture_output=True, text=True, check=True
    )
    sandbox.close()
    assert ran.stdout.startswith("bubblewrap may not make a sandbox here")
