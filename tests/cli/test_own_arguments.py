"""The key of `-k` is not in the process list."""

import subprocess
import sys
from pathlib import Path

import pytest

from roo_code.cli.own_arguments import hide_key, without_key

KEY = b"sk-planted-0123456789"


@pytest.mark.parametrize(
    ("shown", "left"),
    [
        (b"roo\0-k\0KEY\0-p\0x\0", b"roo\0-k\0***\0-p\0x\0"),
        (b"roo\0-kKEY\0", b"roo\0-k***\0"),
        (b"roo\0--api-key\0KEY\0", b"roo\0--api-key\0***\0"),
        (b"roo\0--api-key=KEY\0-p\0KEY\0", b"roo\0--api-key=***\0-p\0KEY\0"),
        (b"roo\0-p\0x\0", b"roo\0-p\0x\0"),
        (b"roo\0-k", b"roo\0-k"),
        (b"", b""),
    ],
)
def test_only_the_key_is_written_over(shown: bytes, left: bytes) -> None:
    assert without_key(shown) == left


def test_a_system_without_proc_is_left_as_it_is(tmp_path: Path) -> None:
    hide_key(tmp_path)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("flag", [["-k", KEY], [b"--api-key=" + KEY], [b"-k" + KEY]])
def test_the_process_list_never_shows_the_key_once_it_was_read(flag: list[bytes | str]) -> None:
    program = (
        "import sys; from pathlib import Path; "
        "import roo_code.__main__ as m, roo_code.cli.main as c; "
        "c.cli = lambda: print(Path('/proc/self/cmdline').read_bytes(), sys.argv); m.main()"
    )
    command = [sys.executable, "-c", program, *flag, "-p", "hello"]
    done = subprocess.run(command, capture_output=True, check=True)
    shown, _, arguments = done.stdout.partition(b" [")
    assert KEY not in shown
    assert b"***" in shown
    assert b"hello" in shown
    assert KEY in arguments  # Python itself still has it
