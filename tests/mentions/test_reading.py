"""What the model is shown of what a user mentions."""

import os
import struct
import zlib
from pathlib import Path

import pytest

from roo_code.errors import ToolError
from roo_code.events import MentionsRead
from roo_code.history import History
from roo_code.mentions import folder as folders
from roo_code.mentions import reading
from roo_code.mentions.finding import find_mentions
from roo_code.mentions.reader import mention_reader
from roo_code.mentions.reading import MentionReading
from roo_code.messages import ImageContent, TextContent
from roo_code.tools import ToolContext
from roo_code.workspace.files import digest
from roo_code.workspace.workspace import Workspace
from tests.mentions.repositories import git, repository


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROO_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "w").mkdir()
    return tmp_path / "w"


async def read(folder: Path, *texts: str, **context: object) -> MentionsRead | None:
    given = ToolContext(workspace=Workspace(folder), **context)  # pyright: ignore[reportArgumentType]
    history = History()
    history.unread.extend(texts)
    found = [event async for event in mention_reader(given, history)()]
    assert len(found) <= 1
    return found[0] if found and isinstance(found[0], MentionsRead) else None


async def shown(folder: Path, *texts: str, **context: object) -> list[str]:
    """The text of each mention."""
    found = await read(folder, *texts, **context)
    assert found is not None
    return [block.text for block in found.content if isinstance(block, TextContent)]


def picture() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        checked = kind + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = chunk(b"IDAT", zlib.compress(b"\0\xff\0\0"))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + pixels + chunk(b"IEND", b"")


@pytest.mark.parametrize("text", ["Go.", "src/a.py and/or me@example.org", "/tmp is full", ""])
async def test_a_text_without_mentions_brings_nothing(folder: Path, text: str) -> None:
    assert await read(folder, text) is None


async def test_a_file_is_shown_like_one_that_was_read(folder: Path) -> None:
    (folder / "my notes.md").write_text("one\ntwo\n")
    found = await read(folder, "Mind @/my\\ notes.md.")
    assert found == MentionsRead(
        names=("@/my\\ notes.md",),
        content=(
            TextContent(text="[read_file for 'my notes.md']\nFile: my notes.md\n1 | one\n2 | two"),
        ),
        seen_files={"my notes.md": digest(b"one\ntwo\n")},
    )


async def test_a_long_file_is_cut_and_says_how_to_go_on(folder: Path) -> None:
    (folder / "long").write_text("x\n" * 5000)
    (text,) = await shown(folder, "@/long")
    assert "showing lines 1-2000 of 5000" in text
    assert "offset=2001" in text


async def test_what_cannot_be_read_is_told_and_the_rest_is_shown(folder: Path) -> None:
    (folder / ".rooignore").write_text("keys\n")
    (folder / "keys").write_text("SECRET")
    (folder / "out").symlink_to("/etc/hostname")
    (folder / "bin").write_bytes(b"\0\1\2")
    (folder / "a").write_text("alpha")
    texts = await shown(folder, "@/none @/keys @/out @/../../etc/passwd @/bin @/a")
    assert texts[0].startswith("[read_file for 'none']\nFile: none\nError: ")
    assert "no such file" in texts[0]
    assert ".rooignore" in texts[1]
    assert "outside the workspace" in texts[2]
    assert "outside the workspace" in texts[3]
    assert "binary" in texts[4]
    assert texts[5].endswith("1 | alpha")
    assert not any("SECRET" in text for text in texts)


async def test_a_mention_that_failed_is_named_so(folder: Path) -> None:
    (folder / "a").write_text("alpha")
    found = await read(folder, "@/none @/a @http://127.0.0.1:9/")
    assert found is not None
    assert found.names == ("@/none (failed)", "@/a", "@http://127.0.0.1:9/ (failed)")


@pytest.mark.parametrize(
    "mention",
    ["@/a\0b", "@/" + "x" * 5000, "@/\udcff", "@/pipe", "@/loop", "@/~", "@http://[::1", "@/a/b"],
)
async def test_whatever_is_wrong_with_a_mention_is_told(folder: Path, mention: str) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to("loop")
    (folder / "a").write_text("alpha")
    (text,) = await shown(folder, mention)
    assert "Error: " in text


async def test_a_folder_is_shown_with_the_text_of_its_files(folder: Path) -> None:
    inner = folder / "src"
    (inner / "deep").mkdir(parents=True)
    (inner / "a.py").write_text("alpha\n")
    (inner / "b.py").write_text("beta\n")
    (inner / "logo.png").write_bytes(picture())
    (inner / "deep" / "c.py").write_text("gamma\n")
    for mention in ("@/src/", "@/src"):
        found = await read(folder, mention)
        assert found is not None
        (block,) = found.content
        assert isinstance(block, TextContent)
        assert block.text == (
            "[read_file for folder 'src']\n├── a.py\n├── b.py\n├── logo.png\n└── deep/\n\n"
            "--- File Contents ---\n\nFile: src/a.py\n1 | alpha\n\nFile: src/b.py\n1 | beta"
        )
        assert sorted(found.seen_files) == ["src/a.py", "src/b.py"]


async def test_a_folder_hides_what_rooignore_and_git_hide(folder: Path) -> None:
    (folder / ".rooignore").write_text("keys\n")
    git(folder, "init", "--quiet")
    (folder / ".gitignore").write_text("built\n")
    for name in ("keys", "built", "a"):
        (folder / name).write_text("SECRET" if name == "keys" else name)
    (folder / "link").symlink_to("keys")
    (text,) = await shown(folder, "@/")
    assert "SECRET" not in text
    assert "keys" not in text.split("--- File Contents ---")[0]
    assert "built" not in text.split("--- File Contents ---")[0]
    assert "1 | a" in text


async def test_a_folder_is_cut_at_its_limits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MOST_ENTRIES", 5)
    monkeypatch.setattr(folders, "MOST_FILES", 3)
    monkeypatch.setattr(reading, "MOST_FOLDER_CHARACTERS", 60)
    for number in range(7):
        (folder / f"{number}.txt").write_text("x" * 20)
    (text,) = await shown(folder, "@/")
    assert "(cut at 5 entries)" in text
    assert text.count("File: ") == 1
    assert "(4 more files are not shown" in text


async def test_an_empty_folder_is_said_to_be(folder: Path) -> None:
    (folder / "empty").mkdir()
    assert await shown(folder, "@/empty/") == ["[read_file for folder 'empty']\n(empty)"]


async def test_pictures_come_after_all_text_and_only_so_many(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_IMAGES", 2)
    for name in ("1.png", "2.png", "3.png"):
        (folder / name).write_bytes(picture())
    (folder / "a").write_text("alpha")
    found = await read(folder, "@/1.png @/a @/2.png @/3.png")
    assert found is not None
    assert [type(block) for block in found.content] == [TextContent] * 4 + [ImageContent] * 2
    assert "not shown" in found.content[3].to_json()


async def test_pictures_together_are_no_larger_than_the_setting_says(folder: Path) -> None:
    size = len(picture()) / 1024 / 1024
    for name in ("1.png", "2.png"):
        (folder / name).write_bytes(picture())
    found = await read(folder, "@/1.png @/2.png", settings={"maxTotalImageSize": size * 1.5})
    assert found is not None
    assert sum(isinstance(block, ImageContent) for block in found.content) == 1


async def test_all_mentions_together_have_a_limit(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_CHARACTERS", 100)
    monkeypatch.setattr(reading, "MOST_MENTIONS", 3)
    for name in "abcd":
        (folder / name).write_text(name * 30)
    found = await read(folder, "@/a @/b @/c @/d")
    assert found is not None
    a, b, c, rest = (block.text for block in found.content if isinstance(block, TextContent))
    assert "a" * 30 in a
    assert b.startswith("[@/b]\nNot shown")
    assert c.startswith("[@/c]\nNot shown")
    assert rest == "[Not read, as there are too many mentions: @/d]"
    assert list(found.seen_files) == ["a"]


async def test_git_is_asked(folder: Path) -> None:
    first = repository(folder, a="one\n")
    (folder / "a").write_text("uno\n")
    changes, commit, missing = await shown(folder, f"@git-changes @{first} @0123456")
    assert changes.startswith("<git_working_state>\n")
    assert "+uno" in changes
    assert commit.startswith(f'<git_commit hash="{first}">\n')
    assert "+one" in commit
    assert missing.startswith("[@0123456]\nError: There is no commit")


async def test_what_only_an_editor_has_is_said_to_be_missing(folder: Path) -> None:
    terminal, problems = await shown(folder, "@terminal @problems")
    assert "no terminal here" in terminal
    assert "no editor here" in problems


async def test_a_command_is_shown_if_there_is_one_of_that_name(folder: Path, home: Path) -> None:
    commands = home / "commands"
    commands.mkdir(parents=True)
    (commands / "review.md").write_text("---\ndescription: Look\n---\nFile by file.\n")
    (commands / "go.md").write_text("Go.\n")
    assert await shown(folder, "/review the /other one, then /go") == [
        '<command name="review">\nDescription: Look\n\nFile by file.\n</command>',
        '<command name="go">\nGo.\n</command>',
    ]


async def test_a_page_is_fetched_and_a_failure_told(folder: Path) -> None:
    async def fetch(url: str) -> str:
        if "bad" in url:
            raise ToolError("it is private.")
        return "The page."

    mentions = find_mentions(["@https://example.org/ @http://bad.example/"])
    found = await MentionReading(ToolContext(workspace=Workspace(folder)), fetch).read(mentions)
    assert found is not None
    assert found.content == (
        TextContent(text="[web_fetch for 'https://example.org/']\nThe page."),
        TextContent(text="[@http://bad.example/]\nError: it is private."),
    )


async def test_a_page_of_this_machine_is_not_fetched(folder: Path) -> None:
    (text,) = await shown(folder, "@http://127.0.0.1:9/")
    assert text.startswith("[@http://127.0.0.1:9/]\nError: ")


async def test_keys_are_hidden(folder: Path) -> None:
    (folder / ".env").write_text("KEY=sk-12345\n")

    def hide(text: str) -> str:
        return text.replace("sk-12345", "***")

    (text,) = await shown(folder, "@/.env", hide=hide)
    assert "sk-12345" not in text
    assert "KEY=***" in text
