import pytest

from roo_code.policy.protected import is_protected


@pytest.mark.parametrize(
    "path",
    [
        ".rooignore",
        ".roomodes",
        ".roorules",
        ".roorules-code",
        ".clinerules",
        ".clinerules-code/rules.md",
        ".roo/mcp.json",
        ".roo/rules/a/b.md",
        "package/.roo/rules/a.md",
        ".vscode/tasks.json",
        "team.code-workspace",
        ".rooprotected",
        "AGENTS.md",
        "docs/AGENTS.md",
        "agent.md",
        ".ROO/mcp.json",
        "./.roo/x",
        "src/../.roo/x",
        ".git/hooks/pre-commit",
    ],
)
def test_files_that_steer_the_agent_are_protected(path: str) -> None:
    assert is_protected(path)


@pytest.mark.parametrize(
    "path", ["a.py", "roo/a.py", ".gitignore", ".github/x.yml", "src/agents.py", ".rooignored"]
)
def test_other_files_are_not(path: str) -> None:
    assert not is_protected(path)
