# pyright: basic, reportMissingImports=false
"""Conversations with pydantic-ai's Agent in one process, one after another."""

import asyncio
import sys

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import UsageLimits


def take_note(text: str) -> str:
    """Take a note."""
    return f"Noted: {text}"


async def main(urls: list[str]) -> None:
    for url in urls:
        provider = OpenAIProvider(base_url=url, api_key="bench")
        agent = Agent(
            OpenAIChatModel("bench", provider=provider),
            system_prompt="Take the steps that are asked for.",
            tools=[take_note],
        )
        await agent.run("Take the steps.", usage_limits=UsageLimits(request_limit=None))


asyncio.run(main(sys.argv[1:]))
