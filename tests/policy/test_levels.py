from pathlib import Path
from typing import Any

import pytest

from roo_code.approval_values import ApprovalLevel, ApprovalSettings
from roo_code.events import ApprovalDecided, ApprovalRequested
from roo_code.json_text import JsonValue
from roo_code.messages import ToolUseContent
from roo_code.policy.approval import ApproveAll, CallFacts
from roo_code.policy.levels import PolicyApprover
from roo_code.policy.shell.judge import judge
from roo_code.policy.shell.places import Places
from roo_code.policy.shell.verdict import ShellRules
from roo_code.sandbox.confinement import UNCONFINED, Confinement
from roo_code.workspace.workspace import Workspace
from tests.policy.shell.corpus import corpus

LEVELS: tuple[ApprovalLevel, ...] = (
    "all", "full-auto-in-sandbox", "auto", "edits", "read", "read-only", "ask"
)  # fmt: skip

CONFINED = Confinement(True, "", can_confine=True)


def facts(
    group: str,
    *paths: str,
    name: str = "",
    input: dict[str, JsonValue] | None = None,
    read_only: bool = False,
    **more: Any,
) -> CallFacts:
    call = ToolUseContent(id="call_1", name=name or f"{group}_tool", input=input or {})
    return CallFacts(call=call, group=group, read_only=read_only, paths=paths, **more)


READ = facts("read", "src/a.py", read_only=True)
EDIT = facts("edit", "src/a.py")
PROTECTED_EDIT = facts("edit", "src/a.py", ".roo/mcp.json")
UNKNOWN_EDIT = facts("edit")
LISTED = facts("command", command="git log -5")
EVERYDAY = facts("command", command="ls src | wc -l")
PROJECT = facts("command", command="make test")
UNLISTED = facts("command", command="terraform apply")
SEARCH = facts("advanced", read_only=True)
IMAGE = facts("advanced", "a.png")
SUBTASK = facts("modes")
MCP = facts("mcp", read_only=True)
ALLOWED_MCP = facts("mcp", server="s", tool="find", allowed_by_server=True)
RESOURCE = facts("mcp", name="access_mcp_resource", server="s")
LISTED_RESOURCE = facts("mcp", name="access_mcp_resource", server="s", allowed_by_server=True)
PROMPT = facts("advanced", name="run_slash_command", server="mcp--s--p", read_only=True)
FETCH = facts("browser", read_only=True)
RISKY_EDIT = facts("edit", "src/a.py", input={"requires_approval": True})
RISKY_READ = facts("read", "src/a.py", read_only=True, input={"requires_approval": True})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / ".roo").mkdir(parents=True)
    return root


def approver(root: Path, level: ApprovalLevel, **options: Any) -> PolicyApprover:
    sandboxed = options.pop("sandboxed", False)
    settings = ApprovalSettings(
        level=level, allowed_commands=("git log",), denied_commands=("rm", "git push"), **options
    )
    return PolicyApprover(
        settings, Workspace(root), confinement=lambda: CONFINED if sandboxed else UNCONFINED
    )


async def answer(approver: PolicyApprover, call: CallFacts) -> str:
    verdict = await approver.decide(call)
    if isinstance(verdict, ApprovalRequested):
        assert verdict.call == call.call
        return "ask"
    assert (verdict.tool_use_id, verdict.by) == (call.call.id, "policy")
    return "yes" if verdict.approved else "no"


@pytest.mark.parametrize(
    ("call", "answers"),
    [
        # all, full-auto-in-sandbox (here without one), auto, edits, read, read-only, ask
        (READ, "yes yes yes yes yes yes ask"),
        (SEARCH, "yes yes yes yes yes yes ask"),
        (EDIT, "yes yes yes yes ask no ask"),
        (PROTECTED_EDIT, "yes ask ask ask ask no ask"),
        (UNKNOWN_EDIT, "yes ask ask ask ask no ask"),
        (LISTED, "yes yes yes ask ask no ask"),
        (EVERYDAY, "yes yes yes ask ask no ask"),
        (PROJECT, "yes ask ask ask ask no ask"),
        (UNLISTED, "yes ask ask ask ask no ask"),
        (SUBTASK, "yes yes yes ask ask yes ask"),
        (MCP, "yes ask ask ask ask no ask"),
        (ALLOWED_MCP, "yes yes yes yes ask no ask"),
        (RESOURCE, "yes ask ask ask ask no ask"),
        (LISTED_RESOURCE, "yes yes yes yes ask no ask"),
        (PROMPT, "yes ask ask ask ask no ask"),
        (IMAGE, "yes ask ask ask ask no ask"),
        (FETCH, "yes ask ask ask ask no ask"),
        (RISKY_READ, "yes ask ask ask ask ask ask"),
        (RISKY_EDIT, "yes ask ask ask ask no ask"),
    ],
)
async def test_each_level_lets_through_what_it_says(
    root: Path, call: CallFacts, answers: str
) -> None:
    assert [await answer(approver(root, level), call) for level in LEVELS] == answers.split()
    # Where nobody is there to ask, the answer to a question is no.
    unattended = [await answer(approver(root, level, unattended=True), call) for level in LEVELS]
    assert unattended == answers.replace("ask", "no").split()


@pytest.mark.parametrize("command", ["rm -rf .", "git log; rm x", "git push origin", "sudo rm x"])
@pytest.mark.parametrize("sandboxed", [False, True])
async def test_a_denied_command_is_refused_at_every_level(
    root: Path, command: str, sandboxed: bool
) -> None:
    call = facts("command", command=command)
    for level in LEVELS:
        assert await answer(approver(root, level, sandboxed=sandboxed), call) == "no"


async def test_in_a_sandbox_commands_run_unasked_from_level_auto_on(root: Path) -> None:
    answers = [await answer(approver(root, level, sandboxed=True), UNLISTED) for level in LEVELS]
    assert answers == ["yes", "yes", "yes", "ask", "ask", "no", "ask"]


@pytest.mark.parametrize("call", [PROJECT, UNLISTED])
async def test_a_sandbox_with_network_holds_nothing_back_at_level_auto(
    root: Path, call: CallFacts
) -> None:
    held = CONFINED._replace(reaches_out=True)
    answers: dict[ApprovalLevel, str] = {"auto": "ask", "full-auto-in-sandbox": "yes"}
    for level, expected in answers.items():
        policy = PolicyApprover(
            ApprovalSettings(level=level), Workspace(root), confinement=lambda: held
        )
        assert await answer(policy, call) == expected


async def test_code_of_the_project_runs_unasked_only_in_a_sandbox(root: Path) -> None:
    single = Confinement(False, "", can_confine=True)
    policy = PolicyApprover(
        ApprovalSettings(level="auto", allowed_commands=("pytest",)),
        Workspace(root),
        confinement=lambda: single,
    )
    project = await policy.decide(PROJECT)
    assert isinstance(project, ApprovalDecided)
    assert (project.approved, project.confined) == (True, True)
    assert project.reason == "allowed by developer: make, in a sandbox"
    assert await answer(policy, UNLISTED) == "ask"
    for bare in (EVERYDAY, facts("command", command="pytest -q")):  # it reads; a person listed it
        verdict = await policy.decide(bare)
        assert isinstance(verdict, ApprovalDecided)
        assert (verdict.approved, verdict.confined) == (True, False)


async def test_a_tool_that_runs_in_our_process_is_not_taken_for_a_confined_one(root: Path) -> None:
    call = facts("command", in_sandbox=False)
    assert await answer(approver(root, "auto", sandboxed=True), call) == "ask"
    confined = await approver(root, "auto", sandboxed=True).decide(facts("command"))
    assert isinstance(confined, ApprovalDecided)
    assert confined.confined


async def test_without_a_sandbox_a_person_may_let_the_projects_tests_run(root: Path) -> None:
    asked = await approver(root, "auto").decide(facts("command", command="pytest -q tests"))
    assert isinstance(asked, ApprovalRequested)
    assert "it runs the project's own code, and there is no sandbox" in asked.reason
    assert asked.rule is not None
    assert asked.rule.covers == ("pytest",)


async def test_the_everyday_commands_can_be_left_out(root: Path) -> None:
    assert await answer(approver(root, "auto", profile=""), EVERYDAY) == "ask"


async def test_the_model_may_raise_the_risk_of_a_command_and_never_lower_it(root: Path) -> None:
    for said, expected in ((True, "ask"), ("true", "ask"), (False, "yes"), (None, "yes")):
        call = facts("command", command="git log", input={"requires_approval": said})
        assert await answer(approver(root, "auto"), call) == expected
    call = facts("command", command="terraform apply", input={"requires_approval": False})
    assert await answer(approver(root, "auto"), call) == "ask"


@pytest.mark.requirement("security:files:confined")
@pytest.mark.parametrize("path", ["../a.py", "/etc/passwd", "link/passwd"])
@pytest.mark.parametrize("group", ["read", "edit", "command"])
async def test_what_is_outside_the_workspace_is_not_even_asked_for(
    root: Path, path: str, group: str
) -> None:
    (root / "link").symlink_to("/etc")
    call = facts(group, path, command="git log" if group == "command" else None)
    for level in LEVELS[1:]:
        verdict = await approver(root, level).decide(call)
        assert isinstance(verdict, ApprovalDecided)
        assert not verdict.approved
        assert "outside the workspace" in verdict.reason


async def test_a_link_to_a_protected_file_is_protected(root: Path) -> None:
    (root / "innocent.json").symlink_to(".roo/mcp.json")
    (root / "folder").symlink_to(".roo")
    for path in ("innocent.json", "folder/mcp.json", str(root / ".roo" / "mcp.json")):
        assert await answer(approver(root, "auto"), facts("edit", path)) == "ask"


async def test_artifacts_may_be_read_and_not_edited(root: Path, tmp_path: Path) -> None:
    workspace = Workspace(root, readable=(tmp_path / "artifacts",))
    policy = PolicyApprover(ApprovalSettings(level="auto"), workspace)
    path = str(tmp_path / "artifacts" / "cmd-1.txt")
    assert await answer(policy, facts("read", path, read_only=True)) == "yes"
    assert await answer(policy, facts("edit", path)) == "no"


async def test_the_reason_is_told(root: Path) -> None:
    protected = await approver(root, "auto").decide(PROTECTED_EDIT)
    assert "'.roo/mcp.json' is protected" in protected.reason
    command = await approver(root, "auto", unattended=True).decide(UNLISTED)
    assert "no rule lets this command run unasked" in command.reason
    assert "nobody is there" in command.reason


async def test_the_reason_does_not_repeat_the_line_and_counts_its_commands(root: Path) -> None:
    policy = approver(root, "auto")
    told = "no rule lets this command run unasked: "
    one = await policy.decide(facts("command", command="terraform plan"))
    assert one.reason == f"{told}the developer profile does not name it"
    two = await policy.decide(facts("command", command="terraform plan && terraform apply"))
    assert two.reason.startswith(f"{told}terraform plan: ")
    assert two.reason.endswith("(1 more of the line likewise)")


async def test_a_field_named_command_is_a_shell_command_only_where_commands_are(root: Path) -> None:
    call = facts("advanced", command="rm", read_only=True)
    assert await answer(approver(root, "auto"), call) == "yes"


async def test_a_library_approves_everything() -> None:
    verdict = await ApproveAll().decide(UNLISTED)
    assert isinstance(verdict, ApprovalDecided)
    assert verdict.approved


async def test_the_rule_and_the_reason_of_a_command_are_told(root: Path) -> None:
    listed = await approver(root, "auto").decide(LISTED)
    assert listed.reason == "allowed by allowedCommands: git log"
    denied = await approver(root, "auto").decide(facts("command", command="git log; rm x"))
    assert denied.reason == "denied by the entry 'rm': rm x"
    asked = await approver(root, "auto").decide(facts("command", command="git log $(terraform)"))
    assert "terraform: the developer profile does not name it" in asked.reason


async def test_everyday_commands_seldom_ask_where_a_sandbox_can_be_had(root: Path) -> None:
    """Without one, those ask as well that run the project's own code, and no others."""
    lines = [line for lines in corpus("everyday").values() for line in lines]
    asked: dict[bool, set[str]] = {}
    for can_confine in (True, False):
        held = Confinement(False, "", can_confine=can_confine)
        policy = PolicyApprover(
            ApprovalSettings(), Workspace(root), confinement=lambda held=held: held
        )
        calls = {line: facts("command", command=line) for line in lines}
        asked[can_confine] = {
            line for line, call in calls.items() if await answer(policy, call) != "yes"
        }
    assert len(asked[True]) <= 0.05 * len(lines), asked[True]
    rules = ShellRules(profile="developer")
    for line in asked[False] - asked[True]:
        assert judge(line, rules, Places(Workspace(root))).runs_project, line
