"""Options that make a harmless program run others, or write where it should only read.

Or follow links to wherever they lead. They hold for every rule, a user's own too, unless the rule
itself names the option.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from roo_code.policy.shell.scripts import awk_doubt, sed_doubt
from roo_code.policy.shell.values import Word
from roo_code.policy.shell.wrappers import SHELLS


class Hazards(NamedTuple):
    long: tuple[str, ...] = ()
    """Without dashes. GNU and git take any beginning of one for the whole."""
    short: str = ""
    words: re.Pattern[str] | None = None
    """Any word that is one."""


def _of(long: str = "", short: str = "", words: str = "") -> Hazards:
    return Hazards(tuple(long.split()), short, re.compile(words) if words else None)


_OUTWARD = r"(un)?install.*|deploy.*|publish.*|release.*|upload.*"
"""Targets that reach out of the project."""
_INLINE = _of("eval print exec command require import", "ceErRpPnix", r"-|/dev/(stdin|fd/.*)")
_PAGER = _of("log-file LOG-FILE pager", "oO", r"\+.*")
_GREP_LIKE = _of("pre pre-glob hostname-bin search-zip pager files-from follow", "zf")
_FD = _of("exec exec-batch follow base-directory", "xXLC")
_PACKAGES = _of(
    "script-shell shell node-options userconfig globalconfig prefix init-module editor browser "
    "viewer registry cache cwd dir global location ignore-scripts call config-dir modules-folder "
    "use-yarnrc config package",
    "Cgc",
    rf"env|{_OUTWARD}",
)

HAZARDS: dict[str, Hazards] = {
    "git": _of(
        "output ext-diff textconv exec-path config-env upload-pack receive-pack exec open-files-in-"
        "pager template edit-description namespace git-dir work-tree super-prefix filters",
        "Ox",
        r"-c|ext::.*|bisect|filter-branch|difftool|mergetool|foreach|send-email|hook|config|alias.*",
    ),
    "find": _of("", "", r"-(delete|fprint.*|fls|files0-from|L|follow|execdir|okdir)"),
    "fd": _FD,
    "fdfind": _FD,
    "grep": _of("dereference-recursive", "R"),
    "rg": Hazards(("pre", "pre-glob", "hostname-bin", "search-zip", "follow"), "zL"),
    "ag": _GREP_LIKE,
    "ack": _GREP_LIKE,
    "sort": _of("output compress-program temporary-directory files0-from", "oT"),
    "tree": _of("output", "oRl"),
    "tar": _of(
        "to-command checkpoint-action use-compress-program rsh-command rmt-command info-script "
        "new-volume-script",
        "IF",
    ),
    "zip": _of("unzip-command test", "T"),
    "rsync": _of("rsh rsync-path", "e"),
    "scp": _of("", "SoF"),
    "ssh": _of("", "oFw"),
    "less": _PAGER,
    "more": _PAGER,
    "man": _of("pager html browser", "PH"),
    "curl": _of("output remote-name config upload-file dump-header", "oOKTDF"),
    "wget": _of("output-document execute config post-file use-askpass input-file", "OeP"),
    "date": _of("set", "s"),
    "file": _of("compile magic-file", "Cm"),
    "diff": _of("paginate recursive", "lr"),
    "printf": _of("", "v"),
    "test": _of("", "vR"),
    "hostname": _of("file boot", "Fb", r"[^-].*"),
    "ps": _of("", "", r"[^-]*e.*"),
    "uniq": _of(),
    "lsof": _of("", "D"),
    "ss": _of("kill diag", "KD"),
    "make": _of("eval shell", "E", rf"[^-].*=.*|--?eval.*|-|-f-|--(make)?file=-|{_OUTWARD}"),
    "gmake": _of("eval shell", "E", rf"[^-].*=.*|--?eval.*|-|-f-|--(make)?file=-|{_OUTWARD}"),
    "cmake": _of("", "PE", rf"--|-D.*|{_OUTWARD}"),
    "cargo": _of("config open", "Z", r"\+.*"),
    "go": _of(
        "exec toolexec overlay ldflags gcflags asmflags gccgoflags vettool modfile modcacherw "
        "pkgdir",
        "",
        r".*@.*|--?(exec|toolexec|w|u|overlay|modfile|vettool|ldflags|gcflags|asmflags|"
        r"gccgoflags|pkgdir|C)(=.*)?",
    ),
    "npm": _PACKAGES,
    "pnpm": _PACKAGES,
    "yarn": _PACKAGES,
    "npx": _of("call package", "cp"),
    "bun": _of("eval print preload cwd config", "eprc"),
    "deno": _of("", "A", r"eval|repl|https?:.*|--allow-all"),
    "mvn": _of("define settings global-settings file", "Dsgf"),
    "mvnw": _of("define settings global-settings file", "Dsgf"),
    "gradle": _of("init-script system-prop gradle-user-home project-prop", "IDgP"),
    "gradlew": _of("init-script system-prop gradle-user-home project-prop", "IDgP"),
    "pytest": _of("basetemp pdbcls rootdir", ""),
    "mypy": _of("install-types python-executable"),
    "tox": _of("override workdir", "x", "exec|e|devenv"),
    "pylint": _of("init-hook"),
    "rake": _of("execute require", "eEpr", _OUTWARD),
    "ninja": _of("", "", _OUTWARD),
    "wait": _of("", "p"),
    "jest": _of("globalSetup globalTeardown runner rootDir cacheDirectory", ""),
    "eslint": _of("output-file rulesdir resolve-plugins-relative-to", "o"),
    "ctest": _of("script script-new-process build-and-test", "SMT"),
    "dotnet": _of("", "", r"[-/]p(roperty)?:.*|@.*|[-/]l(ogger)?:.*|--logger.*"),
    "gh": _of("web editor repo hostname", "weR", r"[^-]*(//|[^/]*/[^/]*/).*"),  # any host's
    "docker": _of("", "Hc", r"run|exec|build|cp|compose|buildx|commit|plugin|create"),
    "kubectl": _of("kubeconfig", "", r"exec|run|cp|debug|attach|port-forward|proxy"),
    "jq": _of("", "", r".*(\b(env|import|include)\b|\$ENV).*"),
    "python": _INLINE,
    "perl": _INLINE,
    "ruby": _INLINE,
    "node": _INLINE,
    "php": _INLINE,
    "lua": _INLINE,
    "osascript": _INLINE,
    "Rscript": _INLINE,
}
_ALIASES = {
    "python2": "python",
    "python3": "python",
    "nodejs": "node",
    "py.test": "pytest",
    "podman": "docker",
    "egrep": "grep",
    "fgrep": "grep",
    "luajit": "lua",
    "pypy3": "python",
}
_INTERPRETERS = frozenset({"python", "perl", "ruby", "node", "php", "lua", "osascript", "Rscript"})
_AWKS = frozenset({"awk", "gawk", "mawk", "nawk", "original-awk"})
_MOST_OPERANDS = {"uniq": 1}
"""A further operand is a file to write."""
_NO_END_OF_OPTIONS = frozenset({"find", "make", "gmake", "cmake"})
_ONLY_WHOLE_WORDS = frozenset({"git", "find"})
"""Their dangerous words are none that a file's name could begin."""


def program(name: str) -> str:
    """The name under which a program's hazards stand."""
    base = name.rpartition("/")[2]
    if re.fullmatch(r"python[23](\.\d+)?", base):
        return "python"
    return _ALIASES.get(base, base)


def hazard(words: Sequence[Word], covered: int = 1) -> str:
    """What is dangerous in a command after the `covered` words; empty if nothing is."""
    name = program(words[0].text or "")
    rest = words[covered:]
    if name in _AWKS:
        return awk_doubt(rest)
    if name in {"sed", "gsed"}:
        return sed_doubt(rest)
    if covered == 1 and (name in _INTERPRETERS or name in SHELLS) and not rest:
        return f"{name} runs what it reads"
    if name in SHELLS:
        return _shell_hazard(rest)
    if name not in HAZARDS:
        return ""
    operands = sum(1 for word in rest if not (word.text or "x").startswith("-"))
    if operands > _MOST_OPERANDS.get(name, operands):
        return f"{name} writes {rest[-1].source!r}"
    return next(
        (why for word in _before_end_of_options(name, rest) if (why := _risk(name, word))), ""
    )


def _before_end_of_options(name: str, rest: Sequence[Word]) -> Sequence[Word]:
    texts = [word.text for word in rest]
    ends = "--" in texts and name not in _NO_END_OF_OPTIONS
    return rest[: texts.index("--")] if ends else rest


def _risk(name: str, word: Word) -> str:
    hazards = HAZARDS[name]
    if word.may_be_option:
        return f"{word.source!r} may turn out as an option of {name}"
    if word.text is None and hazards.words and name not in _ONLY_WHOLE_WORDS:
        return f"what {word.source!r} tells {name} is open"
    if dangerous_option(word.text or word.lead, hazards):
        return f"{word.source!r} makes {name} do more than its name says"
    return ""


def _shell_hazard(rest: Sequence[Word]) -> str:
    first = rest[0].text if rest else None
    if first is None or first.startswith(("-", "+", "/dev/")):
        return "a shell with options"
    return ""


def dangerous_option(text: str, hazards: Hazards) -> bool:
    if hazards.words and hazards.words.fullmatch(text):
        return True
    if text.startswith("--"):
        given = text[2:].partition("=")[0]
        return bool(given) and any(option.startswith(given) for option in hazards.long)
    if text.startswith("-") and len(text) > 1:
        return any(letter in hazards.short for letter in text[1:].partition("=")[0])
    return False
