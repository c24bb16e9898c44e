"""A shell line as the list of commands it would run.

Nothing is taken on trust: each node must be of a kind we know, the bytes between nodes must be
blank, and each word is read a second time by `words`. Otherwise the line is unreadable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from roo_code.policy.shell import nodes
from roo_code.policy.shell.grammar import NoGrammar, parse
from roo_code.policy.shell.hidden import unreadable_because
from roo_code.policy.shell.redirections import RedirectionReader
from roo_code.policy.shell.values import (
    UNKNOWN,
    Assignment,
    Command,
    ParsedLine,
    Word,
    literal,
)
from roo_code.policy.shell.word_reader import decoded, shown
from roo_code.policy.shell.words import Misread
from roo_code.policy.shell.wrappers import STARTERS, unwrap

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST_LINE = 4
"""Of shells in shells."""
_DEEPEST_NODE = 60


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


class _LineReader(RedirectionReader):
    def __init__(self, source: str, depth: int) -> None:
        super().__init__(source, depth)
        self._readers: dict[str, Callable[[Node], None]] = {
            "command": self._command,
            "redirected_statement": self._redirected,
            "variable_assignment": self._assign,
            "variable_assignments": self._assign,
            "declaration_command": self._declare,
            "unset_command": self._declare,
            "test_command": self._test,
            "function_definition": self._function,
            "comment": self._comment,
        }

    def read(self, root: Node) -> ParsedLine:
        if root.has_error:
            self.unreadable = "bash and we may read the line differently: it is not well-formed"
        try:
            self.statement(root)
        except Misread as error:
            self.unreadable = self.unreadable or decoded(str(error))
        except RecursionError:
            self.unreadable = "nested too deep"
        blank = self.source[: root.start_byte] + self.source[root.end_byte :]
        if blank.strip(" \t\n"):
            self.misread(blank)
        return ParsedLine(
            tuple(self.commands),
            tuple(self.writes),
            tuple(self.assignments),
            tuple(dict.fromkeys(self.doubts)),
            self.unreadable,
            tuple(self.reads),
            self.fed,
        )

    # Statements

    def statement(self, node: Node) -> None:
        self.level += 1
        if self.level > _DEEPEST_NODE:
            raise Misread("nested too deep")
        kind = node.type
        if kind in nodes.BLOCKS:
            self._block(node)
        elif kind in nodes.WORDS:
            self.word(node)
        elif kind.endswith("redirect"):
            self._leftover(self.redirect(node, ""))
        elif kind in self._readers:
            self._readers[kind](node)
        else:
            self.misread(self.text(node))
        self.level -= 1

    def _function(self, node: Node) -> None:
        self.doubt("it defines a function")
        self.statement(node.children[-1])

    def _block(self, node: Node) -> None:
        variable, values = "", list[Word]()
        for child in self.children(node, newlines=True):
            if child.type == "variable_name":
                variable = self.text(child)
            elif variable and child.type in nodes.WORDS:
                values.append(self.word(child))
            elif child.type == "do_group" and variable:
                self.assignments.append(Assignment(variable, tuple(values) or (UNKNOWN,)))
                self.statement(child)
            elif child.is_named:
                self.statement(child)
            elif child.type not in nodes.TOKENS or child.is_missing:
                self.misread(self.text(child))

    def _comment(self, node: Node) -> None:
        before = self.source[node.start_byte - 1 : node.start_byte]
        if before.strip(" \t\n;&|(") or "\n" in self.text(node):
            self.misread(self.text(node))

    def _leftover(self, extras: tuple[Word, ...]) -> None:
        """Words after a redirection are the command's; without a command they are one."""
        if extras:
            self._run(Command(extras))

    def _redirected(self, node: Node) -> None:
        body, extras = None, ()
        children = self.children(node)
        for child in children:
            if not child.type.endswith("redirect"):
                body = child
        owner = self.text(body).split(maxsplit=1)[0] if body else ""
        for child in children:
            if child is not body:
                extras += self.redirect(child, owner if body and body.type == "command" else "")
        if body is None:
            self._leftover(extras)
        elif body.type == "command":
            self._command(body, extras)
        else:
            self.statement(body)
            if extras or body.type in {"variable_assignment", "variable_assignments"}:
                self.misread(self.text(node))

    def _command(self, node: Node, extras: tuple[Word, ...] = ()) -> None:
        words: list[Word] = []
        environment: list[tuple[str, Word]] = []
        name = node.child_by_field_name("name")
        owner = self.text(name) if name else ""
        previous = node.start_byte
        for child in self.children(node):
            glued = child.start_byte == previous and child.start_byte > node.start_byte
            if child.type == "variable_assignment":
                environment.append(self._assigned(child))
            elif child.type.endswith("redirect"):
                words.extend(self.redirect(child, owner))
            else:
                if glued and words:
                    self.misread(self.text(node))
                inner = child.children[0] if child.type == "command_name" else child
                words.append(self.word(inner))
            previous = child.end_byte
        self._run(Command((*words, *extras), tuple(environment)))

    def _run(self, command: Command) -> None:
        """Note a command, and what it starts in turn."""
        if not command.words:
            self.misread("a command without a name")
            return
        if command.name is None:
            self.doubt(f"what {shown(command.words[0])} runs is known only to the shell")
        elif command.name in nodes.RESERVED:
            self.doubt(f"{command.name!r} is not followed here")
        inner = unwrap(command.words)
        # By its plain name only: a file of the workspace may have the same one.
        starter = bool(inner) and all(started.only_starts for started in inner)
        starter = starter and (command.name or "/") in STARTERS
        self.commands.append(command._replace(starter=starter))
        if len(command.via) > _DEEPEST_LINE * 2:
            raise Misread("nested too deep")
        for started in inner:
            via = (*command.via, command.name or "")
            environment = (*command.environment, *started.environment)
            if started.doubt:
                self.doubt(started.doubt)
            if started.words:
                self._run(Command(started.words, environment, via))
            if started.code is not None:
                self._read_code(started.code, via, environment)

    def _read_code(
        self, code: str, via: tuple[str, ...], environment: tuple[tuple[str, Word], ...]
    ) -> None:
        if self.depth >= _DEEPEST_LINE:
            raise Misread("shells nested too deep")
        if environment:
            self.doubt("variables are set for code")
        parsed = parse_line(code, self.depth + 1)
        self.commands += [each._replace(via=(*via, *each.via)) for each in parsed.commands]
        self.writes += parsed.writes
        self.assignments += parsed.assignments
        self.reads += parsed.reads
        self.fed = self.fed or parsed.fed
        self.doubts += parsed.doubts
        self.unreadable = self.unreadable or parsed.unreadable

    # Variables

    def _assign(self, node: Node) -> None:
        each = [node] if node.type == "variable_assignment" else self.children(node)
        for assignment in each:
            name, value = self._assigned(assignment)
            self.assignments.append(Assignment(name, (value,)))

    def _assigned(self, node: Node) -> tuple[str, Word]:
        children = self.children(node)
        name = self.text(children[0])
        value = children[2] if len(children) == 3 else None
        if children[0].type != "variable_name" or self.text(children[1]) not in {"=", "+="}:
            self.misread(self.text(node))
        if len(children) > 3 or node.end_byte != children[-1].end_byte:
            self.misread(self.text(node))
        if value is None:
            return name, literal("")
        if value.type == "array":
            for item in self.children(value, newlines=True)[1:-1]:
                self.word(item)
            return name, UNKNOWN
        return name, self.word(value)

    def _declare(self, node: Node) -> None:
        words: list[Word] = []
        for child in self.children(node):
            if child.type == "variable_assignment":
                name, value = self._assigned(child)
                words.append(Word(f"{name}={value.source}", value.text and f"{name}={value.text}",
                                  f"{name}="))  # fmt: skip
            elif child.type in {"variable_name", *nodes.WORDS}:
                words.append(self.word(child))
            else:
                words.append(literal(self.text(child)))
        self._run(Command(tuple(words)))

    def _test(self, node: Node) -> None:
        name = self.text(node.children[0])
        if name not in {"[", "[["}:
            self.doubt("arithmetic may run code")
        for part in self._test_leaves(node):
            text = self.text(part)
            if part.type == "test_operator":
                if text not in nodes.FILE_TESTS and (
                    name == "[[" or text not in nodes.NUMBER_TESTS
                ):
                    self.doubt(f"the test {text} may run code")
            elif part.type in nodes.WORDS:
                word = self.word(part)
                if name == "[" and word.text is None and not text.startswith('"'):
                    self.doubt(f"the test takes whatever {shown(word)} holds")
            elif part.is_named or text not in nodes.TEST_TOKENS:
                self.doubt(f"the test {decoded(text)!r} is not followed here")
        rest = decoded(self.text(node)[len(name) :].strip())
        self.commands.append(Command((literal(name), Word(rest, None, rest[:1]))))

    def _test_leaves(self, node: Node) -> Iterator[Node]:
        for child in self.children(node):
            if child.type in nodes.TEST_PARTS:
                yield from self._test_leaves(child)
            else:
                yield child
