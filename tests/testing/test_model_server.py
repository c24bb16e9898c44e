"""The scripted model server: which reply, which fault, what it writes down."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from roo_code.testing import Fault, ModelServer
from roo_code.testing.model_replies import as_script

USER = {"role": "user", "content": "Hello"}
SAID = {"role": "assistant", "content": "x"}
HEADERS = {"anthropic-version": "2023-06-01", "x-api-key": "k", "authorization": "Bearer k"}


def body(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 9, "messages": list(messages or [USER]), **fields}


async def post(server: ModelServer, path: str = "/v1/messages", **fields: Any) -> httpx2.Response:
    messages = fields.pop("messages", [USER])
    async with httpx2.AsyncClient(timeout=5) as client:
        return await client.post(server.url + path, json=body(*messages, **fields), headers=HEADERS)


async def test_the_reply_is_chosen_by_the_replies_so_far() -> None:
    async with ModelServer(["First.", "Second."]) as server:
        for _ in range(2):  # asking again changes nothing
            assert "First." in (await post(server)).text
        assert "Second." in (await post(server, messages=[USER, SAID, USER])).text
        late = await post(server, messages=[USER, SAID, USER, SAID, USER])
        assert late.status_code == 400
    assert server.problems() == ["the script has 2 replies and none for model call 3"]
    assert [request.reply for request in server.requests] == [0, 0, 1, None]


async def test_conversations_are_told_apart_by_how_they_begin() -> None:
    script = as_script(
        {"replies": ["Main."], "conversations": {"subtask": [{"text": "Sub.", "faults": [500]}]}}
    )
    async with ModelServer(script) as server:
        begun = {"role": "user", "content": "Do the subtask"}
        assert (await post(server, messages=[begun])).status_code == 500
        assert "Sub." in (await post(server, messages=[begun])).text
        assert "Main." in (await post(server)).text


async def test_faults_are_spent_one_request_each() -> None:
    faults = [Fault(kind="status", status=429, retry_after=2, message="Slow"), 529]
    reply: dict[str, Any] = {"text": "Hi.", "faults": faults}
    async with ModelServer([reply]) as server:
        answers = [await post(server) for _ in range(3)]
        chat = await post(server, "/v1/chat/completions", max_tokens=None)
    assert [answer.status_code for answer in answers] == [429, 529, 200]
    assert answers[0].headers["retry-after"] == "2"
    assert answers[0].json()["error"] == {"type": "rate_limit_error", "message": "Slow"}
    assert answers[1].json()["error"]["type"] == "overloaded_error"
    assert chat.status_code == 200
    assert [request.fault for request in server.requests] == ["status", "status", None, None]


async def test_broken_json_and_garbage_are_sent_as_such() -> None:
    call = {"id": "1", "name": "a", "input": {"path": "abcdef"}}
    replies = [{"tool_calls": [call], "faults": ["broken_json", "garbage"], "chunk_size": 99}]
    async with ModelServer(replies) as server:
        broken, garbage, right = [(await post(server)).text for _ in range(3)]
    assert '"partial_json":"{\\"path\\":\\"ab"' in broken
    assert garbage == "data: {not json\n\n"
    assert '{\\"path\\":\\"abcdef\\"}' in right


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/chat/completions"])
async def test_a_wrong_key_is_refused_as_the_service_does(path: str) -> None:
    async with ModelServer(["Hi."], key="right") as server:
        refused = await post(server, path)
    assert (refused.status_code, "error" in refused.json()) == (401, True)
    assert server.requests[0].problem == "invalid x-api-key"


async def test_other_paths_methods_and_bodies_are_refused() -> None:
    async with ModelServer(["Hi."]) as server, httpx2.AsyncClient() as client:
        assert (await client.get(f"{server.url}/v1/messages")).status_code == 404
        assert (await client.post(f"{server.url}/v1/nothing")).status_code == 404
        for content in (b"nonsense", b"[]", b'{"model": 5, "max_tokens": 1, "messages": {}}'):
            url = f"{server.url}/v1/messages"
            assert (await client.post(url, content=content, headers=HEADERS)).status_code == 400
        unversioned = await client.post(f"{server.url}/v1/messages", json=body())
        assert "anthropic-version" in unversioned.text


async def test_a_client_that_leaves_is_noticed_while_the_server_is_slow() -> None:
    replies = [{"text": "a b c d", "chunk_size": 1, "faults": [{"kind": "slow", "seconds": 5}]}]
    async with ModelServer(replies) as server:
        asking = asyncio.create_task(post(server))
        async with asyncio.timeout(5):
            while not server.requests:
                await asyncio.sleep(0)
            asking.cancel()
            await server.requests[0].client_gone.wait()


@pytest.mark.parametrize(
    "script", [{"replies": [{"txt": "x"}]}, {"replies": [{"faults": ["explode"]}]}]
)
def test_a_script_with_a_typing_error_is_refused(script: Any) -> None:
    with pytest.raises(ValueError, match=r"txt|explode"):
        as_script(script)


async def test_it_runs_as_a_process_of_its_own(tmp_path: Path) -> None:
    script, log = tmp_path / "script.json", tmp_path / "log.jsonl"
    script.write_text(json.dumps({"replies": ["Hi."]}), encoding="utf-8")
    command = [sys.executable, "-m", "roo_code.testing.model_server"]
    arguments = ["--script", str(script), "--log", str(log), "--key", "k"]
    with subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            async with httpx2.AsyncClient() as client:
                path = f"{url}/v1/messages"
                good = await client.post(path, json=body(), headers=HEADERS)
                await client.post(path, json=body(extra=1), headers=HEADERS)
        finally:
            process.kill()
    assert "Hi." in good.text
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [(line["problem"], line["status"], line["reply"]) for line in lines] == [
        (None, 200, 0),
        ("extra: Extra inputs are not permitted", 400, None),
    ]
    assert lines[0]["body"] == body()


def test_a_script_that_cannot_be_read_ends_the_process(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "roo_code.testing.model_server", "--script"]
    done = subprocess.run([*command, str(tmp_path / "none")], capture_output=True, text=True)
    assert done.returncode == 2
    assert "cannot be used" in done.stderr
