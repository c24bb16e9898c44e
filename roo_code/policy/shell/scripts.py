"""Scripts of sed and awk that read and print, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from roo_code.policy.shell.values import Word

_ADDRESS = r"(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?)"
_SUBSTITUTION = "|".join(
    rf"s{mark}(?:[^{mark}\\\n]|\\.)*{mark}(?:[^{mark}\\\n]|\\.)*{mark}[gpiI0-9]*"
    for mark in ("/", r"\|", "#", ",", ":", "@")
)
_SED_COMMAND = (
    rf"[ \t]*(?:{_ADDRESS}(?:,(?:\+?\d+|{_ADDRESS}))?)?[ \t]*!?[ \t]*"
    rf"(?:[pdqDPNnhHgGxl=]|{_SUBSTITUTION}|q\d+)[ \t]*"
)
_SED_SCRIPT = re.compile(rf"(?:{_SED_COMMAND})?(?:[;\n](?:{_SED_COMMAND})?)*")
_SED_FLAGS = re.compile(r"-[nErsuz]*|--(quiet|silent|regexp-extended|separate|unbuffered)")
_AWK_DANGER = re.compile(
    r"system|getline|[|>@]|ENVIRON|PROCINFO|ARGV|ARGC|/inet|fflush|close|include|load"
)


def sed_doubt(given: Sequence[Word]) -> str:
    """Why a sed command may do more than print; empty if it surely does not."""
    scripts, operands, expects = 0, 0, False
    for word in given:
        text = word.text
        if text is None:
            if word.may_be_option or not (scripts or operands):
                return f"{word.source!r} may be a script of sed"
            operands += 1
        elif expects or (not text.startswith("-") and not scripts and not operands):
            if not _SED_SCRIPT.fullmatch(text):
                return f"the sed script {text!r} may write files or run programs"
            scripts, expects = scripts + 1, False
        elif text in {"-e", "-ne", "-Ee", "-nEe", "--expression"}:
            if operands:
                return "options of sed after its files"
            expects = True
        elif text.startswith("-") and text != "-" and not _SED_FLAGS.fullmatch(text):
            return f"{text!r} makes sed do more than print"
        elif not text.startswith("-"):
            operands += 1
    return ""


def awk_doubt(given: Sequence[Word]) -> str:
    """Why an awk command may do more than print; empty if it surely does not."""
    words = iter(given)
    script = _awk_script(words)
    if script is None or script.text is None:
        return "the awk script is not plain to see"
    if _AWK_DANGER.search(script.text):
        return f"the awk script {script.text!r} may write files or run programs"
    for word in words:
        if word.may_be_option or word.lead.startswith("-"):
            return "options of awk after its script"
    return ""


def _awk_script(words: Iterator[Word]) -> Word | None:
    for word in words:
        if word.text in {"-F", "-v"}:
            value = next(words, None)
            if value is None or value.text is None or "\\" in value.text:
                return None
        elif word.text and re.fullmatch(r"-F[^\\]+", word.text):
            continue
        elif word.may_be_option or word.lead.startswith("-"):
            return None
        else:
            return word
    return None
