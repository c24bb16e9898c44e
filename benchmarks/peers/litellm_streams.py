# pyright: basic, reportMissingImports=false
"""Streams read by litellm."""

import litellm

from benchmarks.stream_timing import main

litellm.suppress_debug_info = True
ASKED = [{"role": "user", "content": "Go on."}]


def openai(address):
    async def read():
        deltas = 0
        chunks = await litellm.acompletion(
            model="openai/bench",
            messages=ASKED,
            stream=True,
            api_base=f"{address}/v1",
            api_key="bench",
        )
        async for chunk in chunks:
            deltas += any(choice.delta.content for choice in chunk.choices)
        return deltas

    return read


if __name__ == "__main__":
    main({"openai": openai})
