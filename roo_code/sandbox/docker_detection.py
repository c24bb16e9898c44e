"""Whether there is a Docker daemon on this machine that we may use, and what it can limit."""

from __future__ import annotations

from functools import partial

from msgspec import Struct, ValidationError, field

from roo_code.json_text import from_json
