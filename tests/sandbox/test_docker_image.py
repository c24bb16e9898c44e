import io
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from roo_code.errors import ConfigError
from roo_code.sandbox.chosen_sandbox import chosen_policy, open_chosen_sandbox
from roo_code.sandbox.docker_client import DockerClient
from roo_code.sandbox.docker_image import image_of
from tests.sandbox.box import ROOT

PROGRAMS = ("/bin/sh", "/usr/bin/env", "/bin/cat")
HOST_PATH = {"PATH": "/of/this/system", "JAVA_HOME": "/of/this/system", "LANG": "C.UTF-8"}


@pytest.fixture
def image(docker_address: str) -> str:
    """A small system of its own, with three programs and what they need."""
    asked = subprocess.run(["ldd", *PROGRAMS], capture_output=True, text=True, check=True)
    libraries = {*re.findall(r"(/\S+\.so\S*) \(", asked.stdout)}
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", dereference=True) as archive:
        files = {*map(Path, (*PROGRAMS, *libraries))}
        for path in sorted(files | {folder for file in files for folder in file.parents[:-1]}):
            archive.add(path, recursive=False)
        marked = tarfile.TarInfo("of-the-image")
        marked.size = 4
        archive.addfile(marked, io.BytesIO(b"mine"))
    client(docker_address).ask("import", "-", "of-the-tests:1", given=written.getvalue())
    return "of-the-tests:1"


def client(address: str) -> DockerClient:
    return DockerClient("docker", address)


def settings(**more: str) -> dict[str, Any]:
    return {"sandbox": "required", "sandboxBackend": "docker", **more}


def test_commands_run_with_the_programs_of_the_users_image(
    image: str, docker_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", docker_address)
    sandbox = open_chosen_sandbox(settings(sandboxImage=image), tmp_path)
    script = 'cat /of-the-image; echo " $PATH $JAVA_HOME $LANG"; echo x > new; echo x > /new'
    wrapped = sandbox.wrap(["/bin/sh", "-c", script], cwd=tmp_path, environment=HOST_PATH)
    ran = subprocess.run(wrapped.argv, env=wrapped.environment, capture_output=True, text=True)
    sandbox.close()
    usual = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    assert ran.stdout == f"mine {usual}  C.UTF-8\n"
    assert "/new: Read-only file system" in ran.stderr
    assert (tmp_path / "new").read_text() == "x\n"


def test_an_image_that_is_not_there_is_not_downloaded(
    docker_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", docker_address)
    with pytest.raises(ConfigError, match="alpine:3 of the setting sandboxImage") as raised:
        open_chosen_sandbox(settings(sandboxImage="alpine:3"), tmp_path)
    assert raised.value.hint == "docker pull alpine:3"


def test_what_only_looks_like_an_image_is_none(docker_address: str) -> None:
    for name in ("--help", "A B"):
        with pytest.raises(ConfigError):
            image_of(name, client(docker_address))


def test_the_empty_image_is_made_once(docker_address: str) -> None:
    assert image_of("", client(docker_address)) == image_of("", client(docker_address))
    listed = client(docker_address).ask("images", "--format", "{{.Repository}}")
    assert listed.split().count("roo-code-sandbox") == 1


def test_an_image_is_dockers_alone(tmp_path: Path) -> None:
    chosen: dict[str, Any] = {"sandboxImage": "node:22"}
    assert chosen_policy(settings(**chosen), tmp_path, {}).image == "node:22"
    assert chosen_policy(chosen, tmp_path, {}).image == ""


def test_our_own_python_runs_where_no_image_is_chosen(
    docker_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", docker_address)
    sandbox = open_chosen_sandbox(settings(), tmp_path)
    code = "import roo_code.builtin_tools.registry, sys; print(sys.prefix)"
    python = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    wrapped = sandbox.wrap([sys.executable, "-c", code], cwd=tmp_path, environment=python)
    ran = subprocess.run(wrapped.argv, env=wrapped.environment, capture_output=True, text=True)
    sandbox.close()
    assert (ran.stdout, ran.stderr) == (f"{sys.prefix}\n", "")
