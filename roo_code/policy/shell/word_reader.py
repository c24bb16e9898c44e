"""Words and what they expand to; the ground on which statements are read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from roo_code.policy.shell import nodes
from roo_code.policy.shell.values import Assignment, Command, Word, Write
from roo_code.policy.shell.words import Misread, WordScanner

if TYPE_CHECKING:
    from tree_sitter import Node


def decoded(text: str) -> str:
    return text.encode("latin-1", "replace").decode("utf-8", "replace")


class WordReader(ABC):
    """Reads words of a line, and gathers what the line does."""

    def __init__(self, source: str, depth: int) -> None:
        self.source = source
        self.depth = depth
        self.level = 0
        self.commands: list[Command] = []
        self.writes: list[Write] = []
        self.reads: list[Word] = []
        self.fed = False
        self.assignments: list[Assignment] = []
        self.doubts: list[str] = []
        self.unreadable = ""
        self.here_documents = 0

    @abstractmethod
    def statement(self, node: Node) -> None:
        """Note what a statement runs."""

    def misread(self, what: str) -> None:
        self.unreadable = self.unreadable or f"cannot be read with certainty: {decoded(what)!r}"

    def doubt(self, why: str) -> None:
        self.doubts.append(why)

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte]

    def children(self, node: Node, *, newlines: bool = False) -> list[Node]:
        """The children; what stands between them must be blank."""
        for before, after in pairwise(node.children):
            gap = self.source[before.end_byte : after.start_byte]
            # What bash leaves of it: a continued line must not glue two words together.
            left = gap.replace("\\\n", "")
            if left.strip(" \t\n" if newlines else " \t") or (gap and not left):
                self.misread(gap)
        return node.children

    def word(self, node: Node) -> Word:
        found = self.expansions(node, node.start_byte)
        word = WordScanner(self.text(node), found).read()
        if any(each.type == "command_substitution" for each in _topmost(node)):
            word = word._replace(derived=True)
        if node.type == "process_substitution":
            word = word._replace(lead=word.source[:2])  # a path that the shell makes up
        if word.source.isascii():
            return word
        text = None if word.text is None else decoded(word.text)
        return word._replace(source=decoded(word.source), text=text, lead=decoded(word.lead))

    def expansions(self, node: Node, start: int) -> dict[int, tuple[int, str]]:
        """Where a word's expansions begin and end; commands in them are noted."""
        found: dict[int, tuple[int, str]] = {}
        for each in _topmost(node):
            found[each.start_byte - start] = (each.end_byte - start, self._expand(each))
        return found

    def _expand(self, node: Node) -> str:
        """The name of the variable, if it is one."""
        text = self.text(node)
        if node.type in {"command_substitution", "process_substitution"}:
            self._substitution(node, text)
            return ""
        if node.type == "arithmetic_expansion":
            if not nodes.HARMLESS_ARITHMETIC.fullmatch(text):
                self.doubt("arithmetic with variables may run code")
            return ""
        simple = node.type == "simple_expansion"
        match = (nodes.SIMPLE_VARIABLE if simple else nodes.HARMLESS_EXPANSION).fullmatch(text)
        if not match:
            self.doubt(f"the expansion {decoded(text)} may run code")
            for each in _topmost_below(node):
                self._expand(each)
            return ""
        return match[1] or ""

    def _substitution(self, node: Node, text: str) -> None:
        opener = next((o for o in ("$(", "`", "<(", ">(") if text.startswith(o)), "")
        closer = "`" if opener == "`" else ")"
        if not opener or not text.endswith(closer) or (opener == "`" and "\\" in text):
            raise Misread(text)
        self.level += 1
        for child in self.children(node, newlines=True)[1:-1]:
            if child.is_named:
                self.statement(child)
            elif child.type not in nodes.TOKENS and child.type != "<":
                raise Misread(text)
        self.level -= 1


def _topmost(node: Node) -> Iterator[Node]:
    if node.type in nodes.EXPANSIONS:
        yield node
    else:
        yield from _topmost_below(node)


def _topmost_below(node: Node) -> Iterator[Node]:
    for child in node.children:
        yield from _topmost(child)


def shown(word: Word) -> str:
    return repr(word.source)
