# pyright: basic, reportMissingImports=false
"""Streams read by litellm."""

import litellm

from benchmarks.stream_timing import main

litellm.suppress_debug_info = True
ASKED = [{"role": "user", "content": "Go on."}]


def client(model, path):
    def made(address):
        async def read():
            deltas = 0
            chunks = await litellm.acompletion(
                model=model,
                messages=ASKED,
                stream=True,
                api_base=address + path,
                api_key="bench",
                num_retries=0,
            )
            async for chunk in chunks:
                deltas += any(choice.delta.content for choice in chunk.choices)
            return deltas

        return read

    return made


if __name__ == "__main__":
    main(
        {
            "openai": client("openai/bench", "/v1"),
            "anthropic": client("anthropic/bench", ""),
            "ollama": client("ollama_chat/bench", ""),
        }
    )
