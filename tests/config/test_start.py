"""What reading settings costs a start, counted in modules."""

import os
import subprocess
import sys
from pathlib import Path

HEAVY = {"yaml", "ruamel", "keyring", "cryptography", "watchfiles", "roo_code.config.jsonc"}
READ = """
import sys
from roo_code.config.layers import LayeredSettings
from roo_code.config.run_settings import stored_provider
from roo_code.policy.roo_switches import approval_of
settings = LayeredSettings().resolve()
stored_provider(settings), approval_of(settings)
print(*sys.modules)
"""


def loaded(home: Path) -> set[str]:
    environ = {**os.environ, "ROO_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", READ], capture_output=True, text=True, check=True, env=environ
    )
    return {*done.stdout.split()}


def test_settings_are_read_without_loading_what_only_some_of_them_need(tmp_path: Path) -> None:
    assert loaded(tmp_path) & HEAVY == set()
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / "settings.json").write_text('{"mode": "ask"}', encoding="utf-8")
    assert loaded(tmp_path) & HEAVY == set()
    (tmp_path / "settings" / "settings.json").rename(tmp_path / "settings" / "settings.yaml")
    assert loaded(tmp_path) & HEAVY == {"yaml"}
