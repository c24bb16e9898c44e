"""What the settings say where the command line says nothing."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from roo_code.cli.options import RunOptions
from roo_code.config.layers import LayeredSettings
from roo_code.config.resolved import Settings
from roo_code.policy.roo_switches import approval_of

_MOST_NOTICES = 3


def read_settings(options: RunOptions) -> Settings:
    """The settings in force for what the command line asks."""
    given = {"mode": options.mode} if options.mode else None
    return LayeredSettings(Path(options.workspace or ".").resolve()).resolve(given)


def notices(settings: Settings) -> list[str]:
    """What a person should know before the run; harmless things are left to `roo doctor`."""
    serious = [str(problem) for problem in settings.problems if not problem.harmless]
    told = [f"Settings: {problem}" for problem in serious[:_MOST_NOTICES]]
    return [*told, "See roo doctor."] if told else []


def with_settings(options: RunOptions, settings: Settings) -> RunOptions:
    """The options of a new task; one that is resumed has its settings in its log.

    Only what a person may say on the command line too: the provider is chosen apart. Denied
    commands are added to, since a project or an administrator may have denied them.
    """
    approval = approval_of(settings)
    unsaid = options.approve is None and not options.require_approval
    denied = dict.fromkeys((*settings.get("deniedCommands"), *options.deny_command))
    mistakes = options.consecutive_mistake_limit
    if mistakes is None:
        mistakes = int(settings.get("consecutiveMistakeLimit"))
    return replace(
        options,
        mode=options.mode or settings.get("mode"),
        approval=approval,
        require_approval=options.require_approval or (unsaid and approval.level == "ask"),
        deny_command=tuple(denied),
        consecutive_mistake_limit=mistakes,
        oneshot=options.oneshot or settings.get("oneshot"),
    )
