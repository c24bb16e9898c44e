"""A real MCP server behind a real authorisation server, in memory: both on the port given.

Its tokens live as many seconds as the second word says. `/forget` makes it forget all tokens.
"""

import secrets
import sys
import time

import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

PORT, LIFE = int(sys.argv[1]), int(sys.argv[2])
HERE = f"http://127.0.0.1:{PORT}"


class Memory(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Whoever asks is let in at once, but who wants the scope `refused` is not."""

    def __init__(self) -> None:
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.refresh: dict[str, RefreshToken] = {}
        self.refreshed = 0

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[client_info.client_id] = client_info

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        if client.client_name != "Roo Code":
            raise AuthorizeError("access_denied", "not you")
        code = AuthorizationCode(
            code=secrets.token_hex(),
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self._issued(client, authorization_code.scopes)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        self.refreshed += 1
        return self._issued(client, refresh_token.scopes)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.access.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.access.pop(token.token, None)

    def _issued(self, client: OAuthClientInformationFull, scopes: list[str]) -> OAuthToken:
        expires = int(time.time()) + LIFE
        token = AccessToken(
            token=secrets.token_hex(),
            client_id=client.client_id,
            scopes=scopes,
            expires_at=expires,
            resource=f"{HERE}/mcp",
        )
        refresh = RefreshToken(token=secrets.token_hex(), client_id=client.client_id, scopes=scopes)
        self.access[token.token] = token
        self.refresh[refresh.token] = refresh
        return OAuthToken(
            access_token=token.token, expires_in=LIFE, refresh_token=refresh.token, scope="use"
        )


memory = Memory()
server = MCPServer(
    "guarded",
    auth_server_provider=memory,
    auth=AuthSettings(
        issuer_url=AnyHttpUrl(HERE),
        resource_server_url=AnyHttpUrl(f"{HERE}/mcp"),
        validate_token_resource=True,
        required_scopes=["use"],
        client_registration_options=ClientRegistrationOptions(
            enabled=True, valid_scopes=["use"], default_scopes=["use"]
        ),
    ),
)


@server.tool()
def whoami() -> str:
    """Say who is there."""
    return f"known, refreshed {memory.refreshed} times"


@server.custom_route("/forget", methods=["POST"])
async def forget(request: Request) -> Response:
    memory.access.clear()
    memory.refresh.clear()
    return PlainTextResponse("forgotten")


uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=PORT, log_level="error")
