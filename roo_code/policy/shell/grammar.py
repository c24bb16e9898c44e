"""The bash grammar, loaded when the first command is judged."""

from __future__ import annotations

import os
import tempfile
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

_CACHE = "SEMBLE_GRAMMARS_CACHE_DIR"
_lock = Lock()


class NoGrammar(Exception):
    """The grammar cannot be loaded on this machine: nothing can be judged, so all is asked."""


def parse(source: bytes) -> Tree:
    from tree_sitter import Parser  # noqa: PLC0415 - a tenth of a start

    with _lock:
        language = _language()
    return Parser(language).parse(source)


@lru_cache(maxsize=1)
def _language() -> Language:
    from semble_grammars import (  # noqa: PLC0415 - as above # pyright: ignore[reportMissingTypeStubs]
        GrammarLoadError,
        LanguageNotFoundError,
        UnsupportedPlatformError,
        get_language,
    )

    try:
        return get_language("bash")
    except (GrammarLoadError, OSError, RuntimeError):
        pass  # the cache folder cannot be written, or holds half a file: try one of our own
    except (LanguageNotFoundError, UnsupportedPlatformError) as error:
        raise NoGrammar(str(error)) from error
    before = os.environ.get(_CACHE)
    try:
        # Once loaded, the library stays in memory; its file is needed no more.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            os.environ[_CACHE] = folder
            return get_language("bash")
    except (GrammarLoadError, OSError) as error:
        raise NoGrammar(str(error)) from error
    finally:
        if before is None:
            os.environ.pop(_CACHE, None)
        else:
            os.environ[_CACHE] = before
