import pytest

from roo_code.sandbox.proxy_requests import NotForProxy, ProxyRequest, proxy_request


def test_a_tunnel_is_the_programs_own_affair() -> None:
    asked = b"CONNECT Pypi.org:443 HTTP/1.1\r\nHost: elsewhere\r\n\r\n"
    assert proxy_request(asked) == ProxyRequest("pypi.org", 443, None)
    asked = b"CONNECT [::1]:8443 HTTP/1.0\r\n\r\n"
    assert proxy_request(asked) == ProxyRequest("::1", 8443, None)


def test_a_plain_request_goes_on_as_the_host_wants_it() -> None:
    asked = (
        b"POST http://user@Index.test:8080/a%20b?c=d#e HTTP/1.1\r\nHost: other.test\r\n"
        b"Proxy-Authorization: Basic eA==\r\nproxy-connection: keep-alive\r\n"
        b"Connection : keep-alive\r\nX-Kept: 1\r\nContent-Length: 3\r\n\r\n"
    )
    request = proxy_request(asked)
    assert (request.host, request.port) == ("index.test", 8080)
    assert request.head == (
        b"POST /a%20b?c=d HTTP/1.1\r\nHost: index.test:8080\r\nConnection: close\r\n"
        b"X-Kept: 1\r\nContent-Length: 3\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("url", "first"),
    [
        ("http://a.test", b"GET / HTTP/1.1\r\nHost: a.test\r\n"),
        ("HTTP://a.test:80/x", b"GET /x HTTP/1.1\r\nHost: a.test\r\n"),
        ("http://[::1]:81/", b"GET / HTTP/1.1\r\nHost: [::1]:81\r\n"),
    ],
)
def test_the_host_is_the_one_of_the_address(url: str, first: bytes) -> None:
    head = proxy_request(f"GET {url} HTTP/1.1\r\n\r\n".encode()).head
    assert head == first + b"Connection: close\r\n\r\n"


@pytest.mark.parametrize(
    "line",
    [
        "GET / HTTP/1.1",
        "GET https://a.test/ HTTP/1.1",
        "GET ftp://a.test/ HTTP/1.1",
        "CONNECT a.test HTTP/1.1",
        "CONNECT a.test:0 HTTP/1.1",
        "CONNECT a.test:99999 HTTP/1.1",
        "CONNECT a.test:443/x HTTP/1.1",
        "CONNECT :443 HTTP/1.1",
        "CONNECT *.test:443 HTTP/1.1",
        "GET http://a.test/ HTTP/2",
        "GET http://a.test/",
        "GET http://[::1/ HTTP/1.1",
        "GET  http://a.test/ HTTP/1.1",
        "\x05\x01\x00",
        "GET http://ä.test/ HTTP/1.1",
    ],
)
def test_what_is_not_for_a_proxy_is_refused(line: str) -> None:
    with pytest.raises(NotForProxy):
        proxy_request(f"{line}\r\n\r\n".encode())
