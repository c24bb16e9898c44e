"""What a sandbox does to those who want too much, and what it lets be."""

import pytest

from tests.sandbox.box import Box

FORK_BOMB = """python3 -c '
import os, time
started = 0
try:
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(1000)
        started += 1
except BlockingIOError:
    pass
print(started)'"""


def test_a_fork_bomb_goes_out(box: Box) -> None:
    ran = box.run(FORK_BOMB, limits={"processes": 40})
    assert 20 < int(ran.output) <= 42
    assert ran.left == 0
    assert box.run(FORK_BOMB).output == "200\n"


def test_memory_is_limited(box: Box) -> None:
    fill = "python3 -c 'x = bytearray({} << 20)'"
    limits = {"memory": 200 << 20}
    assert box.run(fill.format(500), limits=limits).status != 0
    assert box.run(fill.format(20), limits=limits).status == 0
    assert box.run(fill.format(500)).status == 0


def test_memory_of_all_together_is_limited_or_it_is_said(box: Box) -> None:
    one = "python3 -c 'import time; x = bytearray(b\"x\") * (80 << 20); time.sleep(0.5)' & "
    ran = box.run(
        f"{one * 4} wait -n && wait -n && wait -n && wait -n", limits={"memory": 200 << 20}
    )
    said = any("limit on memory holds for each process" in text for text in ran.warnings)
    assert said == (ran.status == 0)


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm", "$HOME"])
def test_folders_in_memory_are_limited(box: Box, folder: str) -> None:
    write = f"head -c 5000000 /dev/zero > {folder}/x"
    assert box.run(write, limits={"temporary": 1 << 20}).status != 0
    assert box.run(write).status == 0


def test_files_are_limited(box: Box) -> None:
    write = "head -c 5000000 /dev/zero > x"
    assert box.run(write, limits={"file_size": 1 << 20}).status != 0
    assert (box.workspace / "x").stat().st_size == 1 << 20
    assert box.run(write).status == 0


def test_processor_time_is_limited(box: Box) -> None:
    ran = box.run("exec python3 -c 'while True: pass'", limits={"cpu_seconds": 1})
    assert ran.status in {128 + 9, 128 + 24}


def test_time_is_limited_for_all_processes(box: Box) -> None:
    ran = box.run("trap '' TERM; (setsid sleep 1000 &) ; sleep 1000", limits={"wall_seconds": 0.5})
    assert ran.status == 128 + 9
    assert ran.left == 0


WORKS = {
    "python": ("python3 -c 'print(6 * 7)'", "42\n"),
    "pipes": ("printf '3\\n1\\n2\\n' | sort | head -n 1", "1\n"),
    "make": ("printf 'all:\\n\\t@echo made\\n' > Makefile && make", "made\n"),
    "git": (
        "git init -q . && git config user.email x@x && git config user.name x && echo x > file && "
        "git add . && git commit -qm first && git log --format=%s",
        "first\n",
    ),
    "files to write to": ("echo x > /tmp/x && echo x > ~/x && cat /tmp/x ~/x x", "x\nx\nx\n"),
    "processes beside": ("sleep 0.01 & wait && echo done", "done\n"),
    "threads": ("python3 -c 'import threading as t; t.Timer(0, print, \"1\").start()'", "1\n"),
    "a server for oneself": (
        "python3 -c 'import socket as s; l = s.create_server((\"127.0.0.1\", 0)); "
        "s.create_connection(l.getsockname()); print(\"met\")'",
        "met\n",
    ),
    "names of users": ("python3 -c 'import pwd; print(pwd.getpwuid(0).pw_name)'", "root\n"),
    "descriptors": ("cat <(echo from a descriptor)", "from a descriptor\n"),
    "shared memory": ("python3 -c 'import multiprocessing as m; print(m.Lock() and 1)'", "1\n"),
    "the folder": ("basename $PWD", "workspace\n"),
}  # fmt: skip


@pytest.mark.parametrize(("command", "printed"), WORKS.values(), ids=WORKS.keys())
def test_what_programs_need_works(box: Box, command: str, printed: str) -> None:
    (box.workspace / "x").write_text("x\n")
    ran = box.run(command)
    assert (ran.status, ran.output) == (0, printed)
    assert ran.name == "bubblewrap"


@pytest.mark.parametrize(
    ("command", "status"),
    [("exit 3", 3), ("exit 255", 255), ("kill -TERM $$", 143), ("kill -KILL $$", 137),
     ("no-such-program-anywhere", 127)],
)  # fmt: skip
def test_the_exit_status_comes_out(box: Box, command: str, status: int) -> None:
    assert box.run(command).status == status


def test_much_output_comes_out_whole(box: Box) -> None:
    ran = box.run("yes 123456789 | head -c 10000000")
    assert ran.output == "123456789\n" * 1_000_000


def test_a_terminal_is_one(box: Box) -> None:
    ran = box.run("test -t 0 && test -t 1 && stty size && echo x > /dev/tty", terminal=True)
    assert (ran.status, ran.output) == (0, "24 80\nx\n")


def test_listed_folders_are_there(box: Box) -> None:
    outside = [str(box.outside)]
    assert box.run("cat $OUTSIDE/kept", readable=outside).status == 0
    assert box.run("echo x > $OUTSIDE/kept", readable=outside).status != 0
    assert box.run("echo x > $OUTSIDE/kept", writable=outside).status == 0
    assert (box.outside / "kept").read_text() == "x\n"


def test_what_was_written_belongs_to_the_user(box: Box) -> None:
    assert box.run("echo mine > new").status == 0
    assert (box.workspace / "new").stat().st_uid == box.uid
