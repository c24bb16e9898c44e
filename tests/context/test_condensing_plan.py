"""What of a history stays."""

from collections.abc import Sequence
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from roo_code.condensed_messages import condensed
from roo_code.context.condensing_plan import LEAST_CUT, Plan, texts_to_cut
from roo_code.events import ContextCondensed
from roo_code.messages import Message, TextContent, ToolResult, ToolUseContent, is_cut, shortened
from tests.wellformed import problems

WANTED = ContextCondensed(summary="So far.", kept=0, tokens_before=0, tokens_after=0)
TRUNCATE = WANTED.replace(summary="")


def letters(messages: Sequence[Message]) -> int:
    """One token for each three characters, so that sums are easy."""
    sizes = (
        len(block.text if isinstance(block, TextContent) else block.content) // 3
        for message in messages
        for block in message.content
        if isinstance(block, TextContent | ToolResult)
    )
    return sum(sizes)


def exchange(number: int, size: int) -> list[Message]:
    call = ToolUseContent(id=f"c{number}", name="look", input={})
    result = ToolResult(tool_use_id=call.id, content="r" * size)
    return [Message(role="assistant", content=(call,)), Message.from_tools([result])]


def conversation(*sizes: int) -> list[Message]:
    exchanges = [message for n, size in enumerate(sizes) for message in exchange(n, size)]
    return [Message.from_user("Go."), *exchanges]


def plan(messages: list[Message], room: int) -> Plan:
    return Plan(messages=messages, room=room, tail=room // 4, count=letters)


def test_whole_exchanges_stay_as_long_as_they_fit_a_quarter() -> None:
    found = plan(conversation(*[300] * 20), 2000).fitted(WANTED)
    assert found is not None
    assert (found.kept, found.cut) == (10, 0)  # five exchanges of a hundred tokens


def test_the_last_exchange_is_cut_where_it_is_too_large() -> None:
    messages = conversation(300, 300, 9000)
    found = plan(messages, 1000).fitted(WANTED)
    assert found is not None
    assert found.kept == 2
    assert LEAST_CUT <= found.cut < 3000
    assert letters(condensed(messages, found)) <= 750


def test_new_words_of_the_user_stay_without_what_was_before() -> None:
    messages = [*conversation(300), *exchange(9, 9)[:1], Message.from_user("And now?")]
    messages[3] = Message(role="assistant", content=(TextContent(text="Done."),))
    found = plan(messages, 400).fitted(WANTED)
    assert found is not None
    assert condensed(messages, found)[-1].content[-1] == TextContent(text="And now?")


def test_nothing_is_found_where_nothing_fits() -> None:
    many = Message.from_tools(ToolResult(tool_use_id=f"c{n}", content="r" * 900) for n in range(50))
    calls = tuple(ToolUseContent(id=f"c{n}", name="look") for n in range(50))
    messages = [Message.from_user("Go."), Message(role="assistant", content=calls), many]
    found = plan(messages, 1000).fitted(WANTED)
    assert found is not None
    assert found.kept == 0  # a summary can stand for all of it
    giant = Message(role="user", content=(TextContent(text="w" * 900),) * 50)
    assert plan([giant], 1000).fitted(TRUNCATE) is None


def test_only_giant_texts_are_cut_if_that_is_enough() -> None:
    messages = conversation(300, 90_000, 300)
    found = plan(messages, 2000).only_cut(TRUNCATE)
    assert found is not None
    assert found.kept == len(messages)
    assert letters(condensed(messages, found)) <= 1200
    assert plan(conversation(*[3000] * 9), 2000).only_cut(TRUNCATE) is None


def test_what_is_cut_is_named_once() -> None:
    messages = conversation(300, 90_000, 300)
    event = TRUNCATE.replace(kept=len(messages), cut=1000, artifacts="/kept")
    assert texts_to_cut(messages, event) == ["r" * 90_000]
    assert texts_to_cut(condensed(messages, event), event) == []


def test_a_cut_text_says_where_it_is_whole_however_often_it_is_cut() -> None:
    once = shortened("head " + "x" * 90_000 + " tail", 5000, "/kept")
    twice = shortened(once, 1000, "/kept")
    assert len(once) <= 5000
    assert len(twice) <= 1000
    for text in (once, twice):
        assert is_cut(text)
        assert text.endswith(" tail")
        name = text.partition("/kept/")[2].partition(".txt")[0]
        assert Path(f"/kept/{name}").name.startswith("text-")


@given(
    st.lists(st.sampled_from([0, 30, 900, 5000, 90_000]), max_size=12),
    st.integers(0, 4000),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_what_is_found_fits_and_splits_no_pair(
    sizes: list[int], room: int, has_summary: bool
) -> None:
    messages = conversation(*sizes)
    found = plan(messages, room).fitted(WANTED if has_summary else TRUNCATE)
    if found is not None:
        shorter = condensed(messages, found)
        assert letters(shorter) <= room
        assert problems(shorter) == []
