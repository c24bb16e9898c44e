"""Runs commands in sandboxes, as the user whose number it is given: one JSON line for each."""

import ctypes
import json
import os
import shutil
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from roo_code.sandbox.detection import open_sandbox
from roo_code.sandbox.policy import Limits, SandboxPolicy
from roo_code.workspace.processes import ProcessGroup

PATIENCE = 5.0
_SET_DUMPABLE = 4


def become(uid: int) -> None:
    """Give up being root, after all that only root may read has been imported."""
    for name in ("termios", "tty", "encodings.idna", "roo_code.sandbox.listed_hosts",
                 "roo_code.sandbox.docker_backend"):  # fmt: skip
        import_module(name)
    sys.executable = shutil.which("python3", path=os.defpath) or sys.executable
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    # The kernel hides what was root from whom it has become; users' own processes it does not.
    ctypes.CDLL(None).prctl(_SET_DUMPABLE, 1)


def policy_of(asked: dict[str, Any]) -> SandboxPolicy:
    readable, writable = (
        tuple(map(Path, asked.get(name, ()))) for name in ("readable", "writable")
    )
    limits = Limits(**asked.get("limits", {}))
    reached: dict[str, Any] = {"network": asked.get("network", "off")}
    reached["hosts"] = tuple(asked.get("hosts", ()))
    return SandboxPolicy(readable=readable, writable=writable, limits=limits, **reached)


def remaining(group: ProcessGroup) -> set[int]:
    """What is not gone soon: the kernel ends a sandbox after we have heard of its end."""
    deadline = time.monotonic() + PATIENCE
    while (alive := group.living()) and time.monotonic() < deadline:
        time.sleep(0.005)
    return alive


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    workspace = Path(asked["workspace"])
    os.environ["HOME"] = asked["home"]
    argv = ["/bin/bash", "-c", asked["command"]]
    environment = {**os.environ, **asked["environment"]}
    sandbox = open_sandbox(policy_of(asked), workspace, backend=asked["backend"])
    try:
        if not asked["bare"]:
            # Ways out are tried here, `kill -9 -1` by root among them: never without a sandbox.
            if not sandbox.confines:
                raise SystemExit(f"There is no sandbox to try it in: {sandbox.warnings}")
            wrapped = sandbox.wrap(argv, cwd=workspace, environment=environment)
            argv, environment = list(wrapped.argv), wrapped.environment | asked["environment"]
        group = ProcessGroup(
            argv,
            cwd=workspace,
            environment=environment,
            terminal=(24, 80) if asked["terminal"] else None,
        )
        output = b"".join(iter(lambda: group.read(1 << 16), b""))
        status = group.wait()
        left = len(remaining(group))
        group.stop()
        group.close()
        said = {"status": status, "output": output.decode(errors="replace"), "left": left}
        return {**said, "name": sandbox.name, "warnings": sandbox.warnings}
    finally:
        sandbox.close()


def main() -> None:
    if len(sys.argv) > 1:
        become(int(sys.argv[1]))
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
