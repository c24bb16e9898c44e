"""Limits that a linter has no rule for."""

import ast
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import TypeAlias

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "roo_code").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))

LONGEST_MODULE = 400
LONGEST_FUNCTION = 50
LARGEST_MEDIAN_MODULE = 110
MOST_PUBLIC_METHODS = 20
MOST_PARAMETERS = 8
NAMES_THAT_SAY_NOTHING = {"common", "helper", "helpers", "misc", "util", "utils"}

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def line_count(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_functions_and_classes_are_small(path: Path) -> None:
    assert list(too_large(ast.parse(path.read_text(encoding="utf-8")))) == []


def test_modules_are_short() -> None:
    lengths = {relative(path): line_count(path) for path in [*SOURCES, *TESTS]}
    assert {path: lines for path, lines in lengths.items() if lines > LONGEST_MODULE} == {}


def test_the_median_module_is_short() -> None:
    lengths = [lines for path in SOURCES if (lines := line_count(path)) > 5]
    assert median(lengths) <= LARGEST_MEDIAN_MODULE


def test_modules_have_names_that_say_something() -> None:
    names = [relative(path).removesuffix(".py") for path in SOURCES]
    assert [name for name in names if NAMES_THAT_SAY_NOTHING & {*Path(name).parts}] == []


def too_large(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef):
            if (methods := len(public_methods(node))) > MOST_PUBLIC_METHODS:
                yield f"{node.name}: {methods} public methods"
        elif isinstance(node, Function):
            if (lines := (node.end_lineno or 0) - node.lineno + 1) > LONGEST_FUNCTION:
                yield f"{node.name}: {lines} lines"
            if (parameters := len(parameter_names(node))) > MOST_PARAMETERS:
                yield f"{node.name}: {parameters} parameters"


def public_methods(node: ast.ClassDef) -> set[str]:
    """By name, so that a property and its setter, or overloads, count once."""
    return {
        child.name
        for child in node.body
        if isinstance(child, Function) and not child.name.startswith("_")
    }


def parameter_names(node: Function) -> set[str]:
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return {argument.arg for argument in named} - {"self", "cls"}
