"""A picture in a whole run: the setting that switches it on, the key, the file, what is told."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import pytest

from roo_code.json_text import to_json
from tests.builtin_tools.test_image_gen import PNG
from tests.cli.conftest import Roo, calls, completion

IMAGE_KEY = "sk-image-0123456789abcdef"


class _Painter(BaseHTTPRequestHandler):
    keys: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.keys.append(self.headers["authorization"])
        body = to_json({"data": [{"b64_json": base64.b64encode(PNG).decode()}]})
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def painter() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Painter) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def told_of(request: object) -> set[str]:
    return {tool["name"] for tool in getattr(request, "body")["tools"]}  # noqa: B009


@pytest.mark.requirement("tools:generate-image:file")
def test_a_picture_is_made_with_a_key_of_the_settings(roo: Roo, painter: str) -> None:
    settings = {
        "experiments": {"imageGeneration": True},
        "imageGenerationProvider": "openai",
        "openAiNativeBaseUrl": painter,
        "openAiNativeApiKey": "${env:PAINTING_KEY}",
    }
    file = roo.home / "settings" / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(settings), encoding="utf-8")
    server = roo.serve(
        calls(generate_image={"prompt": "A cat", "path": "cat.jpg"}), completion("Done.")
    )
    done = roo.run("-p", "--approve", "all", "Paint a cat", PAINTING_KEY=IMAGE_KEY)
    assert done.returncode == 0, done.stderr
    assert (roo.workspace / "cat.png").read_bytes() == PNG
    assert _Painter.keys == [f"Bearer {IMAGE_KEY}"]
    assert "generate_image" in told_of(server.requests[0])
    assert base64.b64encode(PNG).decode() in str(server.requests[1].body["messages"])
    assert not [file for file in roo.store_files() if IMAGE_KEY.encode() in file.read_bytes()]


def test_no_model_is_told_of_it_unless_it_is_switched_on(roo: Roo) -> None:
    server = roo.serve(completion("Done."))
    assert roo.run("-p", "Paint a cat").returncode == 0
    assert "generate_image" not in told_of(server.requests[0])
