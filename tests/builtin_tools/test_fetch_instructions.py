import pytest
import yaml

from roo_code.builtin_tools.fetch_instructions import KINDS
from roo_code.json_text import from_json
from tests.builtin_tools.calls import Caller


@pytest.mark.requirement("tools:fetch-instructions:by-task")
async def test_there_are_instructions_for_each_kind_of_task(caller: Caller) -> None:
    texts = {kind: await caller.call("fetch_instructions", task=kind) for kind in KINDS}
    assert not any(result.is_error for result in texts.values())
    assert ".roomodes" in texts["create_mode"].content
    assert ".roo/mcp.json" in texts["create_mcp_server"].content


async def test_the_kind_may_be_written_in_other_ways(caller: Caller) -> None:
    result = await caller.call("fetch_instructions", task="Create Mode")
    assert result.content.startswith("# Making a custom mode")


async def test_an_unknown_kind_is_told_the_known_ones(caller: Caller) -> None:
    result = await caller.call("fetch_instructions", task="../../etc/passwd")
    assert result.is_error
    assert all(kind in result.content for kind in KINDS)


async def test_the_examples_are_valid(caller: Caller) -> None:
    mode = (await caller.call("fetch_instructions", task="create_mode")).content
    [entry] = yaml.safe_load(mode.split("```yaml\n")[1].split("```")[0])["customModes"]
    assert entry["groups"] == [
        "read",
        ["edit", {"fileRegex": r"\.(md|mdx)$", "description": "Markdown files only"}],
    ]
    server = (await caller.call("fetch_instructions", task="create_mcp_server")).content
    assert from_json(server.split("```json\n")[1].split("```")[0])["mcpServers"]
    compile(server.split("```python\n")[1].split("```")[0], "server.py", "exec")
