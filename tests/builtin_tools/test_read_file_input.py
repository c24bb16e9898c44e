from typing import Any

import pytest

from roo_code.builtin_tools.read_file import ReadFile
from roo_code.builtin_tools.read_file_input import ReadFileInput
from roo_code.errors import ToolError
from roo_code.tools import parse_input


@pytest.mark.parametrize(
    ("input", "offset", "limit"),
    [
        ({}, 1, 2000),
        ({"offset": "5", "limit": 10.0}, 5, 10),
        ({"start_line": 5, "end_line": 9}, 5, 5),
        ({"start_line": "5", "end_line": None, "offset": None}, 5, 2000),
        ({"end_line": 9}, 1, 9),
        ({"view_range": [3, 4]}, 3, 2),
        ({"view_range": "[3, -1]"}, 3, 2000),
    ],
)
def test_lines_may_be_asked_for_in_many_ways(
    input: dict[str, Any], offset: int, limit: int
) -> None:
    arguments = ReadFileInput.model_validate({"file_path": "a.py", **input})
    assert (arguments.path, arguments.offset, arguments.limit) == ("a.py", offset, limit)


@pytest.mark.parametrize(
    "ranges",
    [[[1, 2]], [1, 2], ["1-2"], "1-2", [{"start": 1, "end": 2}], {"start": 1, "end": 2}, "[[1,2]]"],
)
def test_ranges_may_be_written_in_many_ways(ranges: Any) -> None:
    arguments = ReadFileInput.model_validate({"files": [{"path": "a", "line_ranges": ranges}]})
    assert arguments.files[0].line_ranges == ((1, 2),)
    assert ReadFile().paths(arguments) == ("a",)


@pytest.mark.parametrize(
    "files", [["a", "b"], '["a", "b"]', [{"path": "a"}, {"file_path": "b"}], '[{"path":"a"},"b"]']
)
def test_files_may_be_written_in_many_ways(files: Any) -> None:
    arguments = ReadFileInput.model_validate({"files": files})
    assert ReadFile().paths(arguments) == ("a", "b")


@pytest.mark.requirement("tools:input:schema-checked")
@pytest.mark.parametrize(
    ("input", "field"),
    [
        ({}, "path"),
        ({"path": ""}, "path"),
        ({"files": []}, "path"),
        ({"files": 7}, "path"),
        ({"path": "a", "offset": 0}, "offset"),
        ({"path": "a", "limit": "few"}, "limit"),
        ({"path": "a", "mode": "all"}, "mode"),
        ({"path": "a", "indentation": {"anchor_line": 0}}, "indentation.anchor_line"),
        ({"files": [{"path": "a", "line_ranges": ["x"]}]}, "files.0.line_ranges"),
    ],
)
def test_what_cannot_be_meant_names_the_field(input: dict[str, Any], field: str) -> None:
    with pytest.raises(ToolError, match=rf"- {field}"):
        parse_input(ReadFile(), input)


def test_only_the_newer_shape_is_shown_to_models() -> None:
    schema = ReadFile().input_schema()
    assert sorted(schema["properties"]) == ["indentation", "limit", "mode", "offset", "path"]
    assert schema["required"] == ["path"]
