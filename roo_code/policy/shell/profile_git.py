"""What the developer profile lets git do: look, stage and commit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from roo_code.policy.shell.hazards import hazard
from roo_code.policy.shell.values import Word

_GLOBAL_FLAGS = frozenset({"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "-p"})
_GLOBAL_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})
_LOOKS = frozenset(
    """status log diff show blame annotate rev-parse ls-files ls-tree describe shortlog cat-file
    rev-list grep merge-base name-rev diff-tree diff-index whatchanged count-objects check-ignore
    cherry show-ref for-each-ref show-branch range-diff version""".split()  # noqa: SIM905
)
_WRITES = frozenset({"add", "commit"})
_LISTS = {
    "branch": re.compile(
        r"-[arv]+|--(list|all|remotes|verbose|show-current|merged|no-merged|contains|sort=.*)"
    ),
    "tag": re.compile(r"-l|--list|--sort=.*|-n\d*|--contains"),
    "remote": re.compile(r"-v|--verbose|get-url|origin|upstream"),
    "stash": re.compile(r"list|show|-p|--stat|stash@\{\d+\}"),
    "worktree": re.compile(r"list"),
    "submodule": re.compile(r"status"),
    "reflog": re.compile(r"show|-n|-?\d+|HEAD"),
    "config": re.compile(r"--get|user\.(name|email)|remote\.origin\.url|core\.\w+|init\.\w+"),
}
_LISTING_ALONE = frozenset({"branch", "tag", "remote", "reflog"})
_CHOSEN = {"worktree", "submodule", "stash", "config"}
_COMMIT = re.compile(r"-[amvsq]*m?|--(all|message.*|amend|no-edit|signoff|quiet|allow-empty)")


def without_global_options(words: Sequence[Word]) -> tuple[Word, ...]:
    """`git -C folder push` as `git push`, for rules that name a subcommand."""
    position = 1
    while position < len(words) and words[position].lead.startswith("-"):
        position += 2 if words[position].text in _GLOBAL_VALUED else 1
    return (*words[:1], *words[position:])


def git_rule(words: Sequence[Word]) -> tuple[str, str, bool]:
    """The rule that allows a git command or why none does, and whether it may change files."""
    position = 1
    while position < len(words) and words[position].text in _GLOBAL_FLAGS:
        position += 1
    command = words[position].text if position < len(words) else None
    if command is None:
        return "", "git without a plain subcommand", False
    rule, given = f"git {command}", words[position + 1 :]
    if command in _LOOKS or command in _WRITES:
        why_not = hazard(words, position + 1)
        if command == "commit":
            why_not = why_not or _commit_doubt(given)
        return rule, why_not, command in _WRITES
    allowed = _LISTS.get(command)
    if allowed is None:
        return "", f"the developer profile does not name {rule}", False
    fits = all(word.text and allowed.fullmatch(word.text) for word in given)
    if not fits or (not given and command not in _LISTING_ALONE):
        return "", f"{rule} may change something with these words", False
    if command in _CHOSEN and given[0].text not in {"list", "show", "status", "--get"}:
        return "", f"{rule} may change something with these words", False
    return rule, "", False


def _commit_doubt(given: Sequence[Word]) -> str:
    """Only with a message, so that no editor opens."""
    message = False
    expects = False
    for word in given:
        if expects:
            expects, message = False, True
        elif word.text is None or (word.text.startswith("-") and not _COMMIT.fullmatch(word.text)):
            return f"git commit with {word.source!r}"
        elif re.fullmatch(r"-[avsq]*m|--message", word.text):
            expects = True
        elif word.text.startswith("--message=") or word.text == "--no-edit":
            message = True
    return "" if message else "git commit without a message opens an editor"
