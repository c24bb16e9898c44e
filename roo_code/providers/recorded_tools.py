"""Tools in a replay: results and decisions as they were recorded."""

from __future__ import annotations

from collections.abc import Mapping

from roo_code.events import ApprovalDecided
from roo_code.json_text import JsonValue
from roo_code.messages import ToolResult
from roo_code.policy.approval import Approver, CallFacts, Verdict, allow
from roo_code.providers.recorded_task import RecordedTask
from roo_code.providers.translation import Translation
from roo_code.tools import AnyTool, ToolContext, failed, run_once


class RecordedResults:
    """For `ToolRegistry.recovery`: nothing is executed. Only questions to the user are asked."""

    def __init__(self, task: RecordedTask, translation: Translation) -> None:
        self._task = task
        self._translation = translation

    async def __call__(
        self, tool: AnyTool, input_data: Mapping[str, JsonValue], context: ToolContext
    ) -> ToolResult:
        asks_user = tool.repeatable and not tool.needs_approval
        if asks_user and self._task.answer(context.tool_use_id) is not None:
            return await run_once(tool, input_data, context)  # the answer, too, was recorded
        recorded = self._task.results.get(context.tool_use_id)
        if recorded is None:
            return failed(
                context.tool_use_id,
                f"The recording holds no result of this {tool.name} call; it was not run.",
            )
        return self._translation.result(recorded)


class RecordedDecisions:
    """What was refused is refused again. All else is decided anew, or allowed if nothing runs.

    A recording may keep a call from being run; it never approves one.
    """

    def __init__(self, task: RecordedTask, otherwise: Approver | None) -> None:
        self._task = task
        self._otherwise = otherwise

    async def decide(self, facts: CallFacts) -> Verdict:
        recorded = self._task.decisions.get(facts.call.id)
        if recorded is not None and not recorded.approved:
            return recorded
        if self._otherwise is not None:
            verdict = await self._otherwise.decide(facts)
            may_run = isinstance(verdict, ApprovalDecided) and verdict.approved
            if may_run and recorded is not None and recorded.by == "user":
                return recorded  # with the user's words, which the model was told
            return verdict
        if recorded is None or (recorded.by == "user" and recorded.reason):
            return allow(facts, "its result comes from a recording")  # the user's words are in it
        return recorded
