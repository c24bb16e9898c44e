# pyright: basic, reportMissingImports=false
"""Streams read by pydantic-ai's models, without an agent around them."""

from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import ModelRequest, PartDeltaEvent, PartStartEvent

from benchmarks.stream_timing import main

ASKED = [ModelRequest.user_text_prompt("Go on.")]


def anthropic(address):
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    provider = AnthropicProvider(api_key="bench", base_url=address)
    return reader(AnthropicModel("bench", provider=provider))


def openai(address):
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(api_key="bench", base_url=f"{address}/v1")
    return reader(OpenAIChatModel("bench", provider=provider))


def responses(address):
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(api_key="bench", base_url=f"{address}/v1")
    return reader(OpenAIResponsesModel("bench", provider=provider))


def gemini(address):
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return reader(GoogleModel("bench", provider=GoogleProvider(api_key="bench", base_url=address)))


def reader(model):
    async def read():
        deltas = 0
        async with model_request_stream(model, ASKED) as events:
            async for event in events:
                deltas += isinstance(event, PartStartEvent | PartDeltaEvent)
        return deltas

    return read


if __name__ == "__main__":
    main({client.__name__: client for client in (anthropic, openai, responses, gemini)})
