"""A model that was shown asterisks for a key cannot write them over it."""

import pytest

from roo_code.builtin_tools.hiding import hiding
from roo_code.redaction import Redactor
from tests.builtin_tools.calls import Caller
from tests.redaction.keys import KEYS

BEFORE = f"NAME=old\nKEY={KEYS['openai']}\n"
HIDDEN = "NAME=old\nKEY=***\n"


@pytest.fixture
def secretive(caller: Caller) -> Caller:
    caller.hide = Redactor()
    caller.registry.recovery = hiding(caller.registry.recovery, caller.hide)
    (caller.folder / ".env").write_text(BEFORE)
    return caller


async def test_what_a_tool_reads_is_shown_and_kept_without_keys(secretive: Caller) -> None:
    result = await secretive.call("read_file", path=".env")
    assert "KEY=***" in result.content
    assert KEYS["openai"] not in result.to_json()


@pytest.mark.parametrize(
    ("tool", "input"),
    [
        ("write_to_file", {"path": ".env", "content": HIDDEN.replace("old", "new")}),
        ("insert_content", {"path": ".env", "line": 0, "content": "OTHER=***\n"}),
        ("edit", {"file_path": ".env", "old_string": "NAME=old", "new_string": "NAME=***"}),
    ],
)
async def test_asterisks_are_not_written_into_a_file_with_keys(
    secretive: Caller, tool: str, input: dict[str, str]
) -> None:
    await secretive.call("read_file", path=".env")
    refused = await secretive.call(tool, **input)
    assert refused.is_error
    assert "shown as ***" in refused.content
    assert (secretive.folder / ".env").read_text() == BEFORE


async def test_other_lines_are_edited_and_the_key_stays(secretive: Caller) -> None:
    await secretive.call("read_file", path=".env")
    done = await secretive.call(
        "edit", file_path=".env", old_string="NAME=old", new_string="NAME=new"
    )
    assert not done.is_error, done.content
    assert (secretive.folder / ".env").read_text() == BEFORE.replace("old", "new")


async def test_asterisks_and_keys_in_new_content_are_written_as_they_are(secretive: Caller) -> None:
    content = f"{KEYS['github classic']} *** ***\n"
    await secretive.call("write_to_file", path="new.txt", content=content)
    assert (secretive.folder / "new.txt").read_text() == content
    await secretive.call("read_file", path="new.txt")
    await secretive.call("write_to_file", path="new.txt", content="*** ***\n")
    assert (secretive.folder / "new.txt").read_text() == "*** ***\n"
