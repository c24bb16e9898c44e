from ipaddress import ip_address

import pytest

from roo_code.errors import ConfigError
from roo_code.sandbox.host_list import HostList, normal_host

LISTED = HostList(
    [
        "pypi.org",
        "*.Example.ORG",
        "db.corp:5432",
        "many.test:1,2",
        "any.test:*",
        "10.0.0.7",
        "[fe80::1]:8080",
        "2001:DB8::5",
        "bücher.test",
        "localhost:5433,5434",
        "*.corp:443",
    ]
)


@pytest.mark.parametrize(
    ("host", "port"),
    [
        ("pypi.org", 443),
        ("pypi.org", 80),
        ("a.example.org", 443),
        ("a.b.example.org", 443),
        ("db.corp", 5432),
        ("many.test", 2),
        ("any.test", 60000),
        ("10.0.0.7", 80),
        ("fe80::1", 8080),
        ("2001:db8::5", 443),
        ("xn--bcher-kva.test", 443),
    ],
)
def test_what_is_listed_is_let_through(host: str, port: int) -> None:
    assert LISTED.has(host, port)


@pytest.mark.parametrize(
    ("host", "port"),
    [
        ("pypi.org", 8443),
        ("files.pypi.org", 443),
        ("pypi.org.evil.test", 443),
        ("evilpypi.org", 443),
        ("example.org", 443),
        ("evilexample.org", 443),
        ("db.corp", 443 + 1),
        ("10.0.0.8", 80),
        ("10.0.0.7", 22),
        ("fe80::1", 80),
        ("localhost", 80),
        ("127.0.0.1", 5433),
        ("", 443),
    ],
)
def test_what_is_not_listed_is_not(host: str, port: int) -> None:
    assert not LISTED.has(host, port)


def test_all_names_are_not_all_addresses() -> None:
    everything = HostList(["*"])
    assert everything.has("example.org", 443)
    assert not everything.has("93.184.215.14", 443)
    assert not everything.has("::1", 443)
    assert not everything.has("example.org", 22)


@pytest.mark.parametrize(
    ("host", "port", "address", "reached"),
    [
        ("pypi.org", 443, "151.101.0.223", True),
        ("pypi.org", 443, "169.254.169.254", False),
        ("pypi.org", 443, "127.0.0.1", False),
        ("pypi.org", 443, "::ffff:10.0.0.1", False),
        ("pypi.org", 443, "10.0.0.7", True),  # which is listed itself
        ("db.corp", 5432, "10.1.2.3", True),
        ("db.corp", 443, "10.1.2.3", False),  # listed only by what all of them are called
        ("any.test", 5, "192.168.0.1", True),
        ("10.0.0.7", 80, "10.0.0.7", True),
    ],
)
def test_a_private_address_needs_its_host_and_port_listed(
    host: str, port: int, address: str, reached: bool
) -> None:
    assert LISTED.reaches(host, port, ip_address(address)) == reached


def test_services_of_this_machine_are_those_listed_with_a_port() -> None:
    assert LISTED.of_this_machine == [("localhost", 5433), ("localhost", 5434)]
    assert HostList(["localhost", "127.0.0.1:*", "[::1]:7"]).of_this_machine == [("::1", 7)]


@pytest.mark.parametrize(
    "entry",
    ["https://pypi.org", "pypi.org/simple", "", " ", "a b", "*pypi.org", "a.*.org", "user@host",
     "host:", "host:http", "::1]:80", "*.10.0.0.1", "-x", "a\nb", "[pypi", "*.*"],
)  # fmt: skip
def test_what_is_not_a_host_is_refused_with_the_way_to_write_one(entry: str) -> None:
    with pytest.raises(ConfigError, match="which is not a host") as refused:
        HostList([entry])
    assert "*.pypi.org" in refused.value.hint


@pytest.mark.parametrize("entry", ["host:0", "host:65536", "host:80,99999"])
def test_a_port_must_be_possible(entry: str) -> None:
    with pytest.raises(ConfigError, match="no possible port"):
        HostList([entry])


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("PyPI.org.", "pypi.org"),
        ("[::1]", "::1"),
        ("0:0::1", "::1"),
        ("a_b.test", "a_b.test"),
        ("*.test", None),
        ("*", None),
        ("a b", None),
        ("a\r\nb", None),
        ("", None),
        ("a" * 254, None),
    ],
)
def test_hosts_of_requests_are_written_as_in_lists(written: str, meant: str | None) -> None:
    assert normal_host(written) == meant
