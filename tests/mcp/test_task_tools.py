"""The tools for tasks, over `roo mcp serve` with a scripted model."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from roo_code.testing.model_replies import Replies
from roo_code.testing.model_server import ModelServer
from tests.cli.conftest import calls, completion
from tests.front_ends.over_mcp import OverMcp
from tests.front_ends.stage import KEY, Stage


@asynccontextmanager
async def serving(folder: Path, script: Replies, level: str = "all") -> AsyncGenerator[OverMcp]:
    async with ModelServer(script, key=KEY) as model:
        stage = Stage(folder, model, level)
        stage.set_up({})
        async with OverMcp(stage) as client:
            yield client


async def test_an_argument_that_there_is_not_is_an_error(tmp_path: Path) -> None:
    async with serving(tmp_path, ["Nothing."]) as client:
        result = await client.result("start_task", prompt="Go.", folder="/elsewhere")
        assert result["isError"]
        assert "unknown field `folder`" in result["content"][0]["text"]
        result = await client.result("start_task", prompt="Go.", mode="wizard")
        assert "There is no mode 'wizard'" in result["content"][0]["text"]
        result = await client.result("start_task", prompt="")
        assert result["content"][0]["text"] == "The prompt is empty. Say what to do."
        assert client.stage.model.requests == []


async def test_switch_mode_reaches_the_task_that_new_task_began(tmp_path: Path) -> None:
    ask = calls(ask_followup_question={"question": "Which?", "follow_up": ["A", "B"]})
    async with serving(tmp_path, [ask, completion("Done.")]) as client:
        told = (await client.result("new_task", mode="code", message="Go."))["content"][0]["text"]
        task_id = told.rpartition("Task id: ")[2]
        await client.until("asked", task_id)
        await client.result("switch_mode", mode_slug="debug")
        await client.answer(task_id, "A")
        assert (await client.until("ended", task_id)).text == "Done."
        assert (await client.call("task_result", task_id=task_id))["mode"] == "debug"
        first, second = (str(r.body["system"]) for r in client.stage.model.requests)
        assert first != second


async def test_the_level_of_approvals_has_the_names_that_runs_have(tmp_path: Path) -> None:
    write = calls(write_to_file={"path": "a.txt", "content": "x\n"})
    async with serving(tmp_path, [write, completion("Done.")], "auto-edit") as client:
        task_id = await client.start("Go.")
        assert (await client.until("ended", task_id)).text == "Done."
        assert client.stage.has("a.txt")
