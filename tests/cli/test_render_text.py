"""What a person reads, made from records alone."""

from __future__ import annotations

from typing import get_args

import pytest

from roo_code.approval_values import ApprovalSettings
from roo_code.cli.render_text import TextRenderer
from roo_code.cli.style import Style
from roo_code.events import (
    ApprovalDecided,
    ApprovalRequested,
    CondenseRequested,
    ContextCondensed,
    EnvironmentTold,
    Event,
    MentionsRead,
    MessageAdded,
    ModeSwitched,
    ProviderSwitched,
    QuestionAnswered,
    QuestionAsked,
    ReasoningDelta,
    ReplyRestarted,
    RequestRetried,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunParked,
    SideRequestEnded,
    SideRequestStarted,
    SpecChanged,
    SubtaskEnded,
    SubtaskStarted,
    Suggestion,
    TaskCreated,
    TaskSpec,
    TextDelta,
    ToolFinished,
    ToolInputDelta,
    ToolOutput,
    ToolStarted,
    TurnStarted,
    Waiting,
)
from roo_code.messages import Message, TextContent, Usage
from tests.cli.records import call, joined, records, reply, result

PIPE = Style()
TERMINAL = Style(terminal=True, colour=True, width=60)
COMMAND_RESULT = (
    "Command executed in terminal within working directory '/w'. Exit code: {code}\nOutput:\n{out}"
)


def shown(*events: Event, style: Style = PIPE, echo: bool = True) -> str:
    renderer = TextRenderer(style, echo=echo)
    text = joined(renderer.show(record) for record in records(*events))
    return text + "".join(renderer.end())


def test_text_streams_and_is_not_repeated_by_the_reply_nor_by_the_result() -> None:
    assert (
        shown(
            TurnStarted(turn=1),
            TextDelta(text="Hello "),
            TextDelta(text="there."),
            reply("Hello there."),
            RunCompleted(result="Hello there."),
        )
        == "Hello there.\n"
    )


def test_each_delta_comes_out_at_once() -> None:
    renderer = TextRenderer(PIPE)
    pieces = [list(renderer.show(r)) for r in records(TextDelta(text="a"), TextDelta(text="b\n"))]
    assert pieces == [["a"], ["b\n"]]


def test_a_reply_without_deltas_is_shown_whole() -> None:
    assert shown(TurnStarted(turn=1), reply("Said elsewhere.")) == "Said elsewhere.\n"


def test_a_reply_whose_deltas_got_lost_in_part_is_completed() -> None:
    assert shown(TurnStarted(turn=1), TextDelta(text="One "), reply("One two.")) == "One two.\n"


def test_a_result_that_was_not_streamed_is_shown_at_the_end() -> None:
    completion = call("attempt_completion", result="All done.")
    assert (
        shown(
            TurnStarted(turn=1),
            reply("", completion),
            ToolStarted(call=completion),
            ToolFinished(result=result("All done.")),
            RunCompleted(result="All done."),
        )
        == "\nAll done.\n"
    )


def test_tools_are_lines_with_what_came_of_them() -> None:
    read = call("read_file", path="calc.py")
    assert (
        shown(
            reply("I will look.", read),
            ToolStarted(call=read, repeatable=True),
            ToolFinished(result=result("1 | a\n2 | b\n3 | c")),
        )
        == "I will look.\n• read_file calc.py\n  ✓ 3 lines\n"
    )


def test_an_alias_is_shown_by_the_tools_own_name() -> None:
    cat = call("cat", path="calc.py")
    assert shown(ToolStarted(call=cat)).startswith("• read_file calc.py\n")


def test_results_of_calls_that_ran_side_by_side_name_their_call() -> None:
    one, two = call("read_file", "c1", path="a"), call("read_file", "c2", path="b")
    assert shown(
        reply("", one, two),
        ToolStarted(call=one),
        ToolStarted(call=two),
        ToolFinished(result=result("x", "c2")),
        ToolFinished(result=result("no such file", "c1", is_error=True)),
    ) == ("• read_file a\n• read_file b\n  ✓ x\n  ✗ read_file a: no such file\n")


def test_output_of_a_command_is_indented_as_it_comes() -> None:
    run = call("execute_command", command="make test")
    assert shown(
        ToolStarted(call=run),
        ToolOutput(tool_use_id="call_1", text="line 1\nli"),
        ToolOutput(tool_use_id="call_1", text="ne 2\n"),
        ToolOutput(tool_use_id="call_1", text="half"),
        ToolFinished(result=result(COMMAND_RESULT.format(code=2, out="..."))),
    ) == ("• execute_command make test\n    line 1\n    line 2\n    half\n  ✗ exit code 2\n")


def test_output_of_a_command_that_ran_elsewhere_is_shown_from_its_result() -> None:
    run = call("execute_command", command="seq 30")
    numbers = "".join(f"{n}\n" for n in range(1, 31))
    text = shown(
        ToolStarted(call=run),
        ToolFinished(result=result(COMMAND_RESULT.format(code=0, out=numbers))),
    )
    assert "working directory" not in text
    assert "    20\n    … 10 more lines\n  ✓ exit code 0\n" in text


def test_output_that_mentions_an_exit_code_is_not_taken_for_the_commands_own() -> None:
    run = call("execute_command", command="cat log")
    out = "Exit code: 7\n"
    text = shown(
        ToolStarted(call=run), ToolFinished(result=result(COMMAND_RESULT.format(code=0, out=out)))
    )
    assert text.endswith("✓ exit code 0\n")


@pytest.mark.parametrize(
    ("kind", "error", "expected"),
    [
        ("RateLimited", "429 …", "! rate limited; again in 4 s (attempt 2)\n"),
        ("ProtocolError", "odd bytes", "! odd bytes; again in 4 s (attempt 2)\n"),
    ],
)
def test_a_retry_says_why_and_when(kind: str, error: str, expected: str) -> None:
    retried = RequestRetried(attempt=1, delay=4.2, error=error, kind=kind)
    assert shown(TurnStarted(turn=1), retried) == expected


def test_a_reply_that_starts_over_is_marked() -> None:
    assert (
        shown(
            TurnStarted(turn=1),
            TextDelta(text="Half a sen"),
            ReplyRestarted(),
            TextDelta(text="Whole."),
            reply("Whole."),
        )
        == "Half a sen\n(the reply was cut off; here it is anew)\nWhole.\n"
    )


def test_thinking_is_told_apart_from_the_answer() -> None:
    assert (
        shown(ReasoningDelta(text="Let me "), ReasoningDelta(text="see."), TextDelta(text="Yes."))
        == "[thinking] Let me see.\nYes.\n"
    )


def test_a_refusal_by_the_policy_is_told_once_with_its_reason() -> None:
    rm = call("execute_command", command="rm -rf build")
    assert (
        shown(
            reply("", rm),
            ApprovalDecided(tool_use_id="call_1", approved=False, by="policy", reason="not listed"),
            ToolFinished(result=result("The approval policy refused this call", is_error=True)),
        )
        == "✗ execute_command rm -rf build\n    refused: not listed\n"
    )


def test_a_long_reason_is_not_cut_to_one_line_of_a_terminal() -> None:
    rm = call("execute_command", command="rm -rf build")
    reason = "no rule lets this command run unasked: " + "x" * 60
    refused = ApprovalDecided(tool_use_id="call_1", approved=False, by="policy", reason=reason)
    narrow = Style(terminal=True, width=60)
    assert shown(reply("", rm), refused, style=narrow).endswith(f"    refused: {reason}\n")
    asked = ApprovalRequested(call=rm, reason=reason)
    assert shown(asked, style=narrow) == f"? execute_command rm -rf build\n    {reason}\n"


def test_a_reason_that_the_call_says_itself_is_not_repeated() -> None:
    gate = call("pass_gate", question="Go on?")
    assert shown(ApprovalRequested(call=gate, reason="Go on?")) == "? pass_gate Go on?\n"


def test_a_switch_of_mode_and_a_subtask_are_told_once() -> None:
    switch = call("switch_mode", mode_slug="ask", reason="It is a question.")
    assert (
        shown(
            ToolStarted(call=switch),
            ModeSwitched(mode="ask", previous="code", reason="It is a question."),
            ToolFinished(result=result("Switched from code to ask mode.")),
        )
        == "• mode ask: It is a question.\n"
    )
    part = call("new_task", mode="ask", message="Why?")
    assert (
        shown(
            ToolStarted(call=part),
            SubtaskStarted(tool_use_id="call_1", subtask_id="s", prompt="Why?", mode="ask"),
            SubtaskEnded(tool_use_id="call_1", subtask_id="s", result="Because."),
            ToolFinished(result=result("Subtask s completed.\n\nBecause.")),
        )
        == "• subtask in ask mode: Why?\n  ✓ Because.\n"
    )
    failed = ToolFinished(result=result("There is no mode 'wizard'.", is_error=True))
    assert shown(ToolStarted(call=part), failed) == "  ✗ new_task ask: There is no mode 'wizard'.\n"


def test_questions_come_with_numbered_suggestions_and_the_answer() -> None:
    asked = QuestionAsked(
        tool_use_id="call_1",
        question="Which one?",
        suggestions=(Suggestion(text="red"), Suggestion(text="blue")),
    )
    answered = QuestionAnswered(tool_use_id="call_1", answer="red")
    assert shown(asked, answered) == "? Which one?\n    1. red\n    2. blue\n> red\n"
    assert shown(answered, echo=False) == ""


def test_a_terminal_cannot_be_steered_by_what_the_model_says() -> None:
    text = shown(TextDelta(text="a\x1b]0;title\x07b\x1b[31mc\u202ed"), style=Style(terminal=True))
    assert text == "a\\x1b]0;title\\x07bc\\x202ed\n"


def test_a_pipe_gets_text_as_it_is_and_no_colours() -> None:
    run = call("execute_command", command="ls")
    assert "\x1b" not in shown(ToolStarted(call=run), ToolFinished(result=result("x")))
    assert shown(TextDelta(text="a\x1b[31mb\n")) == "a\x1b[31mb\n"


def test_a_long_call_is_cut_to_the_terminals_width() -> None:
    run = call("execute_command", command="x" * 200)
    line = shown(ToolStarted(call=run), style=Style(terminal=True, width=60))
    assert len(line.rstrip("\n")) == 60
    assert line.endswith("…\n")


def test_what_is_waited_for() -> None:
    renderer = TextRenderer(PIPE)
    run = call("execute_command", command="make")
    waited: list[str | None] = []
    for record in records(
        TurnStarted(turn=1),
        ToolInputDelta(tool_use_id="call_1", name="execute_command", partial_json="{"),
        reply("", run),
        ToolStarted(call=run),
        ToolFinished(result=result("ok")),
        RunCompleted(result="ok"),
    ):
        list(renderer.show(record))
        waited.append(renderer.activity)
    assert waited == [
        "Thinking",
        "Writing the input of execute_command",
        None,
        "Running execute_command",
        "Thinking",
        None,
    ]


def test_a_todo_list_is_shown_with_the_state_of_each_item() -> None:
    plan = call("TodoWrite", todos="[x] Read\n- [~] Write\n[ ] Test")
    output = shown(ToolStarted(call=plan), ToolFinished(result=result("Updated.")))
    assert output == (
        "• update_todo_list\n  ✓ Updated.\n    [x] Read\n    [-] Write\n    [ ] Test\n"
    )


def test_what_was_mentioned_is_named() -> None:
    read = MentionsRead(names=("@/a.py", "@git-changes"), content=(TextContent(text="..."),))
    assert shown(read) == "• read @/a.py, @git-changes\n"


EVERY_EVENT: list[Event] = [
    TaskCreated(spec=TaskSpec(prompt="p", workspace="/w")),
    SpecChanged(spec=TaskSpec(prompt="", workspace="/w", approval=ApprovalSettings(level="all"))),
    MessageAdded(message=Message.from_user("hi")),
    MentionsRead(names=("@/a.py",), content=(TextContent(text="a"),)),
    EnvironmentTold(text="It is noon."),
    ModeSwitched(mode="ask", previous="code"),
    CondenseRequested(),
    ContextCondensed(summary="s", kept=2, tokens_before=9000, tokens_after=1000),
    TurnStarted(turn=1),
    SideRequestStarted(request_id="r", purpose="MCP server s", expected=Usage()),
    SideRequestEnded(request_id="r", purpose="MCP server s", usage=Usage(input_tokens=9)),
    TextDelta(text="t"),
    ReasoningDelta(text="r"),
    ToolInputDelta(tool_use_id="c", name="n", partial_json="{"),
    RequestRetried(attempt=1, delay=1, error="e", kind="k"),
    ProviderSwitched(previous="a", current="b", error="e", kind="k"),
    ReplyRestarted(),
    ApprovalRequested(call=call("read_file"), reason="why"),
    ApprovalDecided(tool_use_id="c", approved=True, by="user"),
    ToolStarted(call=call("read_file")),
    ToolOutput(tool_use_id="c", text="o"),
    ToolFinished(result=result("r")),
    QuestionAsked(tool_use_id="c", question="q"),
    QuestionAnswered(tool_use_id="c", answer="a"),
    SubtaskStarted(tool_use_id="c", subtask_id="s", prompt="p"),
    SubtaskEnded(tool_use_id="c", subtask_id="s", result="r"),
    RunParked(waiting_for=(Waiting(kind="question", tool_use_id="c"),)),
    RunCompleted(result="r"),
    RunFailed(error="e"),
    RunCancelled(),
]


def test_every_kind_of_event_can_be_shown() -> None:
    assert {type(event) for event in EVERY_EVENT} == set(get_args(Event))
    for style in (PIPE, TERMINAL):
        assert shown(*EVERY_EVENT, style=style).endswith("\n")
