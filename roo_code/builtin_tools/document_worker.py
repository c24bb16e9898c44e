"""The process that takes the text out of a document: the file comes in, lines go out."""

from __future__ import annotations

import logging
import sys

from roo_code.workspace.worker_limits import limit_this_process

MISSING_LIBRARY = 3
NOT_READABLE = 4
NOT_A_NOTEBOOK = 5

_MEMORY = 1 << 30
_SECONDS = 40
_FLUSH_EVERY = 200


def main(kind: str) -> int:
    limit_this_process(memory=_MEMORY, seconds=_SECONDS)
    logging.disable()  # libraries remark on each fault that they put up with
    from roo_code.builtin_tools.document_text import (  # noqa: PLC0415 - after the limits are set
        EXTRACTORS,
        NotANotebook,
        NotReadable,
    )

    try:
        for number, line in enumerate(EXTRACTORS[kind](sys.stdin.buffer), 1):
            clean = line.replace("\r", " ").replace("\n", " ").replace("\0", "")
            sys.stdout.buffer.write(clean.encode("utf-8", "replace") + b"\n")
            if number % _FLUSH_EVERY == 0:
                sys.stdout.buffer.flush()
    except ImportError as error:
        return _say(str(error.name), MISSING_LIBRARY)
    except NotReadable as error:
        return _say(str(error), NOT_READABLE)
    except NotANotebook:
        return NOT_A_NOTEBOOK
    return 0


def _say(text: str, status: int) -> int:
    sys.stderr.write(text)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
