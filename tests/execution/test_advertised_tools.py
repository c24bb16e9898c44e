"""What a model is told of the tools stays the same, so that its service's cache holds."""

from pathlib import Path

from roo_code.commands import ResumeTask, SendMessage, StartTask
from roo_code.config.schema import ProviderSettings
from roo_code.json_text import to_json
from roo_code.messages import ToolUseContent
from roo_code.providers.base import ModelInfo, ModelRequest
from roo_code.providers.protocols.anthropic_messages import AnthropicMessages
from roo_code.providers.protocols.openai_chat import OpenAiChat
from roo_code.testing import ScriptedProvider, scripted_client
from tests.hosts import hosted

LIST = ToolUseContent(id="l", name="list_files", input={"path": "."})
DONE = ToolUseContent(id="d", name="attempt_completion", input={"result": "Done."})


def told(request: ModelRequest) -> list[bytes]:
    """The tools as two formats send them."""
    settings, info = ProviderSettings(api_provider="x"), ModelInfo(id="m")
    bodies = (wire.encode(request, settings, info) for wire in (AnthropicMessages(), OpenAiChat()))
    return [to_json(body["tools"]) for body in bodies]


async def test_the_tools_are_the_same_bytes_from_turn_to_turn_and_in_another_mode(
    tmp_path: Path,
) -> None:
    edit = LIST.replace(id="e", name="edit", input={"path": "a"})  # not told of, but called
    provider = ScriptedProvider([LIST], [edit], [DONE], [DONE.replace(id="d2")])
    async with hosted(tmp_path, lambda _: scripted_client(provider=provider)) as task:
        start = StartTask(spec=task.spec())
        await task.host.handle(start)
        records = await task.until_pause(start.task_id)
        other = task.spec(mode="architect")
        await task.host.handle(ResumeTask(task_id=start.task_id, spec=other))
        await task.host.handle(SendMessage(task_id=start.task_id, text="And now?"))
        await task.until_pause(start.task_id, records[-1].seq)
    assert len(provider.requests) == 4
    assert len({*map(tuple, map(told, provider.requests))}) == 1
    assert len(provider.requests[0].tools) >= 15
