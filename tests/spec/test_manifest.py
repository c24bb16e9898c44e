"""The manifest is well formed, and each test that claims a requirement tests something."""

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.spec.manifest import KINDS, load_requirements, marked_tests

REQUIREMENTS = load_requirements()
MARKED = marked_tests()
ID = re.compile(r"(?P<area>[a-z0-9-]+)(:[a-z0-9-]+){2}")


def test_requirements_are_well_formed() -> None:
    malformed = [
        requirement.id
        for requirement in REQUIREMENTS
        if not (match := ID.fullmatch(requirement.id))
        or match["area"] != requirement.area
        or requirement.kind not in KINDS
        or not (requirement.source.strip() and requirement.text.strip())
    ]
    assert not malformed


def test_requirement_ids_are_unique() -> None:
    counts = Counter(requirement.id for requirement in REQUIREMENTS)
    assert [id for id, count in counts.items() if count > 1] == []


def test_marked_ids_exist() -> None:
    known = {requirement.id for requirement in REQUIREMENTS}
    assert [f"{test}: {id}" for test in MARKED for id in test.ids if id not in known] == []


def test_marked_tests_assert_something() -> None:
    assert [str(test) for test in MARKED if not test.asserts] == []


MARK = "@pytest.mark.requirement('a:b:c')\n"
CASES = "@pytest.mark.parametrize('n', [pytest.param(1, marks=pytest.mark.requirement('a:b:c'))])\n"


@pytest.mark.parametrize(
    ("source", "runs", "asserts"),
    [
        (MARK + "def test_x(): assert x", True, True),
        (MARK + "def test_x(): assert True", True, False),
        (MARK + "async def test_x():\n  with pytest.raises(Error): x()", True, True),
        (MARK + "@pytest.mark.skip\ndef test_x(): assert x", False, True),
        (MARK + "@pytest.mark.xfail(reason='x')\ndef test_x(): assert x", False, True),
        (MARK + "class TestX:\n  def test_x(self): assert x", True, True),
        (CASES + "def test_x(n): assert n == 1", True, True),
        ("pytestmark = [pytest.mark.requirement('a:b:c')]\ndef test_x(): ...", True, False),
    ],
)
def test_marks_are_read_from_source(tmp_path: Path, source: str, runs: bool, asserts: bool) -> None:
    (tmp_path / "test_sample.py").write_text(source, encoding="utf-8")
    [test] = marked_tests(tmp_path)
    assert (test.ids, test.runs, test.asserts) == (("a:b:c",), runs, asserts)
