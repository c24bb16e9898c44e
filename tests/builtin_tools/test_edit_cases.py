"""What other implementations of the same formats were seen to do, and what we do."""

import json
from pathlib import Path
from typing import Any

import pytest

from roo_code.builtin_tools.apply_diff import apply_blocks
from roo_code.builtin_tools.apply_diff_blocks import MalformedDiff, parse_blocks
from roo_code.builtin_tools.apply_diff_matching import MatchRules
from roo_code.builtin_tools.apply_patch_format import (
    AddFile,
    DeleteFile,
    InvalidPatch,
    Operation,
    UpdateFile,
    parse_patch,
)
from roo_code.errors import ToolError
from tests.builtin_tools.calls import Caller

DATA = Path(__file__).with_name("data") / "edit_cases.json"
CASES: list[dict[str, Any]] = json.loads(DATA.read_text(encoding="utf-8"))["cases"]


def of_kind(kind: str) -> Any:
    cases = [case for case in CASES if case["kind"] == kind]
    return pytest.mark.parametrize("case", cases, ids=[case["name"] for case in cases])


def test_every_case_is_used_and_every_difference_has_a_reason() -> None:
    assert {case["kind"] for case in CASES} == {"grammar", "diff", "patch", "patch grammar"}
    assert len({case["name"] for case in CASES}) == len(CASES) >= 97
    for case in CASES:
        assert ("observed" in case) == ("why" in case)
        assert "observed" not in case or case["observed"] != case["after"]


@of_kind("grammar")
def test_the_grammar_of_blocks(case: dict[str, Any]) -> None:
    if case["valid"]:
        assert parse_blocks(case["edit"])
    else:
        with pytest.raises(MalformedDiff, match="malformed at its line"):
            parse_blocks(case["edit"])


@of_kind("diff")
def test_blocks_on_a_text(case: dict[str, Any]) -> None:
    rules = MatchRules(case["threshold"], case["buffer_lines"])
    blocks = parse_blocks(case["edit"])
    if case["after"] is not None:
        assert apply_blocks(case["before"], blocks, rules)[0] == case["after"]
        return
    with pytest.raises(ToolError) as refusal:
        apply_blocks(case["before"], blocks, rules)
    told = str(refusal.value)
    assert len(told) < 1000
    # Where the same text is elsewhere, that is told rather than what resembles it here.
    if "likeness" in case and "but at line" not in told:
        stated = int(told.split("% alike")[0].rpartition("(")[2])
        assert abs(stated - case["likeness"]) <= 1


@of_kind("patch grammar")
def test_the_grammar_of_patches(case: dict[str, Any]) -> None:
    if case["operations"] is None:
        with pytest.raises(InvalidPatch, match="Invalid patch format: Line "):
            parse_patch(case["edit"])
    else:
        assert [described(operation) for operation in parse_patch(case["edit"])] == case[
            "operations"
        ]


def described(operation: Operation) -> dict[str, Any]:
    match operation:
        case AddFile(path, lines):
            return {"does": "add", "path": path, "lines": list(lines)}
        case DeleteFile(path):
            return {"does": "delete", "path": path}
        case UpdateFile(path, hunks, move_to):
            described_hunks = [
                {
                    "context": hunk.contexts[0] if hunk.contexts else None,
                    "old": list(hunk.old),
                    "new": [line.text for line in hunk.lines if line.sign != "-"],
                    "at_end": hunk.at_end,
                }
                for hunk in hunks
            ]
            return {"does": "update", "path": path, "move_to": move_to, "hunks": described_hunks}


@of_kind("patch")
async def test_patches_on_a_folder(caller: Caller, case: dict[str, Any]) -> None:
    for name, text in case["before"].items():
        (caller.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (caller.folder / name).write_bytes(text.encode())
    result = await caller.call("apply_patch", patch=case["edit"])
    assert result.is_error == (case["before"] == case["after"])
    files = [path for path in caller.folder.rglob("*") if path.is_file()]
    assert {
        path.relative_to(caller.folder).as_posix(): path.read_bytes().decode() for path in files
    } == case["after"]
