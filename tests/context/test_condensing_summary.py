"""What is asked of the summariser, and what becomes of its answer."""

from roo_code.context.condensing_summary import INSTRUCTIONS, SummaryCall, question, summary_block
from roo_code.errors import ServerFailed
from roo_code.events import RequestRetried
from roo_code.messages import ImageContent, Message, ReasoningContent, ToolResult, ToolUseContent
from roo_code.providers.base import BaseProvider, ReplyDeferred
from roo_code.providers.tokens import count
from roo_code.testing import ScriptedProvider, scripted_client
from roo_code.testing.scripted_provider import Reply

CALL = ToolUseContent(id="c", name="read_file", input={"path": "a.py"})
MESSAGES = [
    Message.from_user("Mend it.", [ImageContent(media_type="image/png", data="AAAA")]),
    Message(role="assistant", content=(ReasoningContent(text="Hm."), CALL)),
    Message.from_tools([ToolResult(tool_use_id="c", content="no such file", is_error=True)]),
]


def test_calls_and_results_are_told_as_text() -> None:
    asked = question(MESSAGES, "", 10_000, count)
    assert asked == (
        "<transcript>\n[user]\nMend it.\n\n[user shows an image]\n\n"
        '[call of read_file]\n{"path":"a.py"}\n\n[error]\nno such file\n</transcript>\n\n'
        + INSTRUCTIONS
    )


def test_the_users_own_instructions_take_the_place_of_ours() -> None:
    assert question(MESSAGES, "In verse.", 10_000, count).endswith("</transcript>\n\nIn verse.")


def test_what_is_asked_fits_whatever_the_history_is() -> None:
    long = [Message.from_user(f"{n} " * 400) for n in range(200)]
    for messages in (long, [Message.from_user("x" * 16_000_000)], long * 10):
        asked = question(messages, "Sum up.", 2000, count)
        assert count(asked) <= 2000 + 20
    assert question(MESSAGES, "Sum up.", -5, count).endswith("Sum up.")


def test_the_end_is_left_where_not_all_fits() -> None:
    long = [Message.from_user(f"number {n} " * 40) for n in range(200)]
    asked = question(long, "Sum up.", 1000, count)
    assert "number 199" in asked
    assert "number 0 " not in asked


async def answered(reply: Reply | BaseProvider) -> tuple[SummaryCall, list[str]]:
    provider = reply if isinstance(reply, ScriptedProvider) else ScriptedProvider(reply)  # pyright: ignore[reportArgumentType]
    call = SummaryCall()
    asked = call.ask(scripted_client(provider=provider), "Sum up.", {})
    return call, [event.type async for event in asked]


async def test_the_text_between_roos_tags_is_the_summary() -> None:
    call, _ = await answered("<analysis>Hm.</analysis>\n<summary>\nAll is well.\n</summary>")
    assert (call.text, call.error) == ("All is well.", "")
    assert call.usage is not None


async def test_without_tags_all_of_it_is() -> None:
    assert (await answered(" All is well. "))[0].text == "All is well."
    assert (await answered("<summary>All is"))[0].text == "All is"


async def test_calls_are_no_summary() -> None:
    call, _ = await answered([CALL])
    assert (call.text, call.error) == ("", "The model gave no summary.")


async def test_a_repeated_request_is_told_of() -> None:
    call, told = await answered(ScriptedProvider(ServerFailed("broken"), "Good."))
    assert told == [RequestRetried(attempt=1, delay=0, error="", kind="").type]
    assert call.text == "Good."


async def test_a_person_who_carries_prompts_is_not_asked() -> None:
    call, _ = await answered(ReplyDeferred("Sum up."))
    assert call.error == "The model can only be asked through a person."


def test_the_block_leaves_out_what_there_is_not() -> None:
    assert "<todo_list>" not in summary_block("Do it.", "Done.", "")
    assert "<first_request>" not in summary_block("  ", "Done.", "[x] Do it")
