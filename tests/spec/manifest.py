"""The requirements, and the tests that claim to show them, read without importing any test."""

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

TESTS = Path(__file__).resolve().parent.parent
MANIFEST = TESTS / "spec" / "requirements.toml"
KINDS = ("must", "should", "later")

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Requirement:
    id: str
    area: str
    source: str
    text: str
    kind: str
    note: str = ""


@dataclass(frozen=True)
class MarkedTest:
    path: Path
    name: str
    ids: tuple[str, ...]
    runs: bool
    """False if it is skipped or expected to fail, whatever the machine: it shows nothing."""
    asserts: bool

    def __str__(self) -> str:
        return f"{self.path.relative_to(TESTS.parent)}::{self.name}"


def load_requirements(path: Path = MANIFEST) -> list[Requirement]:
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["requirement"]
    return [Requirement(**row) for row in rows]


def marked_tests(folder: Path = TESTS) -> list[MarkedTest]:
    return [test for path in sorted(folder.rglob("*.py")) for test in _marked_in(path)]


def _marked_in(path: Path) -> Iterator[MarkedTest]:
    source = path.read_text(encoding="utf-8")
    if "mark.requirement" not in source:
        return
    module = ast.parse(source)
    for function, outer in _test_functions(module, _module_marks(module)):
        marks = [*outer, *function.decorator_list]
        if ids := tuple(id for mark in marks for id in _ids(mark)):
            runs = not any(_mark_name(mark) in {"skip", "xfail"} for mark in marks)
            yield MarkedTest(path, function.name, ids, runs, _asserts(function))


def _test_functions(
    scope: ast.Module | ast.ClassDef, outer: list[ast.expr]
) -> Iterator[tuple[Function, list[ast.expr]]]:
    for node in scope.body:
        if isinstance(node, ast.ClassDef):
            yield from _test_functions(node, [*outer, *node.decorator_list])
        elif isinstance(node, Function) and node.name.startswith("test"):
            yield node, outer


def _module_marks(module: ast.Module) -> list[ast.expr]:
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            return node.value.elts if isinstance(node.value, ast.List) else [node.value]
    return []


def _ids(mark: ast.expr) -> list[str]:
    """The ids of a mark, and of the marks inside it: `parametrize` holds those of its cases."""
    return [
        argument.value
        for call in ast.walk(mark)
        if isinstance(call, ast.Call) and _mark_name(call) == "requirement"
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


def _mark_name(mark: ast.expr) -> str:
    target = mark.func if isinstance(mark, ast.Call) else mark
    name = ast.unparse(target)
    return name.rpartition("mark.")[2] if "mark." in name else ""


def _asserts(function: Function) -> bool:
    return any(
        (isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant))
        or (isinstance(node, ast.Attribute) and node.attr in {"raises", "warns"})
        for node in ast.walk(function)
    )
