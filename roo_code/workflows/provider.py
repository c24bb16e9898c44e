"""WorkflowProvider: a workflow in the place of a model.

The task that runs a workflow is driven by the same loop as any other, and what it "says" next
is worked out from what came of its calls so far. So it is stored, parked, resumed, cancelled,
budgeted and watched like every task, its subtasks are subtasks, and its checks are commands
under the same policy.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence

from msgspec.structs import replace

from roo_code.errors import WorkflowFailed
from roo_code.json_text import to_json
from roo_code.messages import Message, TextContent, ToolResult, ToolUseContent
from roo_code.providers.base import BaseProvider, ModelInfo, ModelRequest
from roo_code.stream import (
    BlockDelta,
    BlockStart,
    BlockStop,
    MessageDelta,
    MessageStart,
    MessageStop,
    StreamChunk,
)
from roo_code.workflows.course import Course, Outcome, read_course
from roo_code.workflows.file import Workflow
from roo_code.workflows.graph import bar
from roo_code.workflows.state import WorkflowState

PROVIDER = "workflow"
_INFO = ModelInfo(id="workflow", input_price=0, output_price=0, supports_images=False)


class WorkflowProvider(BaseProvider):
    retries = True  # nothing here fails in passing

    def __init__(self, workflow: Workflow, note: Callable[[WorkflowState], None]) -> None:
        self._workflow = workflow
        self._note = note
        """Hears of every state, such as to write a checkpoint."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamChunk]:
        course = course_of(self._workflow, request.messages)
        self._note(course.state)
        if failed := course.state.failed:
            raise WorkflowFailed(failed.title, failed.error or "")
        for chunk in _chunks(_reply(self._workflow, course)):
            yield chunk

    def model_info(self) -> ModelInfo:
        return _INFO


def course_of(workflow: Workflow, messages: Sequence[Message]) -> Course:
    """Where the workflow stands, as the task's history tells."""
    outcomes: dict[str, Outcome] = {}
    texts = 0
    for message in messages:
        for block in message.content:
            if isinstance(block, ToolResult):
                outcomes[block.tool_use_id] = Outcome(
                    block.content, block.is_error, block.interrupted
                )
            elif isinstance(block, TextContent):
                texts += message.role == "user"
    # The first says what to do; every other is somebody who wants it tried again.
    return read_course(WorkflowState(phases=workflow.phases), outcomes, max(0, texts - 1))


def _reply(workflow: Workflow, course: Course) -> Message:
    words = TextContent(text=bar(course.state))
    if course.calls:
        return Message(role="assistant", content=(words, *course.calls))
    phases = course.state.phases
    results = [f"## {phase.title}\n" + "\n\n".join(phase.task_results.values()) for phase in phases]
    result = f"Workflow {workflow.name} is done.\n\n" + "\n\n".join(results)
    end = ToolUseContent(id="done", name="attempt_completion", input={"result": result})
    return Message(role="assistant", content=(words, end))


def _chunks(message: Message) -> Iterator[StreamChunk]:
    yield MessageStart({}, _INFO.id)
    for index, block in enumerate(message.content):
        if isinstance(block, TextContent):
            yield BlockStart(index, replace(block, text=""))
            yield BlockDelta(index, "text", block.text)
        elif isinstance(block, ToolUseContent):
            yield BlockStart(index, replace(block, input={}))
            yield BlockDelta(index, "json", to_json(block.input).decode())
        yield BlockStop(index)
    yield MessageDelta("tool_use", {})
    yield MessageStop()
