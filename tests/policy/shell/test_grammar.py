import subprocess
import sys
from pathlib import Path

import pytest

_JUDGE = (
    "from pathlib import Path\n"
    "from roo_code.policy.shell.parse import parse_line\n"
    "import sys\n"
    "assert 'tree_sitter' not in sys.modules\n"
    "parsed = parse_line('ls')\n"
    "print(len(parsed.commands), parsed.unreadable)\n"
)


def judged(environment: dict[str, str], code: str = _JUDGE) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize("broken", ["file", "half"])
def test_a_cache_that_cannot_be_used_does_not_matter(tmp_path: Path, broken: str) -> None:
    cache = tmp_path / "cache"
    if broken == "file":
        cache.touch()  # a folder cannot be made there
    else:
        judged({"SEMBLE_GRAMMARS_CACHE_DIR": str(cache)})
        for library in cache.rglob("*bash*"):
            library.write_bytes(b"")
    assert judged({"SEMBLE_GRAMMARS_CACHE_DIR": str(cache), "TMPDIR": str(tmp_path)}) == "1"


def test_without_a_grammar_every_command_is_asked() -> None:
    without = "import platform\nplatform.machine = lambda: 'pdp11'\n"
    out = judged({}, without + _JUDGE)
    assert out.startswith("0 the shell grammar cannot be loaded")
