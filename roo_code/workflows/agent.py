"""WorkflowAgent: drives the task that runs a workflow. Its calls are its file's, not a model's."""

from __future__ import annotations

from roo_code.builtin_tools.tool_input import ToolInput
from roo_code.events import ApprovalRequested
from roo_code.messages import ToolUseContent
from roo_code.modes.agent import ModeAgent
from roo_code.policy.approval import Verdict
from roo_code.tools import Tool, ToolContext
from roo_code.workflows.course import GATE


class GateInput(ToolInput):
    question: str


class PassGate(Tool[GateInput]):
    """Does nothing, once a person has approved it."""

    name = GATE
    description = "Begin a phase of the workflow."
    group = "modes"
    input_type = GateInput
    repeatable = True

    async def execute(self, arguments: GateInput, context: ToolContext) -> str:
        return "Approved."


class WorkflowAgent(ModeAgent):
    """In no mode's bounds: what it may call is in the file, and commands are under the policy."""

    def system_prompt(self) -> str:
        return ""

    def refusal(self, call: ToolUseContent) -> str | None:
        return None

    async def authorize(self, call: ToolUseContent) -> Verdict | None:
        """A gate is a person's to pass, whatever else is approved."""
        if call.name == GATE:
            return ApprovalRequested(call=call, reason=str(call.input.get("question", "")))
        return await super().authorize(call)
