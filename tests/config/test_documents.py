"""Reading settings files: values, lines, and files that cannot be used."""

import os
from pathlib import Path

import pytest

from roo_code.config.documents import Document, read_document
from roo_code.config.unreadable import Unreadable


def read(path: Path, text: str) -> Document:
    path.write_text(text, encoding="utf-8")
    document = read_document(path)
    assert document is not None
    return document


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.json", '{\n  "mode": "ask",\n  "list": [\n    1,\n    {"x": 2}\n  ]\n}'),
        ("s.yaml", "# a comment\nmode: ask\nlist:\n  - 1\n  - x: 2\n"),
    ],
)
def test_every_value_knows_its_line(tmp_path: Path, name: str, text: str) -> None:
    document = read(tmp_path / name, text)
    assert document.data == {"mode": "ask", "list": [1, {"x": 2}]}
    assert document.line_of("mode") == 2
    assert document.line_of("list") == 3
    assert document.line_of("list", 1, "x") == 5
    assert document.line_of("nowhere") is None
    assert document.line_of("list", 9) is None


@pytest.mark.parametrize("name", ["s.json", "s.yaml", "s.yml"])
@pytest.mark.parametrize("text", ["", "  \n", "\ufeff"])
def test_an_empty_file_says_nothing(tmp_path: Path, name: str, text: str) -> None:
    assert read(tmp_path / name, text).data == {}


def test_comments_in_json_and_a_byte_order_mark_are_accepted(tmp_path: Path) -> None:
    assert read(tmp_path / "s.json", '\ufeff{"a": 1, // one\n}').data == {"a": 1}
    assert read(tmp_path / "s.yaml", "\ufeffa: 1").data == {"a": 1}


@pytest.mark.parametrize(
    ("name", "raw", "line", "said"),
    [
        ("s.json", b'{"a": 1', 1, "broken"),
        ("s.json", b'{\n"a": }', 2, "no value"),
        ("s.json", b"[1]", 1, "object"),
        ("s.json", b'{"a": "\xff"}', 1, "UTF-8"),
        ("s.json", b'{\n"a": NaN}', 2, "broken"),
        ("s.json", b'{"a":' + b"[" * 50_000, 1, "nested"),
        ("s.yaml", b"a: [1\nb: 2", 2, "broken"),
        ("s.yaml", b"- 1", 1, "object"),
        ("s.yaml", b"a: 1\nyes: 2", None, "quotes"),
        ("s.yaml", b"a: &x [1]\nb: *x", 2, "aliases"),
        ("s.yaml", b"a: " + b"[" * 50_000, 1, "nested"),
        ("s.yaml", b"a:\n" + b"- " * 50_000, 2, "nested"),
        ("s.yaml", b"a: !!python/object:os.system x", 1, "broken"),
        ("s.yaml", b"a: 2026-13-45", None, "broken"),
        ("s.json", b"x" * 5_000_000, None, "larger"),
    ],
)
def test_a_file_that_cannot_be_used_says_why_and_where(
    tmp_path: Path, name: str, raw: bytes, line: int | None, said: str
) -> None:
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(Unreadable, match=said) as caught:
        read_document(tmp_path / name)
    assert caught.value.line == line


def test_a_pipe_or_a_folder_in_place_of_the_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "folder.json").mkdir()
    for name in ("pipe.json", "folder.json"):
        with pytest.raises(Unreadable, match="regular"):
            read_document(tmp_path / name)
    assert read_document(tmp_path / "none.json") is None
