"""Redirections and here-documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roo_code.policy.shell import nodes
from roo_code.policy.shell.values import Word, Write
from roo_code.policy.shell.word_reader import WordReader, shown
from roo_code.policy.shell.words import Misread, check_here_document

if TYPE_CHECKING:
    from tree_sitter import Node

_WRITES = {">", ">>", ">|", "&>", "&>>", "<>", ">&"}
_READS = {"<", "<&"}
_CLOSES = {">&-", "<&-"}


class RedirectionReader(WordReader):
    def redirect(self, node: Node, owner: str) -> tuple[Word, ...]:
        """Note what is written; the words that are none of the redirection's come back."""
        if node.type == "heredoc_redirect":
            return self._here_document(node)
        children = self.children(node)
        if children and children[0].type == "file_descriptor":
            before = self.source[children[0].start_byte - 1 : children[0].start_byte]
            if before.strip(" \t\n;&|("):
                self.misread(self.text(node))
            children = children[1:]
        elif self.source[node.start_byte - 1 : node.start_byte] == "}":
            self.misread(self.text(node))  # {name}>file sets a variable
        operator = self.text(children[0]) if children else ""
        words = tuple(self.word(child) for child in children[1:])
        if operator in _CLOSES:
            return words
        if not words or operator not in {*_WRITES, *_READS, "<<<"}:
            self.misread(self.text(node))
            return words
        target = words[0]
        self.fed = self.fed or operator == "<<<"
        duplicate = operator in {">&", "<&"} and (target.text or "").isdecimal()
        if operator in _WRITES and not duplicate:
            self.writes.append(Write(target, owner))
        elif operator in _READS and not duplicate:
            self._read(target)
        return words[1:]

    def _read(self, target: Word) -> None:
        self.reads.append(target)
        self.fed = True
        if target.text is None or target.text.startswith(("/dev/tcp", "/dev/udp")):
            self.doubt(f"it reads {shown(target)}")

    def _here_document(self, node: Node) -> tuple[Word, ...]:
        self.here_documents += 1
        self.fed = True
        parts = {child.type: child for child in node.children}
        start, body = parts.get("heredoc_start"), parts.get("heredoc_body")
        end = parts.get("heredoc_end")
        if self.here_documents > 1 or self.depth or not (start and body and end):
            raise Misread("a here-document")
        delimiter = nodes.HERE_DELIMITER.fullmatch(self.text(start))
        first = self.source.find("\n", start.end_byte) + 1
        last = self._end_of_here_document(first, delimiter[2] if delimiter else "", "<<-" in parts)
        if not delimiter or first == 0 or last != end.end_byte:
            raise Misread("a here-document")
        if not delimiter[1]:
            found = self.expansions(body, first)
            check_here_document(self.source[first : end.start_byte], found)
        return self._beside_here_document(node, first)

    def _beside_here_document(self, node: Node, first: int) -> tuple[Word, ...]:
        """What stands on the same line as the opening, which the grammar puts inside."""
        words: list[Word] = []
        for child in node.children:
            if child.start_byte >= first or child.type in {"<<", "<<-", "heredoc_start", "\n"}:
                continue
            if child.end_byte > first:
                raise Misread("a here-document")
            if child.type in nodes.WORDS:
                words.append(self.word(child))
            elif child.type.endswith("redirect"):
                words.extend(self.redirect(child, ""))
            elif child.is_named:
                self.statement(child)
            elif child.type not in nodes.TOKENS:
                raise Misread("a here-document")
        return tuple(words)

    def _end_of_here_document(self, first: int, delimiter: str, indented: bool) -> int:
        position = first
        for line in self.source[first:].split("\n"):
            if (line.lstrip("\t") if indented else line) == delimiter:
                return position + len(line)
            position += len(line) + 1
        return -1
