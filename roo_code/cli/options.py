"""What `roo [PROMPT]` can be told, in the groups its manual shows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import click
from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:  # `roo --help` waits for no events
    from roo_code.approval_values import ApprovalLevel, ApprovalSettings

MODES = ("code", "architect", "ask", "debug", "orchestrator")
LEVELS = (
    "ask", "read-only", "read", "edits", "auto-edit", "auto", "full-auto-in-sandbox", "all"
)  # fmt: skip
EFFORTS = ("unspecified", "disabled", "none", "minimal", "low", "medium", "high", "xhigh")
Section: TypeAlias = Literal["Task", "Model", "Approval", "Limits", "Output", "Recording"]
SECTIONS: tuple[Section, ...] = ("Task", "Model", "Approval", "Limits", "Output", "Recording")


class RunOptions(Struct, frozen=True, kw_only=True):
    """The command line as given; None where nothing was said."""

    prompt: str | None = None
    prompt_file: str | None = None
    workspace: str | None = None
    mode: str | None = None
    session_id: str | None = None
    continue_last: bool = False
    create_with_session_id: str | None = None
    ephemeral: bool = False
    provider: str | None = None
    model: str | None = None
    api_key: str | None = None
    base_url: str | None = None
    reasoning_effort: str | None = None
    exit_on_error: bool = False
    approve: ApprovalLevel | None = None
    require_approval: bool = False
    sandbox: Literal["off", "unasked", "auto", "required"] | None = None
    allow_command: tuple[str, ...] = ()
    deny_command: tuple[str, ...] = ()
    approval: ApprovalSettings | None = None
    """What the settings say of a new task, under what is given here."""
    max_turns: int | None = None
    max_cost: float | None = None
    consecutive_mistake_limit: int | None = None
    print: bool = False
    oneshot: bool = False
    stdin_prompt_stream: bool = False
    signal_only_exit: bool = False
    output_format: Literal["text", "json", "stream-json"] = "text"
    debug: bool = False
    record: str | None = None
    replay: str | None = None
    replay_speed: float | None = None
    replay_tools: bool = False
    replay_strict: bool = False

    @property
    def resumes(self) -> bool:
        return self.session_id is not None or self.continue_last


class ManualOption(click.Option):
    """An option that knows its group in the manual."""

    def __init__(self, *names: str, section: Section, **attributes: Any) -> None:
        super().__init__(names, **attributes)
        self.section = section


class Amount(click.ParamType[float]):
    """A sum of money: finite and more than nothing."""

    name = "amount"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        try:
            amount = float(value)
        except ValueError:
            amount = math.nan
        if not (math.isfinite(amount) and amount > 0):
            self.fail(f"{value!r} is not an amount above 0, such as 0.50.", param, ctx)
        return amount


def collect(given: dict[str, Any]) -> RunOptions:
    """The options as one value, with what contradicts itself refused."""
    words: tuple[str, ...] = given.pop("prompt")
    if len(words) > 1:
        raise click.UsageError(
            f"The prompt must be one argument; put it in quotes: roo {' '.join(words)[:60]!r}"
        )
    known = set(RunOptions.__struct_fields__)
    options = RunOptions(
        prompt=words[0] if words else None, **{k: v for k, v in given.items() if k in known}
    )
    _refuse_contradictions(options)
    if options.approve is None:
        return options
    from roo_code.policy.roo_switches import level_named  # noqa: PLC0415 - the manual needs none

    level = level_named(options.approve)
    asks = level == "ask"
    return replace(options, approve=None if asks else level, require_approval=asks)


def _refuse_contradictions(options: RunOptions) -> None:
    for first, second, both in (
        ("PROMPT", "--prompt-file", options.prompt is not None and options.prompt_file),
        ("--session-id", "--continue", options.session_id and options.continue_last),
        ("--create-with-session-id", "--session-id", _creates_and_resumes(options)),
        ("--ephemeral", "--session-id or --continue", options.ephemeral and options.resumes),
        ("--approve", "--require-approval", options.approve and options.require_approval),
        ("--approve full-auto-in-sandbox", "--sandbox off", _needs_and_refuses_sandbox(options)),
        ("--replay", "a model's options", options.replay is not None and _names_model(options)),
    ):
        if both:
            raise click.UsageError(f"{first} and {second} cannot be used together.")
    _check_prompt_stream(options)
    if options.replay is None and _says_how_to_replay(options):
        raise click.UsageError("--replay-speed, --replay-tools and --replay-strict need --replay.")


def _check_prompt_stream(options: RunOptions) -> None:
    if options.signal_only_exit and not options.stdin_prompt_stream:
        raise click.UsageError("--signal-only-exit needs --stdin-prompt-stream.")
    if not options.stdin_prompt_stream:
        return
    if not options.print or options.output_format != "stream-json":
        raise click.UsageError(
            "--stdin-prompt-stream needs --print and --output-format stream-json."
        )
    if options.prompt is not None or options.prompt_file is not None:
        raise click.UsageError("With --stdin-prompt-stream prompts come as start commands.")
    if options.record is not None or options.replay is not None:
        raise click.UsageError("--stdin-prompt-stream can be neither recorded nor replayed.")


def _creates_and_resumes(options: RunOptions) -> bool:
    return options.create_with_session_id is not None and options.resumes


def _needs_and_refuses_sandbox(options: RunOptions) -> bool:
    return (options.approve, options.sandbox) == ("full-auto-in-sandbox", "off")


def _names_model(options: RunOptions) -> bool:
    return any((options.provider, options.model, options.api_key, options.base_url))


def _says_how_to_replay(options: RunOptions) -> bool:
    return options.replay_speed is not None or options.replay_tools or options.replay_strict


def run_parameters() -> list[click.Parameter]:
    return [
        click.Argument(["prompt"], nargs=-1, shell_complete=_matching_commands),
        *_task_options(),
        *_model_options(),
        *_approval_options(),
        *_limit_options(),
        *_output_options(),
        *_recording_options(),
    ]


def _matching_commands(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """The first word may be a command's name as well as a prompt."""
    commands: dict[str, str] = getattr(ctx.command, "commands", {})
    return [name for name in commands if name.startswith(incomplete)]


def _task_options() -> list[click.Parameter]:
    return [
        ManualOption(
            "--prompt-file", section="Task", metavar="FILE",
            help="Read the prompt from FILE (UTF-8; - is the standard input).",
        ),
        ManualOption(
            "-w", "--workspace", section="Task", metavar="DIR",
            help="Folder to work in. Default: the current folder.",
        ),
        ManualOption(
            "--mode", section="Task", metavar="MODE",
            help=f"How to work: {', '.join(MODES)}, or one of roo modes list. Default: code.",
        ),
        ManualOption(
            "--session-id", section="Task", metavar="ID",
            help="Go on with this task; a PROMPT is sent to it as a message.",
        ),
        ManualOption(
            "-c", "--continue", "continue_last", section="Task", is_flag=True,
            help="Go on with the newest task of this workspace.",
        ),
        ManualOption(
            "--create-with-session-id", section="Task", metavar="UUID",
            help="Start a new task under this id.",
        ),
        ManualOption(
            "--ephemeral", section="Task", is_flag=True,
            help="Keep nothing: the task's record is deleted at exit.",
        ),
    ]  # fmt: skip


def _model_options() -> list[click.Parameter]:
    return [
        ManualOption(
            "--provider", section="Model", metavar="NAME",
            help="Model service. Default: the first with a key in the environment.",
        ),
        ManualOption(
            "-m", "--model", section="Model", metavar="MODEL",
            help="Model of that service. Default: the one its entry names.",
        ),
        ManualOption(
            "-k", "--api-key", section="Model", metavar="KEY",
            help="Key for the service. Better in the environment, where other users "
            "of the machine cannot see it.",
        ),
        ManualOption(
            "--base-url", section="Model", metavar="URL",
            help="Address of the service, if it is not the usual one.",
        ),
        ManualOption(
            "-r", "--reasoning-effort", section="Model",
            type=click.Choice(EFFORTS), metavar="EFFORT",
            help=f"How hard to think: {', '.join(EFFORTS[1:])}. Default: as the model does.",
        ),
        ManualOption(
            "--exit-on-error", section="Model", is_flag=True,
            help="End on the first failed model request instead of trying again.",
        ),
    ]  # fmt: skip


def _approval_options() -> list[click.Parameter]:
    return [
        ManualOption(
            "--approve", section="Approval",
            type=click.Choice(LEVELS), metavar="LEVEL",
            help="What may run unasked: ask (nothing); read-only (reading; the rest is refused); "
            "read; auto-edit or edits (reading and edits); auto (also commands that are sandboxed, "
            "everyday or allowed by name); full-auto-in-sandbox; all. Default: your settings, or "
            "auto.",
        ),
        ManualOption(
            "-a", "--require-approval", section="Approval", is_flag=True,
            help="Ask before every action.",
        ),
        ManualOption(
            "--sandbox", section="Approval",
            type=click.Choice(["off", "unasked", "auto", "required"]), metavar="WHETHER",
            help="Run commands where they reach only the workspace: off (none); unasked (the "
            "project's code, where nobody was asked); auto (all, if this machine can); required "
            "(else refuse them). Default: the setting `sandbox`, which is unasked.",
        ),
        ManualOption(
            "--allow-command", section="Approval", metavar="PREFIX", multiple=True,
            help="Commands that begin so may run. Repeatable.",
        ),
        ManualOption(
            "--deny-command", section="Approval", metavar="PREFIX", multiple=True,
            help="Commands that begin so may not; the longer prefix wins. Repeatable.",
        ),
    ]  # fmt: skip


def _limit_options() -> list[click.Parameter]:
    return [
        ManualOption(
            "--max-turns", section="Limits", type=click.IntRange(min=1), metavar="N",
            help="Model calls the task may make, subtasks and earlier runs counted in.",
        ),
        ManualOption(
            "--max-cost", section="Limits", type=Amount(), metavar="USD",
            help="US dollars the task may cost, counted likewise.",
        ),
        ManualOption(
            "--consecutive-mistake-limit", section="Limits",
            type=click.IntRange(min=0), metavar="N",
            help="End after N failed tool calls in a row; 0 is no limit. Default: 10.",
        ),
    ]  # fmt: skip


def _output_options() -> list[click.Parameter]:
    return [
        ManualOption(
            "-p", "--print", section="Output", is_flag=True,
            help="Run unattended, print what happens, exit at the end. On by itself when the "
            "input or the output is not a terminal.",
        ),
        ManualOption(
            "--oneshot", section="Output", is_flag=True,
            help="On a terminal: exit when the task is done.",
        ),
        ManualOption(
            "--output-format", section="Output", default="text",
            type=click.Choice(["text", "json", "stream-json"]), metavar="FORMAT",
            help="With --print: text, json (one object at the end) or stream-json (one JSON "
            "event per line). Default: text.",
        ),
        ManualOption(
            "--stdin-prompt-stream", section="Output", is_flag=True,
            help="With --print and stream-json: take commands from the standard input, one JSON "
            "object a line. See docs/ndjson.md.",
        ),
        ManualOption(
            "--signal-only-exit", section="Output", is_flag=True,
            help="With --stdin-prompt-stream: stay until a signal comes.",
        ),
        ManualOption(
            "-d", "--debug", section="Output", is_flag=True,
            help="Write a log to cli-debug.log in ROO_HOME.",
        ),
    ]  # fmt: skip


def _recording_options() -> list[click.Parameter]:
    return [
        ManualOption(
            "--record", section="Recording", metavar="FILE",
            help="Write requests, replies and tool results to FILE, without any keys.",
        ),
        ManualOption(
            "--replay", section="Recording", metavar="FILE",
            help="Take the model's replies from FILE, and the prompt if none is given; tools "
            "run for real.",
        ),
        ManualOption(
            "--replay-speed", section="Recording", type=click.FloatRange(min=0), metavar="N",
            help="N times as fast as recorded; 0 is at once. Default: 1 on a terminal, else 0.",
        ),
        ManualOption(
            "--replay-tools", section="Recording", is_flag=True,
            help="Take tool results from FILE too: nothing is run, nobody is asked.",
        ),
        ManualOption(
            "--replay-strict", section="Recording", is_flag=True,
            help="End with status 1 at the first request that is not the recorded one, instead "
            "of a warning.",
        ),
    ]  # fmt: skip
