"""Git repositories to look into."""

import subprocess
from pathlib import Path


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    run = subprocess.run(
        ["git", *who, "-c", "commit.gpgsign=false", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.strip()


def repository(folder: Path, **files: str) -> str:
    """One commit of these files; its hash."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    return commit(folder, "First words", **files)


def commit(folder: Path, message: str, **files: str) -> str:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)
    return git(folder, "rev-parse", "HEAD")
