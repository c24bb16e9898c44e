"""What clients over IPC are told of this machine."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from roo_code.cli.compose_provider import offered_models
from roo_code.cli.ipc_surroundings import model_info
from tests.ipc.node_peer import NODE, PEERS, needs_node


@needs_node
@pytest.mark.parametrize("provider", ["anthropic", "openai-native", "gemini", "bedrock", "ollama"])
async def test_roos_schema_accepts_the_models_of_a_service(tmp_path: Path, provider: str) -> None:
    offered = await offered_models(tmp_path, provider, "never")
    models = {str(model["id"]): model_info(model) for model in offered.models}
    data = {"eventName": "modelsResponse", "payload": [models]}
    value = {"type": "TaskEvent", "origin": "server", "data": data}
    checked = subprocess.run(
        [str(NODE), str(PEERS / "validate.cjs")],
        input=json.dumps({"schema": "ipcMessageSchema", "value": value}) + "\n",
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert models
    assert checked.stdout == "[]\n"
