from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roo_code.builtin_tools.indentation import BlockRules, block_around

SCRIPT = """\
class Shop {
  // Sells.
  sell(item) {
    if (item) {
      count += 1;
    } else {
      stop();
    }
  }

  buy() {}
}
const shop = new Shop();"""
LINES: Sequence[str] = SCRIPT.split("\n")


def block(anchor: int, rules: BlockRules) -> Sequence[str]:
    top, bottom = block_around(LINES, anchor, rules)
    return LINES[top : bottom + 1]


def test_without_a_limit_the_outermost_block_is_taken() -> None:
    assert block(4, BlockRules()) == LINES[0:12]


def test_levels_are_counted_from_the_anchor() -> None:
    assert block(4, BlockRules(max_levels=1)) == LINES[3:8]
    assert block(4, BlockRules(max_levels=2)) == LINES[1:9]


def test_the_header_can_be_left_out() -> None:
    assert block(4, BlockRules(max_levels=2, include_header=False)) == LINES[2:9]


def test_neighbouring_blocks_can_be_taken_in() -> None:
    assert block(4, BlockRules(max_levels=2, include_siblings=True)) == LINES[1:11]


def test_a_limit_cuts_both_ends() -> None:
    assert block(4, BlockRules(most=3)) == LINES[3:6]
    assert block(4, BlockRules(most=1)) == LINES[4:5]


def test_a_line_that_opens_a_block_brings_it_along() -> None:
    assert block(2, BlockRules(max_levels=0)) == LINES[0:12]
    assert block_around(["def f():", "\tpass", "", "x = 1"], 0, BlockRules()) == (0, 1)


@given(
    lines=st.lists(st.text(" \tab}#"), min_size=1),
    data=st.data(),
    rules=st.builds(
        BlockRules, st.integers(0, 3), st.booleans(), st.booleans(), st.integers(1, 10)
    ),
)
def test_the_anchor_is_always_in_its_block(
    lines: list[str], data: st.DataObject, rules: BlockRules
) -> None:
    anchor = data.draw(st.integers(0, len(lines) - 1))
    top, bottom = block_around(lines, anchor, rules)
    assert 0 <= top <= anchor <= bottom < len(lines)
    assert bottom - top < rules.most


@pytest.mark.parametrize("lines", [[""], ["", ""], ["    "]])
def test_blank_lines_are_a_block_too(lines: list[str]) -> None:
    assert block_around(lines, 0, BlockRules()) == (0, 0)
