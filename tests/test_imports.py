"""What a start loads, counted in modules: unlike time, it is the same on every machine."""

import subprocess
import sys

import pytest

from roo_code.version import VERSION

HEAVY = {"asyncio", "click", "httpx2", "importlib.metadata", "pydantic", "rich", "sqlite3"}


def run(*arguments: str) -> tuple[str, set[str]]:
    """The output of Python with these arguments, and the modules that it loaded."""
    command = [sys.executable, "-X", "importtime", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return done.stdout, {line.rpartition("|")[2].strip() for line in lines}


@pytest.fixture(scope="module")
def bare() -> set[str]:
    return run("-c", "")[1]


def test_importing_the_package_loads_nothing_else(bare: set[str]) -> None:
    loaded = run("-c", "import roo_code")[1] - bare
    assert {name for name in loaded if name.startswith("roo_code")} == {
        "roo_code",
        "roo_code.version",
    }
    assert {name.partition(".")[0] for name in loaded} <= {"roo_code", *sys.stdlib_module_names}


def test_the_version_is_printed_without_loading_the_program(bare: set[str]) -> None:
    output, loaded = run("-m", "roo_code", "--version")
    assert output == f"roo {VERSION}\n"
    assert (loaded - bare) & HEAVY == set()
