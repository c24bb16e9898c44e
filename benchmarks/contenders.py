"""The agents that are measured as commands, each in the shape its users run it."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.places import CACHE, OUR_BIN, PEER_BIN, PEERS, clean_environment, home
from benchmarks.script import PROMPT

CODEX_VERSION = "0.166.0"
_CODEX = CACHE / "codex"
_CODEX_CONFIG = """
model = "gpt-5.5"
model_provider = "bench"
check_for_update_on_startup = false
[model_providers.bench]
name = "bench"
base_url = {url}
wire_api = "responses"
env_key = "BENCH_KEY"
[analytics]
enabled = false
"""


class Unavailable(Exception):
    """A peer cannot be installed here; the text says why."""


@dataclass(frozen=True)
class Launch:
    command: list[str | Path]
    env: dict[str, str] = field(default_factory=clean_environment)


@dataclass(frozen=True)
class Contender:
    name: str
    script: str
    launch: Callable[[str, Path], Launch]
    """Given the model's address and the workspace."""
    prepare: Callable[[], None] = lambda: None
    """Makes sure that it is installed, or raises Unavailable."""


def _roo(url: str, workspace: Path) -> Launch:
    options = ["--provider", "openai", "--base-url", url, "--model", "bench", "--approve", "all"]
    return Launch(
        [OUR_BIN / "roo", "-p", *options, PROMPT],
        clean_environment(ROO_HOME=str(home("roo")), OPENAI_API_KEY="bench"),
    )


def _codex(binary: Callable[[], Path]) -> Callable[[str, Path], Launch]:
    def launch(url: str, workspace: Path) -> Launch:
        folder = home("codex")
        config = _CODEX_CONFIG.format(url=json.dumps(url))
        (folder / "config.toml").write_text(config, encoding="utf-8")
        command = [binary(), "exec", "--skip-git-repo-check", "--sandbox", "danger-full-access"]
        return Launch(
            [*command, PROMPT], clean_environment(CODEX_HOME=str(folder), BENCH_KEY="bench")
        )

    return launch


def _codex_by_npm() -> Path:
    return _CODEX / "node_modules" / ".bin" / "codex"


def _codex_binary() -> Path:
    found = sorted(_CODEX.glob("node_modules/@openai/codex-*/vendor/*/bin/codex"))
    if not found:
        raise Unavailable(f"the npm package holds no binary for {platform.machine()}")
    return found[0]


def _install_codex() -> None:
    if _codex_by_npm().exists():
        return
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable("npm is not installed")
    _CODEX.mkdir(parents=True, exist_ok=True)
    package = f"@openai/codex@{CODEX_VERSION}"
    done = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", "--prefix", str(_CODEX), package],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Unavailable(f"npm install {package} failed: {' '.join(done.stderr.split())[-200:]}")


def _mini(url: str, workspace: Path) -> Launch:
    folder = home("mini")
    settings = ["mini.yaml", f"model.model_kwargs.api_base={url}"]
    return Launch(
        [
            *(PEER_BIN / "mini", "--yolo", "--exit-immediately", "--cost-limit", "0"),
            *("--model", "openai/bench", "--task", PROMPT, "--output", folder / "run.traj.json"),
            *(part for setting in settings for part in ("--config", setting)),
        ],
        mini_environment(),
    )


def mini_environment() -> dict[str, str]:
    """Configured, quiet, and without its wish to load a price list from the network."""
    return clean_environment(
        MSWEA_GLOBAL_CONFIG_DIR=str(home("mini")),
        MSWEA_CONFIGURED="true",
        MSWEA_SILENT_STARTUP="1",
        MSWEA_COST_TRACKING="ignore_errors",
        LITELLM_LOCAL_MODEL_COST_MAP="True",
        OPENAI_API_KEY="bench",
    )


def _pydantic_ai(url: str, workspace: Path) -> Launch:
    return Launch([PEER_BIN / "python", PEERS / "pydantic_ai_task.py", url, PROMPT])


def need_peers() -> None:
    if not (PEER_BIN / "python").exists():
        raise Unavailable(".venv-bench is missing: make .venv-bench/requirements.stamp")


ROO = Contender("roo", "roo", _roo)
CODEX = Contender("codex (npm)", "codex", _codex(_codex_by_npm), _install_codex)
CODEX_BINARY = Contender("codex (bare binary)", "codex", _codex(_codex_binary), _install_codex)
MINI = Contender("mini-swe-agent", "mini", _mini, need_peers)
PYDANTIC_AI = Contender("pydantic-ai (script)", "pydantic-ai", _pydantic_ai, need_peers)
