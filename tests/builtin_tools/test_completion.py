import pytest

from tests.builtin_tools.calls import Caller


async def test_the_result_ends_the_run(caller: Caller) -> None:
    result = await caller.call("attempt_completion", result="All done.")
    assert (result.content, result.ends_run, result.is_error) == ("All done.", True, False)


@pytest.mark.parametrize("name", ["summary", "answer", "message", "final_answer"])
async def test_the_result_may_have_another_name(caller: Caller, name: str) -> None:
    assert (await caller.call("finish", **{name: "Done."})).content == "Done."


async def test_a_task_is_not_done_while_calls_of_the_same_reply_failed(caller: Caller) -> None:
    caller.failed_calls = ["apply_diff"]
    result = await caller.call("attempt_completion", result="All done.")
    assert result.is_error
    assert not result.ends_run
    assert "apply_diff" in result.content


async def test_finishing_again_after_a_new_message_is_no_repetition(caller: Caller) -> None:
    for _ in range(6):
        assert (await caller.call("attempt_completion", result="Done.")).ends_run
