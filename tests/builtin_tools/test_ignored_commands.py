from pathlib import Path

import pytest

from roo_code.builtin_tools.ignored_commands import refuse_reading_ignored
from roo_code.errors import NotAllowed
from roo_code.workspace.workspace import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "secrets").mkdir(parents=True)
    (root / "secrets" / "key").touch()
    (root / "a.env").touch()
    (root / ".rooignore").write_text("secrets/\n*.env\n", encoding="utf-8")
    return root


@pytest.mark.parametrize(
    "command",
    [
        "cat a.env",
        "CAT a.env",
        "head -n 1 'secrets/key'",
        "/bin/cat ./secrets/../a.env",
        "cat {root}/a.env",
        "echo x | cat a.env",
        "true && sudo tail -f a.env",
        "bash -c 'cat a.env'",
        "echo $(cat a.env)",
        "cat *",
        "cat secrets/*",
        "wc -l < a.env",
        "wc -l <a.env",
        "x=$(<a.env)",
        "grep --file=a.env x",
        "dd if=a.env",
        "cat .rooignore",
        "cat " + "x " * 40 + "a.env",
        'cat "a.env',
        "Get-Content a.env",
    ],
)
def test_a_command_that_reads_an_ignored_file_is_refused(root: Path, command: str) -> None:
    with pytest.raises(NotAllowed, match="access_denied"):
        refuse_reading_ignored(command.format(root=root), root, Workspace(root))


@pytest.mark.parametrize(
    "command", ["cat a.txt", "rm a.env", "echo 'cat a.env'", "ls", "python a.py", "cat $X", ""]
)
def test_other_commands_are_not(root: Path, command: str) -> None:
    refuse_reading_ignored(command, root, Workspace(root))


def test_words_are_taken_from_the_folder_the_command_runs_in(root: Path) -> None:
    with pytest.raises(NotAllowed):
        refuse_reading_ignored("cat key", root / "secrets", Workspace(root))
    refuse_reading_ignored("cat key", root, Workspace(root))


def test_without_the_file_every_command_may_run(root: Path) -> None:
    (root / ".rooignore").unlink()
    refuse_reading_ignored("cat a.env", root, Workspace(root))
