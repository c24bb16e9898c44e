# pyright: basic, reportMissingImports=false
"""The two-turn task with pydantic-ai: an agent with one tool, as its documentation writes it."""

import sys
from pathlib import Path

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

url, prompt = sys.argv[1:]
model = OpenAIChatModel("bench", provider=OpenAIProvider(base_url=url, api_key="bench"))
agent = Agent(model, system_prompt="You work in the current folder.")


@agent.tool_plain
def write_file(path: str, content: str) -> str:
    """Write a text file."""
    Path(path).write_text(content, encoding="utf-8")
    return "Written."


print(agent.run_sync(prompt).output)
