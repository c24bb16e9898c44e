"""The process that parses source files for list_code_definition_names.

In: for each file a line of JSON, `[language, size]`, and its bytes. Out: for each a line of JSON,
the definitions, or a text that says what is wrong.
"""

from __future__ import annotations

import sys
from typing import Any, BinaryIO

from roo_code.json_text import from_json, to_json
from roo_code.workspace.worker_limits import limit_this_process

_MEMORY = 2 << 30
_SECONDS = 60


def main() -> None:
    limit_this_process(memory=_MEMORY, seconds=_SECONDS)
    serve(sys.stdin.buffer, sys.stdout.buffer)


def serve(source: BinaryIO, target: BinaryIO) -> None:
    while header := source.readline():
        language, size = from_json(header)
        target.write(to_json(_answer(language, source.read(size))) + b"\n")
        target.flush()


def _answer(language: str, data: bytes) -> Any:
    from semble_grammars import (  # noqa: PLC0415 - after the limits are set # pyright: ignore[reportMissingTypeStubs]
        GrammarLoadError,
        UnsupportedPlatformError,
    )

    from roo_code.builtin_tools.definition_finder import find_definitions  # noqa: PLC0415 - as above

    try:
        return find_definitions(language, data)
    except GrammarLoadError as error:
        return (
            f"the grammar for {language} cannot be unpacked ({error}); set "
            "SEMBLE_GRAMMARS_CACHE_DIR to a folder that can be written"
        )
    except UnsupportedPlatformError as error:
        return f"there are no grammars for this machine ({error})"


if __name__ == "__main__":
    main()
