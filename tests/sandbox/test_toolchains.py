"""Programs in the home are shown, and what lies beside them is not."""

from pathlib import Path

import pytest

from roo_code.sandbox.toolchains import own_python, toolchains


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    for name in (".pyenv/shims", ".nvm", ".cargo/bin", ".local/bin", ".local/share/keyrings",
                 ".local/share/uv/python", ".local/share/uv/credentials", ".ssh", ".docker/bin",
                 "project"):  # fmt: skip
        (home / name).mkdir(parents=True)
    return home


def found(home: Path, workspace: Path | None = None, **environ: str) -> set[str]:
    """Those of the home, and of what is beside it."""
    shown = toolchains(workspace or home / "project", environ, home)
    beside = home.parent.resolve()
    return {str(path.relative_to(beside)) for path in shown if path.is_relative_to(beside)}


def make_python(prefix: Path) -> Path:
    (prefix / "bin").mkdir(parents=True)
    (prefix / "lib" / "python3.11").mkdir(parents=True)
    (prefix / "lib" / "python3.11" / "os.py").touch()
    (prefix / "bin" / "python3.11").touch()
    return prefix / "bin" / "python3.11"


USUAL = {"home/.pyenv", "home/.nvm", "home/.cargo/bin", "home/.local/bin",
         "home/.local/share/uv/python"}  # fmt: skip


def test_what_is_known_to_hold_programs_is_shown_and_no_more(home: Path) -> None:
    assert found(home) == USUAL


def test_of_a_search_path_in_the_home_only_the_programs_are_shown(home: Path) -> None:
    path = f"{home}/.docker/bin:{home}/.ssh:{home}:.:relative:/usr/bin:{home}/missing/bin"
    assert found(home, PATH=path) == USUAL | {"home/.docker/bin"}


def test_a_search_path_elsewhere_is_shown_with_what_stands_beside_it(home: Path) -> None:
    (home.parent / "tools" / "node" / "bin").mkdir(parents=True)
    (home.parent / "tools" / ".secret" / "bin").mkdir(parents=True)
    tools = home.parent / "tools"
    shown = found(home, PATH=f"{tools}/node/bin:{tools}/.secret/bin")
    assert shown == USUAL | {"tools/node", "tools/.secret/bin"}


def test_the_python_of_a_virtual_environment_is_shown(home: Path) -> None:
    python = make_python(home / "pythons" / "3.11")
    (home / "project" / ".venv" / "bin").mkdir(parents=True)
    (home / "project" / ".venv" / "bin" / "python").symlink_to(python)
    assert found(home) == USUAL | {"home/pythons/3.11"}


@pytest.mark.parametrize("target", [".ssh/id/python", ".ssh/bin/python3", "python3"])
def test_a_link_that_leads_to_no_python_shows_nothing(home: Path, target: str) -> None:
    (home / target).parent.mkdir(parents=True, exist_ok=True)
    (home / target).touch()
    (home / "project" / ".venv" / "bin").mkdir(parents=True)
    (home / "project" / ".venv" / "bin" / "python").symlink_to(home / target)
    assert found(home) == USUAL


def test_links_in_a_circle_do_no_harm(home: Path) -> None:
    (home / "project" / ".venv").symlink_to(home / "project" / ".venv")
    assert found(home) == USUAL


def test_variables_name_folders_but_never_the_home(home: Path) -> None:
    (home / "jdk").mkdir()
    shown = found(home, JAVA_HOME=str(home / "jdk"), VIRTUAL_ENV=str(home), GOROOT="/")
    assert shown == USUAL | {"home/jdk"}


def test_our_own_python_and_libraries_are_shown(home: Path) -> None:
    shown = toolchains(home / "project", {}, home)
    for path in own_python():
        there = path.resolve()
        system = there.is_relative_to("/usr") or there.is_relative_to("/opt")
        assert system or any(there.is_relative_to(folder) for folder in shown), path
