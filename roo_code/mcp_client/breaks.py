"""How a connection to a server may end or fail to begin, told apart where that matters."""

from __future__ import annotations

from roo_code.errors import ConnectionCut, ConnectionFailed


class SessionGone(ConnectionCut):
    """The server has forgotten us and did nothing: the same can be asked again."""


class LoginNeeded(ConnectionFailed):
    """The server wants to know who the user is."""

    def __init__(self, server: str) -> None:
        super().__init__(f"The server {server} wants a login.")
        self.hint = f"Log in with: roo mcp login {server}"
