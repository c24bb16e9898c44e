"""A service account of Google's, and what its service for tokens is asked and says."""

import json
from base64 import urlsafe_b64decode
from functools import cache
from typing import Any
from urllib.parse import parse_qs

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from tests.providers.oracles.serving import Reply, Server, json_reply

EMAIL = "robot@my-project.iam.gserviceaccount.com"


@cache
def private_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def account(token_uri: str) -> dict[str, Any]:
    pem = private_key().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return {
        "type": "service_account",
        "project_id": "my-project",
        "private_key_id": "1",
        "private_key": pem.decode(),
        "client_email": EMAIL,
        "token_uri": token_uri,
    }


def key_for(server: Server) -> str:
    """The account as the setting vertexJsonCredentials holds it."""
    return json.dumps(account(f"{server.url}/token"))


def token(value: str, seconds: int = 3600) -> Reply:
    return json_reply({"access_token": value, "expires_in": seconds, "token_type": "Bearer"})


def claims(server: Server, number: int = 0) -> dict[str, Any]:
    """What was claimed for a token; the signature must be good."""
    form = parse_qs(server.requests[number].body.decode())
    assert form["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"]
    signed, _, signature = form["assertion"][0].rpartition(".")
    private_key().public_key().verify(
        _decoded(signature), signed.encode(), padding.PKCS1v15(), hashes.SHA256()
    )
    return json.loads(_decoded(signed.partition(".")[2]))


def _decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def know_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine where Google's tools find nothing."""
    for name in ("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CLOUDSDK_CONFIG", "/nowhere")
    monkeypatch.setenv("NO_GCE_CHECK", "true")
