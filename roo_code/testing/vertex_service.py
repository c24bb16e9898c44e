"""Anthropic's models as Vertex offers them: the same format, the model named in the path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roo_code.testing.anthropic_checks import find_problem
from roo_code.testing.anthropic_service import AnthropicService


class VertexAnthropicService(AnthropicService):
    path = ":streamRawPredict"

    def problem(self, body: dict[str, Any], headers: Mapping[str, str]) -> str | None:
        if "model" in body:
            return "model: Extra inputs are not permitted"
        if body.get("anthropic_version") != "vertex-2023-10-16":
            return "anthropic_version: Field required"
        rest = {name: value for name, value in body.items() if name != "anthropic_version"}
        return find_problem({"model": "in the path", **rest})
