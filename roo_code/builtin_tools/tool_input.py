"""Input types that forgive what models commonly get wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, model_validator


class ToolInput(BaseModel):
    """Numbers and booleans may come as text, null means "not given", unknown keys are ignored."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", coerce_numbers_to_str=True, defer_build=True
    )

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        given = cast(Mapping[str, Any], data)
        return {key: value for key, value in given.items() if value is not None}


def from_json_text(value: Any) -> Any:
    """Lists and objects that a model sent as a string of JSON."""
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
