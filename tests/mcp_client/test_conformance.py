"""The official conformance suite for clients, run against the hub."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mcp_client.hubs import NODE, NODE_MODULES, needs_node

pytestmark = needs_node

SCENARIOS = (
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/basic-cimd",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/pre-registration",
    "auth/2025-03-26-oauth-endpoint-fallback",
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
)
NOT_APPLICABLE = {
    "auth/2025-03-26-oauth-metadata-backcompat": "its metadata name another issuer than the one "
    "they were asked of, which RFC 8414 (3.3) and later versions of MCP have a client refuse",
    "auth/client-credentials-jwt": "an extension for programs without a user",
    "auth/client-credentials-basic": "an extension for programs without a user",
    "auth/cross-app-access-complete-flow": "an extension for companies' identity providers",
}


def suite(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program = str(NODE_MODULES / ".bin" / "conformance")
    return subprocess.run(
        [str(NODE), program, *words],
        capture_output=True,
        text=True,
        env={**os.environ, "NO_COLOR": "1", "HOME": str(folder)},
        check=False,
    )


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_hub_passes(scenario: str, tmp_path: Path) -> None:
    command = f"{sys.executable} -m tests.mcp_client.conformance_client"
    done = suite(
        "client", "--command", command, "--scenario", scenario, "-o", str(tmp_path), folder=tmp_path
    )
    assert "OVERALL: PASSED" in done.stdout + done.stderr, done.stdout + done.stderr


def test_every_scenario_for_clients_is_run_or_known_not_to_apply(tmp_path: Path) -> None:
    listed = suite("list", folder=tmp_path).stdout.partition("Client scenarios")[2]
    named = {line.split()[1] for line in listed.splitlines() if line.strip().startswith("- ")}
    assert named == {*SCENARIOS, *NOT_APPLICABLE}
