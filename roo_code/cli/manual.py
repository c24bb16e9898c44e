"""`roo --help`: a manual page on one screen or two."""

from __future__ import annotations

from collections.abc import Mapping

import click

from roo_code.cli.options import SECTIONS, ManualOption

_SYNOPSIS = (
    'roo [OPTIONS] "PROMPT"              work on a task here; go on talking afterwards',
    'roo -p [OPTIONS] "PROMPT"           the same unattended: print, then exit',
    'roo -c | --session-id ID ["PROMPT"] go on with a task',
    "roo COMMAND ...                     see Commands",
)
_ABOUT = (
    "Roo is a coding agent: it reads and edits the files of a folder and runs commands there "
    "until the task is done. Whatever happens is on disk before it is shown: a task that was "
    "cancelled, cut off or killed can be continued."
)
_EXAMPLES = (
    ('roo "add type hints to utils.py"', "start a task and watch it"),
    ('roo -p "run the tests and fix what fails" --max-cost 2', "unattended, for at most $2"),
    ("git diff | roo -p --prompt-file - --approve read", "the prompt from a pipe, read-only"),
    ("roo -p --output-format stream-json ... | jq .", "events for a program"),
    ('roo -c "now the documentation"', "say more to the last task here"),
    ('roo -p "fix it" --record fix.jsonl', "keep all that is said, to play it again"),
    ("roo -p --replay fix.jsonl --replay-strict", "the same without a model, as a test"),
    ("roo -- list", "a prompt that is also the name of a command"),
)
_ENVIRONMENT = (
    ("ANTHROPIC_API_KEY", "key for Anthropic; each service has its own, such as"),
    ("OPENROUTER_API_KEY", "this one and OPENAI_API_KEY"),
    ("ROO_HOME", "folder of everything of ours (default ~/.roo)"),
    ("ROO_<SETTING>", "any setting for this run, such as ROO_APPROVE; see roo config"),
    ("ROO_PASSPHRASE", "opens the file of secrets, if it has a passphrase"),
    ("NO_COLOR", "if set, no colours"),
)
_FILES = (
    ("ROO_HOME/settings/", "settings, profiles, and secrets if there is no keyring"),
    ("WORKSPACE/.roo/", "settings of a project, which may narrow but not widen"),
    ("ROO_HOME/state/tasks.sqlite3", "the tasks"),
    ("ROO_HOME/state/artifacts/", "what was too long for the model to read at once"),
    ("ROO_HOME/cli-debug.log", "the log of --debug"),
)
_EXIT_STATUS = (
    ("0", "the task was completed"),
    ("1", "it was not, or something was wrong with the command line"),
    ("130", "Ctrl-C: the task is cancelled and can be continued"),
    ("143", "SIGTERM: the task is as it was and can be continued"),
)


class ManualCommand(click.Command):
    """The default command; its help is the help of all."""

    commands: Mapping[str, str] = {}
    """Name and purpose of each subcommand."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Usage"):
            _write_lines(formatter, _SYNOPSIS)
        formatter.write_paragraph()
        formatter.write_text(_ABOUT)
        for section in SECTIONS:
            _write_rows(formatter, section, self._option_rows(ctx, section))
        _write_rows(
            formatter,
            "Help",
            [("-h, --help", "Show this."), ("-V, --version", "Show the version.")],
        )
        _write_rows(formatter, "Commands", list(self.commands.items()))
        with formatter.section("Examples"):
            for command, meaning in _EXAMPLES:
                _write_lines(formatter, (f"# {meaning}", command))
        _write_rows(formatter, "Environment", _ENVIRONMENT)
        _write_rows(formatter, "Files", _FILES)
        _write_rows(formatter, "Exit status", _EXIT_STATUS)

    def _option_rows(self, ctx: click.Context, section: str) -> list[tuple[str, str]]:
        options = (p for p in self.params if isinstance(p, ManualOption) and p.section == section)
        return [row for option in options if (row := option.get_help_record(ctx))]


def _write_lines(formatter: click.HelpFormatter, lines: tuple[str, ...]) -> None:
    indent = " " * formatter.current_indent
    for line in lines:
        formatter.write(f"{indent}{line}\n")


def _write_rows(
    formatter: click.HelpFormatter,
    title: str,
    rows: list[tuple[str, str]] | tuple[tuple[str, str], ...],
) -> None:
    if rows:
        with formatter.section(title):
            formatter.write_dl(list(rows))
