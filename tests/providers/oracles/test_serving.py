import http.client

import httpx2
import pytest

from tests.providers.oracles.serving import Reply, json_reply, serving, stream


def test_gives_replies_in_order_and_the_last_for_ever() -> None:
    with serving(Reply(b"one", 201, {"x-own": "yes"}), stream([b"a", b"", b"bc"])) as server:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
        connection.request("PURGE", "/first?x=1", b"body", {"X-Mine": "here"})
        first = connection.getresponse()
        assert (first.status, first.headers["x-own"], first.read()) == (201, "yes", b"one")
        for _ in range(2):
            connection.request("GET", "/second")
            assert connection.getresponse().read() == b"abc"
        connection.close()
    asked = server.requests[0]
    assert (asked.method, asked.path, asked.body) == ("PURGE", "/first?x=1", b"body")
    assert asked.headers["x-mine"] == "here"
    assert len(server.requests) == 3


@pytest.mark.parametrize("chunked", [False, True])
async def test_serves_an_event_loop_and_reads_bodies_of_both_kinds(chunked: bool) -> None:
    async def pieces():
        yield b'{"a":'
        yield b"1}"

    with serving(json_reply({"fine": True}, 429, retry_after="3")) as server:
        async with httpx2.AsyncClient() as client:
            content = pieces() if chunked else b'{"a":1}'
            answer = await client.post(f"{server.url}/v1", content=content)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "3")
    assert answer.json() == {"fine": True}
    assert server.requests[0].json() == {"a": 1}
