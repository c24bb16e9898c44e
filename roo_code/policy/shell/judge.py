"""The judge of shell lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from roo_code.policy.shell.environment import may_assign, may_prefix, may_show
from roo_code.policy.shell.hazards import hazard, program
from roo_code.policy.shell.lists import EVERYTHING, denying, denying_roughly, longest, weight
from roo_code.policy.shell.parse import parse_line
from roo_code.policy.shell.places import Places
from roo_code.policy.shell.profile import Permit, permit
from roo_code.policy.shell.values import Command, ParsedLine, Word
from roo_code.policy.shell.verdict import JudgedCommand, ShellRules, ShellVerdict

_DEEPEST_VALUE = 5
_MOVES = frozenset({"cd", "pushd", "popd"})
_NAMERS = frozenset({"find", "fd", "ls"})
"""Programs that print names of files and nothing a stranger could have put."""
_MATCHERS = frozenset({"grep", "rg", "git"})
_LISTING = re.compile(r"-[a-zA-Z]*l[a-zA-Z]*|--files-with-matches|--files|--name-only|ls-files")
_SAYS_MORE = re.compile(r"-printf$|-[fr]$|--.*(format|label|prefix|pretty|separator|replace)")
"""Options that put other words between the names."""
_PLAIN_VARIABLE = re.compile(r'"?\$\{?\w+\}?"?')
_CHANGED_VARIABLE = re.compile(r"\$\{#?\w+[^\w}]")
_PLAIN_VALUE = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
_PLAIN_GLOB = re.compile(r"[\w*?-][\w*?-]*(?:\.[\w*?-]+)*")
_MAY_CLIMB = re.compile(r"\.\.|(?:^|/)[\"']?\.[*?\[]|\.\{|[{,][./~]")
"""Globs and braces that may turn out as `..` or as another root."""
_GLOB = re.compile(r"[*?\[]")
_BUILTINS = frozenset(
    """cd echo printf test [ [[ pwd true false type read set export exit return break continue :
    wait shift command source . time exec builtin eval""".split()  # noqa: SIM905 - shorter so
)
"""What the shell does itself, without looking for a program."""
_HELPERS = {
    "git": ("cat", "git-lfs", "gpg", "sh"),
    "gh": ("git", "cat", "sh"),
    "tar": ("gzip", "bzip2", "xz"),
    "xargs": ("echo",),
}
"""Programs that others look for in turn."""
_FILTERS = frozenset({"sort", "head", "tail", "uniq", "wc", "grep"})


def judge(line: str, rules: ShellRules, places: Places) -> ShellVerdict:
    """Allow only what is understood whole and allowed in each part; ask in all other cases."""
    parsed = parse_line(line)
    judge = _Judge(parsed, rules, places)
    commands = tuple(judge.judged(command) for command in parsed.commands)
    writes = tuple(write.target.source for write in parsed.writes)
    for command in commands:
        if command.decision == "deny":
            reason = f"denied by the entry {command.rule!r}: {command.command}"
            return ShellVerdict("deny", reason, commands, writes)
    if (parsed.unreadable or parsed.doubts) and (entry := denying_roughly(rules.denied, line)):
        reason = f"denied by the entry {entry!r}, which the line seems to run"
        return ShellVerdict("deny", reason, commands, writes)
    if reason := judge.open_because(commands):
        return ShellVerdict("ask", reason, commands, writes)
    ruling = ", ".join(dict.fromkeys(command.rule for command in commands if command.rule))
    reason = f"allowed by {ruling or 'the profile'}"
    return ShellVerdict("allow", reason, commands, writes, judge.runs_unlisted)


class _Judge:
    def __init__(self, parsed: ParsedLine, rules: ShellRules, places: Places) -> None:
        self._parsed = parsed
        self._rules = rules
        self._places = places
        self._everything = EVERYTHING in {entry.strip() for entry in rules.allowed}
        self.runs_unlisted = False
        """Whether it runs code of the project because the profile says so."""
        self._runs_project: list[set[str]] = []
        self._tees = False
        self._values: dict[str, list[Word]] = {}
        for assignment in parsed.assignments:
            self._values.setdefault(assignment.name, []).extend(assignment.values)
        for command in parsed.commands:
            if command.name == "read":
                for word in command.words[1:]:
                    self._values.setdefault(word.lead, []).append(Word("", None, "", derived=True))

    # One command

    def judged(self, command: Command) -> JudgedCommand:
        allowed = longest(self._rules.allowed, [word.text for word in command.words])
        denied = denying(self._rules.denied, command)
        if denied and weight(denied) >= weight(allowed):
            return JudgedCommand(command.text, "deny", denied, via=command.via)
        if command.starter:
            why_not = self._project_code(self._is_planted(command))
            return JudgedCommand(
                command.text, "ask" if why_not else "allow", reason=why_not, via=command.via
            )
        rule, why_not = self._allowing(command, allowed)
        decision = "ask" if why_not else "allow"
        return JudgedCommand(command.text, decision, rule, why_not, command.via)

    def _allowing(self, command: Command, entry: str) -> tuple[str, str]:
        """The rule that allows a command, and why it does not after all."""
        if self._everything:
            return entry or EVERYTHING, ""
        for name, value in command.environment:
            if not may_prefix(name, value):
                return "", f"setting {name} may change what runs"
        if command.name is None:
            return "", "which program it is, only the shell knows"
        if entry:
            why_not = self._hazard(command, len(entry.split())) or self._git_runs(command)
            return f"allowedCommands: {entry}", why_not
        if self._rules.profile:
            permitted = self._permit(command)
            why_not = permitted.why_not or self._misplaced(command, permitted)
            why_not = why_not or self._git_runs(command, hooks=permitted.writes)
            runs_project = permitted.runs_project or self._is_planted(command)
            why_not = why_not or self._project_code(runs_project)
            return permitted.rule and f"developer: {permitted.rule}", why_not
        return "", "no entry of allowedCommands names it"

    def _is_planted(self, command: Command) -> bool:
        """Whether the program stands in the workspace, where anyone can put one."""
        name = command.name or ""
        if name in _BUILTINS:
            return False
        return any(map(self._places.holds_program, (name, *_HELPERS.get(name, ()))))

    def _project_code(self, runs: bool) -> str:
        """Note that the profile lets code of the project run; why not, if it does not."""
        self.runs_unlisted = self.runs_unlisted or runs
        return "it runs the project's own code" if runs and not self._rules.runs_project else ""

    def _git_runs(self, command: Command, *, hooks: bool = False) -> str:
        """What of the repository would run; whoever lists `git commit` knows of the hooks."""
        is_git = program(command.name or "") == "git"
        return self._places.git_runs(hooks=hooks) if is_git else ""

    def _permit(self, command: Command) -> Permit:
        permitted = permit(command.words)
        self._tees = self._tees or (command.name == "tee" and len(command.words) > 1)
        if permitted.runs_project:
            self._runs_project.append({command.name or "", *command.via})
            if self._tees:
                return permitted._replace(why_not="it runs what the line has just written")
        return permitted

    def _hazard(self, command: Command, covered: int) -> str:
        """Why an entry that names a command does not mean this use of it."""
        if why_not := hazard(command.words, covered):
            return why_not
        permitted = self._permit(command)
        if not permitted.runs_project and command.name not in _MOVES:
            return ""
        # `make` on the list is the project's, not that of any folder; nor does `cd` leave it.
        return permitted.why_not or self._misplaced(command, permitted)

    # Its files

    def _misplaced(self, command: Command, permitted: Permit) -> str:
        """Why one of the arguments may be a file that the command must not touch."""
        if command.name == "cd":
            return self._places.enter(command.words[1].text or "")
        skips = permitted.skips
        for word in command.words[1:]:
            if why := self._opens(word, permitted):
                return why
            if permitted.no_files and not _is_pattern(word):
                continue
            if skips and not word.lead.startswith("-"):
                skips -= 1
                continue
            for path in _paths(word):
                check = self._places.writing if permitted.writes else self._places.reading
                if why := check(path):
                    return why
            if not permitted.no_files and (why := self._matching(word)):
                return why
        return ""

    def _matching(self, word: Word) -> str:
        """Why one of the files that a pattern stands for must not be touched."""
        if word.derived or not _is_pattern(word):
            return ""
        lead = "" if word.variables else word.lead
        return self._places.matching(lead, word.source.count("/") - lead.count("/"))

    def _opens(self, word: Word, permitted: Permit, depth: int = 0) -> str:
        """Why the value of an open word is not one for this command."""
        if word.tilde and not permitted.no_files:
            return f"{word.source!r} is outside the workspace"
        if word.derived and not permitted.no_files and (name := self._not_a_namer()):
            return f"{word.source!r} is what {name} prints, which may be any file"
        if not permitted.no_files and (why := self._built(word)):
            return why
        if depth > _DEEPEST_VALUE:
            return f"the value of {word.source!r} is not known"
        return next(
            (why for name in word.variables if (why := self._unfit(name, permitted, depth))), ""
        )

    def _built(self, word: Word) -> str:
        """Why a path that the shell puts together may be one elsewhere."""
        if word.text is None and _MAY_CLIMB.search(word.source):
            return f"{word.source!r} may lead out of the workspace"
        if not word.variables or _PLAIN_VARIABLE.fullmatch(word.source):
            return ""
        values = [value for name in word.variables for value in self._values.get(name, ())]
        plain = all(
            _PLAIN_GLOB.fullmatch(value.source)
            if value.text is None
            else _PLAIN_VALUE.fullmatch(value.text)
            for value in values
        )
        if plain and not _CHANGED_VARIABLE.search(word.source):
            return ""
        return f"where {word.source!r} leads is open"

    def _unfit(self, variable: str, permitted: Permit, depth: int) -> str:
        """Why what a variable holds is not for this command."""
        if variable not in self._values:
            shown = variable == "PWD" or (permitted.no_files and may_show(variable))
            return "" if shown else f"the value of {variable} is not known"
        for value in self._values[variable]:
            if why := self._opens(value, permitted, depth + 1):
                return why
            for path in () if permitted.no_files else _paths(value):
                if why := self._places.reading(path):
                    return why
            if not permitted.no_files and (why := self._matching(value)):
                return why
        return ""

    def _not_a_namer(self) -> str:
        """A command of the line that prints something else than files of the workspace."""
        if self._parsed.fed:
            return "a redirection"
        for command in self._parsed.commands:
            if command.starter or _names_files(command):
                continue
            if any(word.derived or self._from_read(word) for word in command.words):
                continue  # it takes the names
            if command.name not in {"read", "cd", "[", "[["}:
                return command.name or "the shell"
        return ""

    def _from_read(self, word: Word) -> bool:
        return any(value.derived for name in word.variables for value in self._values.get(name, ()))

    # The line

    def open_because(self, commands: Sequence[JudgedCommand]) -> str:
        """Why the line must be asked; empty if it may run."""
        return next((why for why in self._reasons(commands) if why), "")

    def _reasons(self, commands: Sequence[JudgedCommand]) -> Iterator[str]:
        parsed, rules = self._parsed, self._rules
        yield parsed.unreadable
        if self._everything and not rules.denied:
            yield "" if commands else "it runs no command"
            return
        yield from parsed.doubts
        for command in commands:
            if command.decision == "ask":
                yield f"{command.command}: {command.reason}"
        if self._everything:
            return
        for assignment in parsed.assignments:
            if not may_assign(assignment.name):
                yield f"setting {assignment.name} may change what runs"
        if not commands and not rules.profile:
            yield "it runs no command"
        if not commands and not parsed.writes and not parsed.assignments:
            yield "it runs no command"
        if rules.profile:
            yield from (self._places.reading(word.text or "") for word in parsed.reads)
        yield from self._writes()

    def _writes(self) -> Iterator[str]:
        for write in self._parsed.writes:
            path = write.target.text
            if path is None:
                yield f"it writes {write.target.source!r}, wherever that is"
            elif why := self._places.writing(path):
                yield why
            elif path == "/dev/null" or path in {"/dev/stdout", "/dev/stderr"}:
                continue
            elif not self._rules.profile:
                yield f"it writes {path!r}"
            elif any(write.owner not in names for names in self._runs_project):
                yield f"it writes {path!r} and runs the project's code in one line"


def _is_pattern(word: Word) -> bool:
    """Whether the shell may put names of files for it."""
    return word.text is None and bool(_GLOB.search(word.source))


def _names_files(command: Command) -> bool:
    """Whether what a command prints are names of files of the workspace."""
    texts = [word.text or "?" for word in command.words[1:]]
    if any(_SAYS_MORE.match(text) for text in texts):
        return False
    if command.name in _MATCHERS and any(_LISTING.fullmatch(text) for text in texts):
        return True
    operands = [text for text in texts if not text.startswith("-") and not text.isdecimal()]
    most = 1 if command.name == "grep" else 0
    return command.name in _NAMERS or (command.name in _FILTERS and len(operands) <= most)


def _paths(word: Word) -> Iterator[str]:
    """What a word may name as a file: itself, after an equals sign, after an option's letter."""
    text = word.text if word.text is not None else word.lead.rpartition("/")[0] + "/"
    if word.text is None and "/" not in word.lead:
        return
    if not text.startswith("-"):
        yield text
    if "=" in text:
        yield text.partition("=")[2]
    if text.startswith("-") and (attached := re.search(r"[./~].*", text)):
        yield attached[0]
    for mark in ("@", ":"):
        if mark in text and text.partition(mark)[2].startswith(("/", "~", "../")):
            yield text.partition(mark)[2]
