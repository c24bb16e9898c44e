"""`roo [PROMPT]`: put screen, task and user together, and see to signals and errors."""

from __future__ import annotations

import asyncio
import logging
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from roo_code.cli.answers import Answers, NoAnswers, TerminalAnswers, UnattendedAnswers
from roo_code.cli.compose import HostOptions
from roo_code.cli.compose_provider import choose_provider
from roo_code.cli.conversation import Conversation
from roo_code.cli.debug_log import log_to_file
from roo_code.cli.ending import Ending
from roo_code.cli.interrupts import Interrupts
from roo_code.cli.markdown import formatted
from roo_code.cli.options import RunOptions
from roo_code.cli.prompt import read_prompt
from roo_code.cli.render_text import TextRenderer
from roo_code.cli.renderer import Renderer
from roo_code.cli.report import RunReport
from roo_code.cli.screen import Screen
from roo_code.cli.served_host import open_served_host
from roo_code.cli.session import Opener
from roo_code.cli.settings_options import notices, read_settings, with_settings
from roo_code.cli.style import Style
from roo_code.cli.talk import Surroundings, Talk
from roo_code.cli.terminal_input import TerminalInput, open_terminal
from roo_code.cli.trust_prompt import settle_trust
from roo_code.errors import ConfigError, RooCodeError, explain
from roo_code.events import TaskSpec
from roo_code.task.watch import Watch

if TYPE_CHECKING:
    from roo_code.cli.recordings import Recordings

_log = logging.getLogger(__name__)


def run(options: RunOptions) -> int:
    """The exit code."""
    if options.debug:
        _log.debug("log in %s", log_to_file())
    screen = Screen(sys.stdout, sys.stderr)
    interactive = not options.print and sys.stdin.isatty() and sys.stdout.isatty()
    if interactive and options.output_format != "text":
        raise ConfigError(
            f"--output-format {options.output_format} works only with --print.",
            hint=f'Usage: roo --print --output-format {options.output_format} "PROMPT"',
        )
    settle_trust(options, screen, interactive=interactive)
    if not options.resumes:
        settings = read_settings(options)
        for notice in notices(settings):
            screen.notice(notice)
        if not options.stdin_prompt_stream:  # its tasks may have settings of their own
            options = with_settings(options, settings)
    if options.stdin_prompt_stream:
        from roo_code.cli.prompt_stream_run import run_stream  # noqa: PLC0415 - few runs are such

        with _state_folder(options) as folder:
            return run_stream(options, screen, folder)
    return Run(options, screen, interactive=interactive).run()


class Run:
    def __init__(self, options: RunOptions, screen: Screen, *, interactive: bool) -> None:
        self._options = options
        self._screen = screen
        self._interactive = interactive
        self._renderer = self._create_renderer()
        self._conversation: Conversation | None = None
        self._recordings: Recordings | None = None

    def run(self) -> int:
        try:
            with _state_folder(self._options) as folder:
                return asyncio.run(self._run(folder, read_prompt(self._options)))
        except RooCodeError as error:
            shown = explain(error)
            self._screen.write(self._renderer.fail(shown))
            talked = self._conversation
            self._screen.write(self._renderer.end(talked.report if talked else RunReport()))
            if talked and talked.is_stored and not self._options.ephemeral:
                shown.hint += f"\nResume with: roo --session-id {talked.task_id}"
            raise shown from shown.__cause__

    async def _run(self, folder: Path | None, prompt: str | None) -> int:
        options = self._options
        self._recordings = recordings = self._open_recordings()
        opener = self._create_opener()
        spec = None if options.resumes else self._new_spec(opener, prompt)
        tell = self._screen.notice
        given = HostOptions(folder=folder, api_key=options.api_key, tell=tell)
        if recordings is not None:
            given = replace(given, replay=recordings.replay, record=recordings.record)
        async with (
            open_served_host(given, options) as composed,
            Watch(composed.host, composed.executor.failure) as watch,
        ):
            input = TerminalInput(sys.stdin.fileno()) if self._interactive else None
            answers = self._answers(input, prompt)
            if recordings is not None:
                answers = recordings.answers(answers)
            conversation = Conversation(composed.host, watch, self._screen, self._renderer, answers)
            self._conversation = conversation
            around = Surroundings(
                host=composed.host,
                executor=composed.executor,
                conversation=conversation,
                screen=self._screen,
                ending=Ending(
                    self._screen,
                    kept=not options.ephemeral,
                    summary=options.output_format == "text",
                ),
                input=input,
            )
            if recordings is not None and prompt is None:
                around = replace(around, recorded=recordings.next_message)
            talk = Talk(around, opener, oneshot=options.oneshot)
            work = asyncio.create_task(talk.start(spec) if spec else talk.resume(prompt))
            interrupts = Interrupts(partial(self._before_exit, folder))
            with interrupts.stopping(work):
                await asyncio.wait({work})
                if interrupts.received is None:
                    return work.result()
                return await talk.stop(interrupts.received)

    def _open_recordings(self) -> Recordings | None:
        if self._options.record is None and self._options.replay is None:
            return None
        from roo_code.cli.recordings import Recordings  # noqa: PLC0415 - few runs need it

        return Recordings(self._options, self._screen)

    def _create_opener(self) -> Opener:
        unattended = not self._interactive and not self._options.require_approval
        choose = self._recordings.choose_provider if self._recordings else choose_provider
        return Opener(self._options, unattended, choose)

    def _new_spec(self, opener: Opener, prompt: str | None) -> TaskSpec:
        recordings = self._recordings if prompt is None else None
        if recordings and (spec := recordings.spec(opener, shown=self._interactive)):
            return spec
        if prompt is None and not self._interactive:
            raise ConfigError("There is no prompt.", hint='Say what to do: roo -p "PROMPT"')
        return opener.new_spec(prompt or "")

    def _before_exit(self, folder: Path | None) -> None:
        self._screen.erase_spinner()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    def _create_renderer(self) -> Renderer:
        if self._options.output_format == "json":
            from roo_code.cli.render_json import JsonRenderer  # noqa: PLC0415 - one format a run

            return JsonRenderer()
        if self._options.output_format == "stream-json":
            from roo_code.cli.render_stream import StreamRenderer  # noqa: PLC0415

            return StreamRenderer()
        style = self._screen.style
        markdown = partial(formatted, style=style) if style.terminal else None
        return TextRenderer(style, echo=not self._interactive, markdown=markdown)

    def _answers(self, input: TerminalInput | None, prompt: str | None) -> Answers:
        if input is not None:
            return self._at_screen(input)
        if not self._options.require_approval:
            approvals = None if prompt is None else False
            return UnattendedAnswers(True if self._options.approve == "all" else approvals)
        if sys.stdin.isatty() and self._screen.style.terminal:
            return self._at_screen(TerminalInput(sys.stdin.fileno()))
        terminal = open_terminal()
        if terminal is None:  # whoever answers does it from elsewhere
            return NoAnswers()
        return TerminalAnswers(
            TerminalInput(terminal.fileno()),
            partial(print, end="", file=terminal, flush=True),
            Style.of(terminal),
            questions_shown=False,
        )

    def _at_screen(self, input: TerminalInput) -> Answers:
        return TerminalAnswers(
            input,
            lambda text: self._screen.write([text]),
            self._screen.style,
            questions_shown=self._options.output_format == "text",
        )


@contextmanager
def _state_folder(options: RunOptions) -> Generator[Path | None]:
    """Where the task is kept: nowhere after the end, if the user wants it so."""
    if not options.ephemeral:
        yield None
        return
    import tempfile  # noqa: PLC0415 - few runs need it, and every one waits for its imports

    try:
        folder = Path(tempfile.mkdtemp(prefix="roo-cli-"))
    except OSError as error:
        raise ConfigError(f"No temporary folder can be made: {error.strerror}.") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
