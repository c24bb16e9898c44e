"""What is known of a shell line: its words, the commands it runs, the files it writes."""

from __future__ import annotations

from typing import NamedTuple


class Word(NamedTuple):
    """One word as written. What the shell makes of it may be open."""

    source: str
    text: str | None
    """What the program gets; None where only the shell can tell."""
    lead: str
    """What it surely begins with."""
    variables: tuple[str, ...] = ()
    tilde: bool = False
    """Begins with somebody's home folder."""
    derived: bool = False
    """Is what another command prints."""

    @property
    def may_be_option(self) -> bool:
        """Whether an open word may turn out as an option."""
        return self.text is None and self.lead[:1] in {"", "-"}


def literal(text: str) -> Word:
    return Word(text, text, text)


UNKNOWN = Word("…", None, "", derived=True)
"""An argument that comes from elsewhere, as those that xargs adds."""


class Command(NamedTuple):
    """A simple command, in the order in which it stands in the line."""

    words: tuple[Word, ...]
    environment: tuple[tuple[str, Word], ...] = ()
    """Variables set for this command alone."""
    via: tuple[str, ...] = ()
    """The wrappers that start it, outermost first."""
    starter: bool = False
    """Only starts the next command, as `time` does: needs no rule of its own."""

    @property
    def name(self) -> str | None:
        return self.words[0].text

    @property
    def text(self) -> str:
        return " ".join(word.source for word in self.words)


class Write(NamedTuple):
    """A file that a redirection writes."""

    target: Word
    owner: str
    """The program whose output it takes."""


class Assignment(NamedTuple):
    """A variable of the shell itself, set by a statement or a loop."""

    name: str
    values: tuple[Word, ...]


class ParsedLine(NamedTuple):
    commands: tuple[Command, ...] = ()
    writes: tuple[Write, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    doubts: tuple[str, ...] = ()
    """What cannot be known before it runs."""
    unreadable: str = ""
    """Why the commands above may not be all of them."""
    reads: tuple[Word, ...] = ()
    """Files that redirections read."""
    fed: bool = False
    """Whether a redirection feeds a command, be it from a file or from the line itself."""
