"""Roo as an MCP server: its modes, its tasks and its workspace for any MCP client."""

from roo_code.mcp.server import McpModesServer

__all__ = ["McpModesServer"]
