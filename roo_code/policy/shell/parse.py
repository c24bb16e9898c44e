"""A shell line as the list of commands it would run.

Nothing is taken on trust: each node must be of a kind we know, the bytes between nodes must be
blank, and each word is read a second time by `words`. Otherwise the line is unreadable.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from roo_code.policy.shell import nodes
from roo_code.policy.shell.grammar import NoGrammar, parse
from roo_code.policy.shell.hidden import unreadable_because
from roo_code.policy.shell.values import (
    UNKNOWN,
    Assignment,
    Command,
    ParsedLine,
    Word,
    Write,
    literal,
)
from roo_code.policy.shell.words import Misread, WordScanner, check_here_document
from roo_code.policy.shell.wrappers import STARTERS, unwrap

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST_LINE = 4
"""Of shells in shells."""
_DEEPEST_NODE = 60
_WRITES = {">", ">>", ">|", "&>", "&>>", "<>", ">&"}
_READS = {"<", "<&"}
_CLOSES = {">&-", "<&-"}


def parse_line(line: str, depth: int = 0) -> ParsedLine:
    if why := unreadable_because(line):
        return ParsedLine(unreadable=why)
    source = line.encode()
    try:
        root = parse(source).root_node
    except NoGrammar as error:
        return ParsedLine(unreadable=f"the shell grammar cannot be loaded: {error}")
    # One character a byte, so that the grammar's offsets fit.
    return _LineReader(source.decode("latin-1"), depth).read(root)


def _decoded(text: str) -> str:
    return text.encode("latin-1").decode("utf-8", "replace")


class _LineReader:
    def __init__(self, source: str, depth: int) -> None:
        self._source = source
        self._depth = depth
        self._level = 0
        self._commands: list[Command] = []
        self._writes: list[Write] = []
        self._assignments: list[Assignment] = []
        self._doubts: list[str] = []
        self._unreadable = ""
        self._here_documents = 0

    def read(self, root: Node) -> ParsedLine:
        if root.has_error:
            self._unreadable = "bash and we may read the line differently: it is not well-formed"
        try:
            self._statement(root)
        except Misread as error:
            self._unreadable = self._unreadable or _decoded(str(error))
        blank = self._source[: root.start_byte] + self._source[root.end_byte :]
        if blank.strip(" \t\n"):
            self._misread(blank)
        return ParsedLine(
            tuple(self._commands),
            tuple(self._writes),
            tuple(self._assignments),
            tuple(dict.fromkeys(self._doubts)),
            self._unreadable,
        )

    def _misread(self, what: str) -> None:
        self._unreadable = self._unreadable or f"cannot be read with certainty: {_decoded(what)!r}"

    def _doubt(self, why: str) -> None:
        self._doubts.append(why)

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte]

    def _children(self, node: Node, *, newlines: bool = False) -> list[Node]:
        """The children; what stands between them must be blank."""
        blank = nodes.BLANKS_AND_NEWLINES if newlines else nodes.BLANKS
        for before, after in pairwise(node.children):
            gap = self._source[before.end_byte : after.start_byte]
            if not blank.fullmatch(gap):
                self._misread(gap)
        return node.children

    # Statements

    def _statement(self, node: Node) -> None:
        self._level += 1
        if self._level > _DEEPEST_NODE:
            raise Misread("nested too deep")
        kind = node.type
        if kind in nodes.BLOCKS:
            self._block(node)
        elif kind == "command":
            self._command(node, ())
        elif kind == "redirected_statement":
            self._redirected(node)
        elif kind in {"variable_assignment", "variable_assignments"}:
            self._assign(node)
        elif kind in {"declaration_command", "unset_command"}:
            self._declare(node)
        elif kind == "test_command":
            self._test(node)
        elif kind == "function_definition":
            self._doubt("it defines a function")
            self._statement(node.children[-1])
        elif kind == "comment":
            self._comment(node)
        elif kind in nodes.WORDS:
            self._word(node)
        elif kind in {"file_redirect", "herestring_redirect", "heredoc_redirect"}:
            self._leftover(self._redirect(node, ""))
        else:
            self._misread(self._text(node))
        self._level -= 1

    def _block(self, node: Node) -> None:
        variable, values = "", list[Word]()
        for child in self._children(node, newlines=True):
            if child.type == "variable_name":
                variable = self._text(child)
            elif variable and child.type in nodes.WORDS:
                values.append(self._word(child))
            elif child.type == "do_group" and variable:
                self._assignments.append(Assignment(variable, tuple(values) or (UNKNOWN,)))
                self._statement(child)
            elif child.is_named:
                self._statement(child)
            elif child.type not in nodes.TOKENS or child.is_missing:
                self._misread(self._text(child))

    def _comment(self, node: Node) -> None:
        before = self._source[node.start_byte - 1 : node.start_byte]
        if before.strip(" \t\n;&|(") or "\n" in self._text(node):
            self._misread(self._text(node))

    def _leftover(self, extras: tuple[Word, ...]) -> None:
        """Words after a redirection are the command's; without a command they are one."""
        if extras:
            self._run(Command(extras))

    def _redirected(self, node: Node) -> None:
        body, extras = None, ()
        children = self._children(node)
        for child in children:
            if not child.type.endswith("redirect"):
                body = child
        owner = self._text(body).split(maxsplit=1)[0] if body else ""
        for child in children:
            if child is not body:
                extras += self._redirect(child, owner if body and body.type == "command" else "")
        if body is None:
            self._leftover(extras)
        elif body.type == "command":
            self._command(body, extras)
        else:
            self._statement(body)
            if extras or body.type in {"variable_assignment", "variable_assignments"}:
                self._misread(self._text(node))

    def _command(self, node: Node, extras: tuple[Word, ...]) -> None:
        words: list[Word] = []
        environment: list[tuple[str, Word]] = []
        name = node.child_by_field_name("name")
        owner = self._text(name) if name else ""
        previous = node.start_byte
        for child in self._children(node):
            glued = child.start_byte == previous and child.start_byte > node.start_byte
            if child.type == "variable_assignment":
                environment.append(self._assigned(child))
            elif child.type.endswith("redirect"):
                words.extend(self._redirect(child, owner))
            else:
                if glued and words:
                    self._misread(self._text(node))
                inner = child.children[0] if child.type == "command_name" else child
                words.append(self._word(inner))
            previous = child.end_byte
        self._run(Command((*words, *extras), tuple(environment)))

    def _run(self, command: Command) -> None:
        """Note a command, and what it starts in turn."""
        if not command.words:
            self._misread("a command without a name")
            return
        if command.name is None:
            self._doubt(f"what {_shown(command.words[0])} runs is known only to the shell")
        elif command.name in nodes.RESERVED:
            self._doubt(f"{command.name!r} is not followed here")
        inner = unwrap(command.words)
        # By its plain name only: a file of the workspace may have the same one.
        starter = bool(inner) and all(started.only_starts for started in inner)
        starter = starter and (command.name or "/") in STARTERS
        self._commands.append(command._replace(starter=starter))
        if len(command.via) > _DEEPEST_LINE * 2:
            raise Misread("nested too deep")
        for started in inner:
            via = (*command.via, command.name or "")
            environment = (*command.environment, *started.environment)
            if started.doubt:
                self._doubt(started.doubt)
            if started.words:
                self._run(Command(started.words, environment, via))
            if started.code is not None:
                self._read_code(started.code, via, environment)

    def _read_code(
        self, code: str, via: tuple[str, ...], environment: tuple[tuple[str, Word], ...]
    ) -> None:
        if self._depth >= _DEEPEST_LINE:
            raise Misread("shells nested too deep")
        if environment:
            self._doubt("variables are set for code")
        parsed = parse_line(_decoded(code), self._depth + 1)
        first = len(self._commands)
        self._commands += [each._replace(via=(*via, *each.via)) for each in parsed.commands]
        self._writes += [each._replace(command=first + each.command) for each in parsed.writes]
        self._assignments += parsed.assignments
        self._doubts += parsed.doubts
        self._unreadable = self._unreadable or parsed.unreadable

    # Variables

    def _assign(self, node: Node) -> None:
        each = [node] if node.type == "variable_assignment" else self._children(node)
        for assignment in each:
            name, value = self._assigned(assignment)
            self._assignments.append(Assignment(name, (value,)))

    def _assigned(self, node: Node) -> tuple[str, Word]:
        children = self._children(node)
        name = self._text(children[0])
        value = children[2] if len(children) == 3 else None
        if children[0].type != "variable_name" or self._text(children[1]) not in {"=", "+="}:
            self._misread(self._text(node))
        if len(children) > 3 or node.end_byte != children[-1].end_byte:
            self._misread(self._text(node))
        if value is None:
            return name, literal("")
        if value.type == "array":
            for item in self._children(value, newlines=True)[1:-1]:
                self._word(item)
            return name, UNKNOWN
        return name, self._word(value)

    def _declare(self, node: Node) -> None:
        words: list[Word] = []
        for child in self._children(node):
            if child.type == "variable_assignment":
                name, value = self._assigned(child)
                words.append(Word(f"{name}={value.source}", value.text and f"{name}={value.text}",
                                  f"{name}="))  # fmt: skip
            elif child.type in {"variable_name", *nodes.WORDS}:
                words.append(self._word(child))
            else:
                words.append(literal(self._text(child)))
        self._run(Command(tuple(words)))

    def _test(self, node: Node) -> None:
        name = self._text(node.children[0])
        if name not in {"[", "[["}:
            self._doubt("arithmetic may run code")
        for part in self._test_leaves(node):
            text = self._text(part)
            if part.type == "test_operator":
                if text not in nodes.FILE_TESTS and (
                    name == "[[" or text not in nodes.NUMBER_TESTS
                ):
                    self._doubt(f"the test {text} may run code")
            elif part.type in nodes.WORDS:
                word = self._word(part)
                if name == "[" and word.text is None and not text.startswith('"'):
                    self._doubt(f"the test takes whatever {_shown(word)} holds")
            elif part.is_named or text not in nodes.TEST_TOKENS:
                self._doubt(f"the test {_decoded(text)!r} is not followed here")
        self._commands.append(Command((literal(name),)))

    def _test_leaves(self, node: Node) -> Iterator[Node]:
        for child in self._children(node):
            if child.type in nodes.TEST_PARTS:
                yield from self._test_leaves(child)
            else:
                yield child

    # Redirections

    def _redirect(self, node: Node, owner: str) -> tuple[Word, ...]:
        """Note what is written; the words that are none of the redirection's come back."""
        if node.type == "heredoc_redirect":
            return self._here_document(node)
        children = self._children(node)
        if children and children[0].type == "file_descriptor":
            before = self._source[children[0].start_byte - 1 : children[0].start_byte]
            if before.strip(" \t\n;&|("):
                self._misread(self._text(node))
            children = children[1:]
        elif self._source[node.start_byte - 1 : node.start_byte] == "}":
            self._misread(self._text(node))  # {name}>file sets a variable
        operator = self._text(children[0]) if children else ""
        words = tuple(self._word(child) for child in children[1:])
        if operator in _CLOSES:
            return words
        if not words or operator not in {*_WRITES, *_READS, "<<<"}:
            self._misread(self._text(node))
            return words
        target = words[0]
        duplicate = operator in {">&", "<&"} and (target.text or "").isdecimal()
        if operator in _WRITES and not duplicate:
            self._writes.append(Write(target, len(self._commands), owner))
        elif operator in _READS and not duplicate:
            if target.text is None or target.text.startswith(("/dev/tcp", "/dev/udp")):
                self._doubt(f"it reads {_shown(target)}")
        return words[1:]

    def _here_document(self, node: Node) -> tuple[Word, ...]:
        self._here_documents += 1
        parts = {child.type: child for child in node.children}
        start, body = parts.get("heredoc_start"), parts.get("heredoc_body")
        end = parts.get("heredoc_end")
        if self._here_documents > 1 or self._depth or not (start and body and end):
            raise Misread("a here-document")
        delimiter = nodes.HERE_DELIMITER.fullmatch(self._text(start))
        first = self._source.find("\n", start.end_byte) + 1
        last = self._end_of_here_document(first, delimiter[2] if delimiter else "", "<<-" in parts)
        if not delimiter or first == 0 or last != end.end_byte:
            raise Misread("a here-document")
        if not delimiter[1]:
            found = self._expansions(body, first)
            check_here_document(self._source[first : end.start_byte], found)
        words: list[Word] = []
        for child in node.children:
            if child.start_byte >= first or child.type in {"<<", "<<-", "heredoc_start", "\n"}:
                continue
            if child.end_byte > first:
                raise Misread("a here-document")
            if child.type in nodes.WORDS:
                words.append(self._word(child))
            elif child.type.endswith("redirect"):
                words.extend(self._redirect(child, ""))
            elif child.is_named:
                self._statement(child)
            elif child.type not in nodes.TOKENS:
                raise Misread("a here-document")
        return tuple(words)

    def _end_of_here_document(self, first: int, delimiter: str, indented: bool) -> int:
        position = first
        for line in self._source[first:].split("\n"):
            if (line.lstrip("\t") if indented else line) == delimiter:
                return position + len(line)
            position += len(line) + 1
        return -1

    # Words

    def _word(self, node: Node) -> Word:
        found = self._expansions(node, node.start_byte)
        word = WordScanner(self._text(node), found).read()
        if any(each.type == "command_substitution" for each in _topmost(node)):
            word = word._replace(derived=True)
        if word.source.isascii():
            return word
        text = None if word.text is None else _decoded(word.text)
        return word._replace(source=_decoded(word.source), text=text, lead=_decoded(word.lead))

    def _expansions(self, node: Node, start: int) -> dict[int, tuple[int, str]]:
        """Where a word's expansions begin and end; commands in them are noted."""
        found: dict[int, tuple[int, str]] = {}
        for each in _topmost(node):
            found[each.start_byte - start] = (each.end_byte - start, self._expand(each))
        return found

    def _expand(self, node: Node) -> str:
        """The name of the variable, if it is one."""
        text = self._text(node)
        if node.type in {"command_substitution", "process_substitution"}:
            self._substitution(node, text)
            return ""
        if node.type == "arithmetic_expansion":
            if not nodes.HARMLESS_ARITHMETIC.fullmatch(text):
                self._doubt("arithmetic with variables may run code")
            return ""
        pattern = nodes.SIMPLE_VARIABLE if node.type == "simple_expansion" else (
            nodes.HARMLESS_EXPANSION
        )  # fmt: skip
        match = pattern.fullmatch(text)
        if not match:
            self._doubt(f"the expansion {_decoded(text)} may run code")
            for each in _topmost_below(node):
                self._expand(each)
            return ""
        return match[1] or ""

    def _substitution(self, node: Node, text: str) -> None:
        opener = next((o for o in ("$(", "`", "<(", ">(") if text.startswith(o)), "")
        closer = "`" if opener == "`" else ")"
        if not opener or not text.endswith(closer) or (opener == "`" and "\\" in text):
            raise Misread(text)
        self._level += 1
        for child in self._children(node, newlines=True)[1:-1]:
            if child.is_named:
                self._statement(child)
            elif child.type not in nodes.TOKENS and child.type != "<":
                raise Misread(text)
        self._level -= 1


def _topmost(node: Node) -> Iterator[Node]:
    if node.type in nodes.EXPANSIONS:
        yield node
    else:
        yield from _topmost_below(node)


def _topmost_below(node: Node) -> Iterator[Node]:
    for child in node.children:
        yield from _topmost(child)


def _shown(word: Word) -> str:
    return repr(word.source)
