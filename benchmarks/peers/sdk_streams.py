# pyright: basic, reportMissingImports=false
"""Streams read by the services' own Python libraries, the asynchronous ones where there are any."""

import os
from typing import Any

from benchmarks.stream_timing import main

ASKED: Any = [{"role": "user", "content": "Go on."}]


def anthropic(address):
    from anthropic import AsyncAnthropic

    client = AsyncAnthropic(api_key="bench", base_url=address, max_retries=0)

    async def read():
        deltas = 0
        events = await client.messages.create(
            model="bench", max_tokens=9, messages=ASKED, stream=True
        )
        async for event in events:
            deltas += event.type == "content_block_delta"
        return deltas

    return read


def openai(address):
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key="bench", base_url=f"{address}/v1", max_retries=0)

    async def read():
        deltas = 0
        chunks = await client.chat.completions.create(model="bench", messages=ASKED, stream=True)
        async for chunk in chunks:
            deltas += any(choice.delta.content for choice in chunk.choices)
        return deltas

    return read


def responses(address):
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key="bench", base_url=f"{address}/v1", max_retries=0)

    async def read():
        deltas = 0
        async for event in await client.responses.create(model="bench", input=ASKED, stream=True):
            deltas += event.type == "response.output_text.delta"
        return deltas

    return read


def gemini(address):
    from google import genai

    options = genai.types.HttpOptions(base_url=address)
    client = genai.Client(api_key="bench", http_options=options, vertexai=False)

    async def read():
        deltas = 0
        async for chunk in await client.aio.models.generate_content_stream(
            model="bench", contents="Go on."
        ):
            deltas += bool(chunk.text)
        return deltas

    return read


def bedrock(address):
    import boto3

    os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
    client = boto3.client(
        "bedrock-runtime",
        endpoint_url=address,
        region_name="us-east-1",
        aws_access_key_id="AKIDEXAMPLE",
        aws_secret_access_key="bench",
    )
    asked = [{"role": "user", "content": [{"text": "Go on."}]}]

    async def read():
        stream = client.converse_stream(modelId="bench", messages=asked)["stream"]
        return sum("contentBlockDelta" in event for event in stream)

    return read


def ollama(address):
    from ollama import AsyncClient

    client = AsyncClient(host=address)

    async def read():
        deltas = 0
        async for part in await client.chat(model="bench", messages=ASKED, stream=True):
            deltas += bool(part.message.content)
        return deltas

    return read


if __name__ == "__main__":
    known = (anthropic, openai, responses, gemini, bedrock, ollama)
    main({client.__name__: client for client in known})
