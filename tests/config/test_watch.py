"""Settings that follow their files."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from roo_code.config.resolved import Settings
from roo_code.config.watch import follow_settings
from tests.config.homes import Home


async def next_of(followed: AsyncGenerator[Settings], **expected: Any) -> Settings:
    """The next settings that are as expected."""
    async with asyncio.timeout(20):
        async for settings in followed:
            if all(settings.get(key) == value for key, value in expected.items()):
                return settings
    raise AssertionError("it ended")


async def test_changes_come_by_themselves_whichever_way_a_file_is_written(home: Home) -> None:
    home.workspace.mkdir()
    home.user({"mode": "ask"})
    stop = asyncio.Event()
    followed = follow_settings(home.layers(), stop)
    assert (await anext(followed)).get("mode") == "ask"

    home.user({"mode": "debug"})  # in place
    await next_of(followed, mode="debug")

    home.write(home.user_file.with_name("new"), {"mode": "code"}).replace(home.user_file)
    await next_of(followed, mode="code")

    home.project({"language": "fr"})  # in a folder that was not there
    await next_of(followed, mode="code", language="fr")

    home.profiles().create("work", {"apiProvider": "mistral"})
    await next_of(followed, apiProvider="mistral")

    home.user_file.unlink()
    home.project_file.unlink()
    await next_of(followed, mode="code", language=None)
    stop.set()
    assert [settings async for settings in followed] == []


async def test_a_file_caught_half_written_changes_nothing_but_the_problems(home: Home) -> None:
    home.user({"mode": "ask"})
    followed = follow_settings(home.layers())
    await anext(followed)
    whole = '{"mode": "architect", "language": "de"}'
    home.user(whole[:20])
    broken = await next_of(followed, mode="ask")
    assert "broken" in broken.problems[0].message
    home.user(whole)
    mended = await next_of(followed, mode="architect", language="de")
    assert mended.problems == ()
    await followed.aclose()
