"""The client side of MCP: servers named in the settings, connected and watched over."""
