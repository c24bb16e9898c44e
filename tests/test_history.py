"""The projection: whatever the log's last record is, the history can be sent."""

from hypothesis import given, settings
from hypothesis import strategies as st

from roo_code.events import (
    ApprovalDecided,
    ApprovalRequested,
    CondenseRequested,
    ContextCondensed,
    EnvironmentTold,
    Event,
    MentionsRead,
    MessageAdded,
    ParentCall,
    QuestionAnswered,
    QuestionAsked,
    RunCancelled,
    RunCompleted,
    RunFailed,
    SpecChanged,
    SubtaskEnded,
    SubtaskStarted,
    TaskCreated,
    TaskSpec,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from roo_code.history import History, closed_messages
from roo_code.messages import Message, TextContent, ToolResult, ToolUseContent, Usage
from tests.wellformed import problems

SPEC = TaskSpec(prompt="Do it.", workspace="/w")


def call(id: str, name: str = "read_file") -> ToolUseContent:
    return ToolUseContent(id=id, name=name, input={"path": "a"})


def reply(*ids: str, text: str = "") -> MessageAdded:
    words = (TextContent(text=text),) if text else ()
    content = (*words, *(call(id) for id in ids))
    return MessageAdded(message=Message(role="assistant", content=content))


def said(text: str) -> MessageAdded:
    return MessageAdded(message=Message.from_user(text))


def finished(
    id: str, content: str = "ok", *, is_error: bool = False, ends_run: bool = False
) -> ToolFinished:
    result = ToolResult(tool_use_id=id, content=content, is_error=is_error, ends_run=ends_run)
    return ToolFinished(result=result)


@st.composite
def event_logs(draw: st.DrawFn) -> list[Event]:
    """Events in any order at all, with calls of fresh ids and answers to any of them."""
    events: list[Event] = [TaskCreated(spec=SPEC)]
    known = ["x0"]
    for number in range(draw(st.integers(0, 25))):
        id = draw(st.sampled_from(known))
        kind = draw(st.integers(0, 16))
        if kind in (0, 1):
            fresh = [f"x{number + 1}-{n}" for n in range(draw(st.integers(0, 3)))]
            known += fresh
            events.append(reply(*fresh, text="hm" if not fresh else ""))
        else:
            events.append(answers(id, kept=draw(st.integers(0, 6)))[kind - 2])
    return events


def answers(id: str, kept: int = 0) -> list[Event]:
    return [
        EnvironmentTold(text="It is noon."),
        ContextCondensed(summary="so far", kept=kept, tokens_before=9, tokens_after=5),
        ContextCondensed(summary="", kept=kept, cut=kept, tokens_before=9, tokens_after=5),
        said("more"),
        MentionsRead(names=("@/a",), content=(TextContent(text="a"),)),
        ApprovalRequested(call=call(id)),
        ApprovalDecided(tool_use_id=id, approved=True, by="user"),
        ToolStarted(call=call(id)),
        finished(id),
        QuestionAsked(tool_use_id=id, question="?"),
        QuestionAnswered(tool_use_id=id, answer="!"),
        SubtaskStarted(tool_use_id=id, subtask_id="s", prompt="p"),
        SubtaskEnded(tool_use_id=id, subtask_id="s", result="r"),
        RunCancelled(),
        RunFailed(error="e"),
    ]


@given(event_logs())
@settings(max_examples=400, deadline=None)
def test_any_log_projects_to_a_history_that_can_be_sent(events: list[Event]) -> None:
    assert problems(closed_messages(events)) == []
    history = History(events)
    if not history.pending:
        assert problems(history.messages) == []


@given(event_logs())
@settings(max_examples=100, deadline=None)
def test_folding_is_incremental(events: list[Event]) -> None:
    """An agent that goes on folding sees what a driver that loads the log afresh sees."""
    whole = History(events)
    grown = History(events[: len(events) // 2])
    for event in events[len(events) // 2 :]:
        grown.apply(event)
    assert grown.messages == whole.messages
    assert grown.pending == whole.pending


def test_results_come_in_the_order_of_the_calls() -> None:
    history = History([TaskCreated(spec=SPEC), reply("a", "b"), finished("b", "B")])
    assert list(history.pending) == ["a", "b"]
    history.apply(finished("a", "A"))
    assert history.pending == {}
    blocks = history.messages[-1].content
    assert [b.content for b in blocks if isinstance(b, ToolResult)] == ["A", "B"]


def test_a_second_result_for_a_call_is_ignored() -> None:
    history = History([TaskCreated(spec=SPEC), reply("a", "b"), finished("a", "first")])
    history.apply(finished("a", "second"))
    history.apply(finished("b"))
    first = history.messages[-1].content[0]
    assert isinstance(first, ToolResult)
    assert first.content == "first"


def test_a_started_call_without_a_result_says_what_may_have_happened() -> None:
    events = [TaskCreated(spec=SPEC), reply("a", "b"), ToolStarted(call=call("a"))]
    results = closed_messages(events)[-1].content
    started, never_run = (b for b in results if isinstance(b, ToolResult))
    assert "may have had none, some or all of its effect" in started.content
    assert "was not run" in never_run.content
    assert started.is_error
    assert never_run.is_error


def test_a_message_to_a_cancelled_task_follows_the_closed_calls_in_one_user_turn() -> None:
    events = [TaskCreated(spec=SPEC), reply("a"), RunCancelled(), said("Go on.")]
    last = History(events).messages[-1]
    assert [block.type for block in last.content] == ["tool_result", "text"]


def test_the_final_answer_is_the_completion_or_the_last_words() -> None:
    done = History([TaskCreated(spec=SPEC), reply("a"), finished("a", "Done.", ends_run=True)])
    assert done.final_answer == "Done."
    done.apply(RunCompleted(result="Done."))
    done.apply(said("And now?"))
    assert done.final_answer is None
    done.apply(reply(text="Nothing more."))
    assert done.final_answer == "Nothing more."


def test_turns_and_mistakes_are_counted_from_the_users_last_word() -> None:
    history = History([TaskCreated(spec=SPEC), TurnStarted(turn=1), reply("a", "b")])
    history.apply(finished("a", is_error=True))
    history.apply(finished("b", is_error=True))
    assert (history.turns, history.mistakes) == (1, 2)
    history.apply(said("Try again."))
    assert (history.turns, history.mistakes) == (0, 0)


def test_repeated_or_missing_call_ids_are_made_unique() -> None:
    history = History([TaskCreated(spec=SPEC), reply("a"), finished("a")])
    again = Message(role="assistant", content=(call("a"), call("b"), call("b"), call("")))
    ids = [c.id for c in history.with_fresh_ids(again).tool_uses]
    assert ids == ["a_2", "b", "b_2", "call"]
    fine = Message(role="assistant", content=(call("c"),))
    assert history.with_fresh_ids(fine) is fine


def test_what_the_user_says_is_unread_until_it_is_read_or_the_model_is_asked() -> None:
    history = History([TaskCreated(spec=SPEC)])
    assert history.unread == ["Do it."]
    history.apply(said("With @/a."))
    assert history.unread == ["Do it.", "With @/a."]
    read = MentionsRead(names=("@/a",), content=(TextContent(text="aaa"),), seen_files={"a": "1"})
    history.apply(read)
    assert history.unread == []
    assert history.seen_files == {"a": "1"}
    assert [message.text for message in history.messages] == ["Do it.With @/a.aaa"]
    history.apply(said("And @/b."))
    history.apply(TurnStarted(turn=1))
    assert history.unread == []


def test_an_answer_is_unread_too_but_not_what_a_model_told_its_subtask() -> None:
    history = History([TaskCreated(spec=SPEC), TurnStarted(turn=1), reply("q")])
    history.apply(QuestionAsked(tool_use_id="q", question="Which?"))
    history.apply(QuestionAnswered(tool_use_id="q", answer="@/a"))
    assert history.unread == ["@/a"]
    orders = SPEC.replace(parent=ParentCall(task_id="t", tool_use_id="c"))
    assert History([TaskCreated(spec=orders)]).unread == []


def condense(summary: str = "", kept: int = 0, refused: int = 0) -> ContextCondensed:
    return ContextCondensed(
        summary=summary, kept=kept, tokens_before=9, tokens_after=5, refused=refused
    )


def test_a_history_knows_how_often_it_was_condensed_since_anything_was_said() -> None:
    history = History([TaskCreated(spec=SPEC), reply(text="one"), said("two"), condense("so far")])
    assert history.condenses == 1
    history.apply(EnvironmentTold(text="It is noon."))
    history.apply(condense(kept=1))
    assert history.condenses == 2
    history.apply(reply(text="three"))
    assert history.condenses == 0


def test_the_least_that_a_service_refused_holds_until_the_settings_change() -> None:
    history = History([TaskCreated(spec=SPEC), reply(text="one"), said("two")])
    for refused in (0, 900, 500, 700, 0):
        history.apply(condense(refused=refused))
    history.apply(reply(text="three"))
    assert history.refused == 500
    history.apply(SpecChanged(spec=SPEC))
    assert history.refused == 0


def test_it_is_marked_once_that_something_is_left_out() -> None:
    history = History([TaskCreated(spec=SPEC)])
    for number in range(4):
        for event in (reply(text="yes"), said(f"And {number}?"), condense(kept=1)):
            history.apply(event)
    [message] = history.messages
    texts = [block.text for block in message.content if isinstance(block, TextContent)]
    assert texts[0] == "Do it."
    assert "left out" in texts[1]
    assert texts[2:] == ["And 3?"]


def test_what_a_service_told_of_a_longer_history_is_forgotten() -> None:
    answer = Message(
        role="assistant", content=(TextContent(text="yes"),), usage=Usage(input_tokens=9000)
    )
    events = [TaskCreated(spec=SPEC), MessageAdded(message=answer), said("And now?")]
    assert History([*events, condense("so far", kept=2)]).messages[1].usage is None
    assert History([*events, condense(kept=9)]).messages[1].usage is not None  # nothing was lost


def test_there_is_nothing_to_condense_in_what_was_condensed() -> None:
    history = History([TaskCreated(spec=SPEC), CondenseRequested()])
    assert not history.condense_requested
    for event in (reply(text="yes"), CondenseRequested()):
        history.apply(event)
    assert history.condense_requested
    for event in (condense("so far"), CondenseRequested()):
        history.apply(event)
    assert not history.condense_requested
