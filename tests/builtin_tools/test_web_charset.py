import pytest

from roo_code.builtin_tools.web_charset import content_kind, decode_page


@pytest.mark.parametrize(
    ("data", "content_type", "text"),
    [
        ("grün".encode(), "text/html", "grün"),
        ("grün".encode("latin-1"), "text/html; charset=iso-8859-1", "grün"),
        ("„grün“".encode("cp1252"), 'text/html; charset="ISO-8859-1"', "„grün“"),
        ("\ufeffgrün".encode(), "text/html; charset=latin-1", "grün"),
        ("\ufeffgrün".encode("utf-16"), "text/html", "grün"),
        ("日本語".encode("shift_jis"), "text/plain; charset=Shift_JIS", "日本語"),
        (b"<meta charset=gbk>" + "中文".encode("gbk"), "text/html", "<meta charset=gbk>中文"),
        (b"<meta charset=utf-16>gr\xc3\xbcn", "text/html", "<meta charset=utf-16>grün"),
        ("grün".encode(), "text/html; charset=punycode", "grün"),
        ("grün".encode(), "text/html; charset=rot13", "grün"),
        ("grün".encode(), "text/html; charset=no-such", "grün"),
        (b"gr\xfcn", "text/html", "grün"),
        (b"gr\xc3\xbcn \xff", "text/html; charset=utf-8", "grün \ufffd"),
    ],
)
def test_the_text_is_read_as_it_was_written(data: bytes, content_type: str, text: str) -> None:
    decoded = decode_page(data, content_type, content_kind(content_type))
    assert decoded is not None
    assert decoded.removeprefix("\ufeff") == text


def test_xml_says_its_own_encoding() -> None:
    data = b'<?xml version="1.0" encoding="koi8-r"?><a>' + "привет".encode("koi8-r") + b"</a>"
    assert "привет" in (decode_page(data, "application/xml", "application/xml") or "")


def test_what_is_no_text_is_none() -> None:
    assert decode_page(bytes(range(256)) * 8, "application/octet-stream", "") is None
