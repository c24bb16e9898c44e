"""Settings of a repository that name nothing to run: a list of what is harmless, as ever."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*')
_SETTING = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*?))?\s*")
_HARMLESS = re.compile(
    r"core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|"
    r"symlinks|autocrlf|eol|safecrlf|protecthfs|protectntfs|quotepath|abbrev|compression|longpaths|"
    r"sparsecheckout|sparsecheckoutcone|untrackedcache|preloadindex|trustctime|checkstat|"
    r"commentchar|whitespace|sharedrepository|fscache|hidedotfiles|deltabasecachelimit)|"
    r"remote\..*\.(url|pushurl|fetch|push|tagopt|prune|mirror|skipdefaultupdate|gh-resolved)|"
    r"remote\.pushdefault|branch\..*|user\.(name|email|signingkey|useconfigonly)|"
    r"extensions\.(refstorage|worktreeconfig|preciousobjects|"
    r"relativeworktrees)|"
    r"submodule\.(recurse|fetchjobs|active|.*\.(url|active|branch|path|ignore))|"
    r"(pull|push|init|color|rerere|advice|fetch|status|tag|column|checkout|clone|help|blame)\.\w+|"
    r"gc\.\w+|commit\.(gpgsign|verbose|cleanup)|merge\.(conflictstyle|ff|renames|log)|"
    r"diff\.(algorithm|renames|renamelimit|colormoved|mnemonicprefix|noprefix|context|"
    r"ignoresubmodules|submodule|indentheuristic)|"
    r"rebase\.(autosquash|autostash|updaterefs)|log\.(date|decorate|abbrevcommit|follow)|"
    r"lfs\.(repositoryformatversion|.*\.(access|locksverify))"
)
_KNOWN_VALUES = {
    "filter.lfs.clean": {"git-lfs clean -- %f"},
    "filter.lfs.smudge": {"git-lfs smudge -- %f", "git-lfs smudge --skip -- %f"},
    "filter.lfs.process": {"git-lfs filter-process", "git-lfs filter-process --skip"},
    "filter.lfs.required": {"true", "false"},
    "core.fsmonitor": {"true", "false"},
}
_HOOKS_FOLDER = "core.hookspath"


def settings_in(text: str) -> Iterator[tuple[str, str]]:
    """Each setting of such a file; a line that cannot be read with certainty stands for itself."""
    section = ""
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped or stripped[0] in "#;":
            continue
        if named := _SECTION.fullmatch(stripped):
            inner = "" if named[2] is None else f".{named[2]}"
            section = named[1].lower() + inner
            continue
        setting = _SETTING.fullmatch(stripped)
        if setting is None or not section or stripped.endswith("\\"):
            yield repr(stripped[:80]), ""
        else:
            yield f"{section}.{setting[1].lower()}", setting[2] or ""


def is_harmless(name: str, value: str, *, hooks: bool) -> bool:
    """Whether a setting names nothing to run; `hooks` says whether those count."""
    if name == _HOOKS_FOLDER:
        return not hooks
    if name in _KNOWN_VALUES:
        return value.strip('"') in _KNOWN_VALUES[name]
    return bool(_HARMLESS.fullmatch(name))
