"""The example that every user tries first, over real HTTP."""

from pathlib import Path

import pytest

from roo_code import Agent, ProviderSettings, RooClient
from roo_code.testing import ModelServer


@pytest.mark.requirement("agent:example:hello-file", "client:base-url:override")
async def test_the_documented_example_creates_a_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    content = "print('Hello, World!')\n"
    call = {"path": "hello.py", "content": content, "line_count": 1}
    replies = [
        {"tool_calls": [{"id": "toolu_1", "name": "write_to_file", "input": call}]},
        "I've created hello.py with a hello world message.",
    ]
    async with ModelServer(replies) as server:
        # Create client with AI provider
        client = RooClient(
            provider_settings=ProviderSettings(
                api_provider="anthropic",
                api_key="your-key",  # pyright: ignore[reportArgumentType] - text is accepted
                api_model_id="claude-sonnet-4-5",
                api_base_url=server.url,
            )
        )

        # Create agent with builtin tools
        agent = Agent(client=client, tools=[])

        # Run task
        result = await agent.run("Create a Python hello world script")
        await client.aclose()

        assert result == "I've created hello.py with a hello world message."
        assert Path("hello.py").read_text(encoding="utf-8") == content
        assert server.problems() == []
        assert [request.path for request in server.requests] == ["/v1/messages"] * 2
        assert "your-key" not in repr(client.settings)
