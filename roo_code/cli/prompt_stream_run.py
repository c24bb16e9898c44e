"""`--stdin-prompt-stream`, put together with host, input and signals."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

from roo_code.cli.compose import HostOptions
from roo_code.cli.compose_provider import choose_provider
from roo_code.cli.given_settings import GivenSettings
from roo_code.cli.interrupts import INTERRUPTED, TERMINATED, Interrupts
from roo_code.cli.options import RunOptions
from roo_code.cli.prompt_stream import PromptStream
from roo_code.cli.screen import Screen
from roo_code.cli.served_host import open_served_host
from roo_code.cli.session import Opener
from roo_code.errors import ConfigError
from roo_code.input_lines import InputLines


def run_stream(options: RunOptions, screen: Screen, folder: Path | None) -> int:
    """The exit code."""
    if sys.stdin.isatty():
        raise ConfigError(
            "--stdin-prompt-stream reads commands of another program, not of a terminal.",
            hint="Pipe them in: program | roo -p --output-format stream-json --stdin-prompt-stream",
        )
    return asyncio.run(_run(options, screen, folder))


async def _run(options: RunOptions, screen: Screen, folder: Path | None) -> int:
    around = HostOptions(folder=folder, api_key=options.api_key, tell=screen.notice)
    settings = GivenSettings()
    async with open_served_host(around, options, settings) as composed:
        stream = PromptStream(
            composed.host,
            composed.executor,
            Opener(options, not options.require_approval, choose_provider),
            settings,
            lambda line: screen.write([line]),
            signal_only_exit=options.signal_only_exit,
        )
        work = asyncio.create_task(stream.run(InputLines(sys.stdin.buffer)))
        interrupts = Interrupts(lambda: None)
        try:
            with interrupts.stopping(work):
                await asyncio.wait({work})
                if interrupts.received is None:
                    return work.result()
                await stream.stop("The program was interrupted.")
                return INTERRUPTED if interrupts.received == signal.SIGINT else TERMINATED
        finally:
            await stream.aclose()
