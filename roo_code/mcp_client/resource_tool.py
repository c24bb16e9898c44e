"""access_mcp_resource as a model is told of it where servers offer something to read."""

from __future__ import annotations

from collections.abc import Iterable

from roo_code.mcp_client.pool import ServerPool
from roo_code.mcp_client.status import McpResource

_MOST_LISTED = 60
_LONGEST = 160


def resources_text(pools: Iterable[ServerPool]) -> str:
    """What can be read, one line each; empty if there is nothing."""
    lines = [
        _line(pool.entry.name, resource)
        for pool in pools
        for resource in (*pool.first.listing.resources, *pool.first.listing.templates)
    ]
    if len(lines) > _MOST_LISTED:
        lines = [*lines[:_MOST_LISTED], f"(and {len(lines) - _MOST_LISTED} more)"]
    return "\n".join(lines)


def _line(server: str, resource: McpResource) -> str:
    told = f"- {server}: {resource.uri} ({resource.description or resource.name})"
    return " ".join(told.split())[:_LONGEST]
