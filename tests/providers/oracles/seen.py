"""What a reply says, in one shape for ours and for every SDK, so that two readings compare."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from roo_code.messages import Message, ReasoningContent, Usage

FIXTURES = Path(__file__).parent.parent / "fixtures"


class Call(NamedTuple):
    id: str
    name: str
    input: Any
    """The raw text where it is not JSON."""


class Seen(NamedTuple):
    text: str
    reasoning: str
    calls: list[Call]
    stop_reason: str | None
    usage: Mapping[str, int]
    """Without counts of 0."""
    signatures: Sequence[str] = ()
    """What must go back with the reasoning."""


def seen_by_us(message: Message) -> Seen:
    thoughts = [block for block in message.content if isinstance(block, ReasoningContent)]
    signatures = [thought.signature or thought.redacted for thought in thoughts]
    return Seen(
        text=message.text,
        reasoning="".join(thought.text for thought in thoughts),
        calls=[
            Call(c.id, c.name, c.input if c.invalid_input is None else c.invalid_input)
            for c in message.tool_uses
        ],
        stop_reason=message.stop_reason,
        usage=counts(message.usage or Usage()),
        signatures=tuple(signature for signature in signatures if signature),
    )


def counts(usage: Usage) -> dict[str, int]:
    found = usage.to_dict()
    del found["cost"]
    return {name: count for name, count in found.items() if count}


def usage(input: int, output: int, *, read: int = 0, written: int = 0, reasoning: int = 0) -> Any:
    """Of an SDK's counts, where `input` has the cached tokens in it."""
    return counts(
        Usage(
            input_tokens=input - read - written,
            output_tokens=output,
            cache_read_tokens=read,
            cache_write_tokens=written,
            reasoning_tokens=reasoning,
        )
    )


def call(id: str, name: str, arguments: str) -> Call:
    try:
        return Call(id, name, json.loads(arguments or "{}"))
    except ValueError:
        return Call(id, name, arguments)


def fixtures(folder: str) -> list[Path]:
    """Every reply of a folder, without those in folders below it."""
    return sorted(path for path in (FIXTURES / folder).iterdir() if path.is_file())


def names(paths: Iterable[Path]) -> list[str]:
    return [path.stem for path in paths]
