"""The words of a command that tell its like: what a person allows who allows more than one."""

from __future__ import annotations

import re

from roo_code.policy.shell.hazards import hazard, program
from roo_code.policy.shell.judge import judge
from roo_code.policy.shell.parse import parse_line
from roo_code.policy.shell.places import Places
from roo_code.policy.shell.profile import permit
from roo_code.policy.shell.values import Command
from roo_code.policy.shell.verdict import ShellRules

_ONLY_ONCE = frozenset(
    """rm rmdir unlink shred dd truncate mv cp ln install chmod chown chgrp curl wget http ssh scp
    sftp rsync nc ncat telnet kill killall pkill reboot shutdown mount umount crontab at eval exec
    source . sh bash zsh dash ksh fish tee export set cd""".split()  # noqa: SIM905 - shorter so
)
"""A further word makes another thing of these, so that one yes says nothing of the next."""
_RAISES_RIGHTS = frozenset({"sudo", "doas", "su", "pkexec", "runuser"})
_HAVE_SUBCOMMANDS = frozenset(
    """git npm pnpm yarn bun npx cargo go docker podman kubectl helm pip pip3 uv poetry pipx gh glab
    terraform dotnet mvn gradle rustup bundle composer mix flutter dart brew apt apt-get dnf apk
    systemctl aws gcloud az heroku make just rake task nox tox hatch pdm conda""".split()  # noqa: SIM905
)
_RUN_A_SECOND = frozenset(
    {"npm run", "pnpm run", "yarn run", "bun run", "uv run", "poetry run", "docker compose"}
    | {"podman compose", "bundle exec", "gh pr", "gh issue", "uv pip", "git stash", "go mod"}
)
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9:_-]*")


def entries_for(line: str, rules: ShellRules, places: Places) -> tuple[str, ...]:
    """What `allowedCommands` would have to name for this line to run unasked.

    Empty where no entry would do, or would do too much: such a line can be approved only once.
    """
    parsed = parse_line(line)
    found: dict[str, None] = {}
    for command, judged in zip(parsed.commands, judge(line, rules, places).commands, strict=True):
        if _RAISES_RIGHTS & {command.name, *command.via}:
            return ()
        if judged.decision == "ask":
            found[_entry(command)] = None
    entries = tuple(found)
    if not entries or "" in entries:
        return ()
    widened = ShellRules((*rules.allowed, *entries), rules.denied, rules.profile)
    return entries if judge(line, widened, places).decision == "allow" else ()


def _entry(command: Command) -> str:
    texts = [word.text or "" for word in command.words]
    kept = texts[: _count(command, texts)]
    is_plain = all(text and text == text.strip() and len(text.split()) == 1 for text in kept)
    return " ".join(kept) if is_plain else ""


def _count(command: Command, texts: list[str]) -> int:
    """How many words an entry takes: to a program's subcommand, or else all there are."""
    name = program(texts[0])
    if name in _ONLY_ONCE:
        return 0
    if name not in _HAVE_SUBCOMMANDS:
        permitted = permit(command.words)
        known = len(permitted.rule.split()) if permitted.runs_project else len(texts)
        return 0 if hazard(command.words) else known
    count = 3 if " ".join((name, *texts[1:2])) in _RUN_A_SECOND else 2
    told = texts[1:count]
    return count if len(told) == count - 1 and all(map(_SUBCOMMAND.fullmatch, told)) else 0
