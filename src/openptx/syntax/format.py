"""Formats a module: one statement per line, blocks indented, one blank between tokens, at most one empty line.

Only blanks change: every token and every comment stays, in order, and formatting twice is formatting once. A statement
with a comment inside keeps its own line breaks, and so does the data of a debug section.
"""

from __future__ import annotations

import re

from openptx.errors import Bug
from openptx.patterns import pattern
from openptx.syntax.directives import Section
from openptx.syntax.lexical import COMMENT, IDENTIFIER, LETTER, STRING
from openptx.syntax.tokens import TOKEN
from openptx.syntax.tree import Block, Function, Instruction, Label, Statement, SyntaxTree

INDENT = "    "
_COMMENT = pattern(COMMENT)
_STRING = pattern(f"({STRING})")
_STRING_OR_COMMENT = pattern(f"{STRING}|({COMMENT})")
_BLANKS = (
    (re.compile(r"\s+"), " "),
    (re.compile(r" ?, ?"), ", "),
    (re.compile(r" ?([;\])}>])"), r"\1"),
    (re.compile(r"([\[({<]) ?"), r"\1"),
    (re.compile(r" ?(\+|\|\|?) ?"), r"\1"),
    (re.compile(r" ?: ?(?=\.)"), ": "),
    (re.compile(r"(?<=[\w)>\]])(?: ?= ?)(?=[\w{(+~!-])"), " = "),
    (re.compile(rf"(?:(?<={LETTER})|(?<=\])) (?=[\[<])"), ""),
    (re.compile(rf"(?<=\.func)(?=\()|(?<=\))(?={IDENTIFIER})"), " "),
)


def formatted(module: SyntaxTree) -> str:
    """The canonical text of a module; ValueError if it has syntax errors."""
    if module.diagnostics:
        raise ValueError("a module with syntax errors can't be laid out")
    text = module.file.text.replace("\r\n", "\n")
    lines = _Lines(module.file.text)
    lines.statements(module.items, 0, len(module.file.text), 0)
    result = lines.text()
    if _tokens(result) != _tokens(text):
        raise Bug("formatting changed a token")
    return result


def canonical(text: str) -> str:
    """A statement without comments, on one line with canonical blanks. Strings are kept."""
    parts = _STRING.split(text)
    for i in range(0, len(parts), 2):
        for found, blank in _BLANKS:
            parts[i] = found.sub(blank, parts[i])
    return "".join(parts).strip()


def _tokens(text: str) -> list[str]:
    """What formatting must not change: the tokens, and the comments without surrounding blanks."""
    found: list[str] = []
    for match in TOKEN.finditer(text):
        if match.lastgroup != "trivia":
            found.append(match[0])
        else:
            found += [" ".join(comment.split()) for comment in _COMMENT.findall(match[0])]
    return found


class _Lines:
    """The lines written so far."""

    __slots__ = ("lines", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines: list[str] = []

    def text(self) -> str:
        """All lines, without empty ones at the end."""
        while self.lines and not self.lines[-1]:
            self.lines.pop()
        return "\n".join(self.lines) + "\n" if self.lines else ""

    def statements(self, statements: list[Statement], start: int, end: int, depth: int) -> None:
        """The text between two offsets: statements, and the comments between them. Blocks may be nested deeper than
        Python's recursion limit."""
        rest, ends = [iter(statements)], [end]
        while rest:
            inner = depth + len(rest) - 1
            for statement in rest[-1]:
                self.between(start, statement.span[0], inner)
                if isinstance(statement, Block):
                    self.add("{", inner)
                    start = statement.span[0] + 1
                    rest.append(iter(statement.statements))
                    ends.append(statement.span[1] - 1)
                    break
                self.statement(statement, inner)
                start = statement.span[1]
            else:
                self.between(start, ends[-1], inner)
                start = ends.pop() + 1
                rest.pop()
                if rest:
                    self.close(inner - 1)

    def between(self, start: int, end: int, depth: int) -> None:
        """Comments and empty lines. A comment on the line of a statement stays there."""
        place = start
        for match in _COMMENT.finditer(self.source, start, end):
            blank = self.source[place : match.start()]
            self.empty_line(blank)
            comment = match[0].rstrip()
            if self.lines and self.lines[-1] and "\n" not in blank and place == start and start > 0:
                self.lines[-1] += "  " + comment
            else:
                self.add(comment, depth)
            place = match.end()
        self.empty_line(self.source[place:end])

    def empty_line(self, blank: str) -> None:
        """Keeps one of the empty lines in a run of blanks, but none after a `{`."""
        if blank.count("\n") > 1 and self.lines and self.lines[-1] and not self.lines[-1].endswith("{"):
            self.lines.append("")

    def add(self, text: str, depth: int) -> None:
        """One more line, or several of a text that keeps its own line breaks."""
        first, *rest = text.replace("\r\n", "\n").split("\n")
        self.lines.append(INDENT * depth + first.rstrip())
        self.lines += [line.rstrip() for line in rest]

    def statement(self, statement: Statement, depth: int) -> None:
        """One statement with all its contents."""
        if isinstance(statement, Function):
            self.function(statement)
        elif isinstance(statement, Section) or self.has_comment(statement.span[0], statement.span[1]):
            self.add(statement.text, depth)
        elif isinstance(statement, Instruction):
            self.add(_instruction(statement), depth)
        elif isinstance(statement, Label):
            self.add(statement.name.text + ":", max(depth - 1, 0))
        else:
            self.add(canonical(statement.text), depth)

    def close(self, depth: int) -> None:
        """The `}` of a block or body."""
        if self.lines and not self.lines[-1]:
            self.lines.pop()
        self.add("}", depth)

    def has_comment(self, start: int, end: int) -> bool:
        """Whether there is a comment between two offsets, outside strings."""
        return any(match[1] for match in _STRING_OR_COMMENT.finditer(self.source, start, end))

    def function(self, function: Function) -> None:
        """The header, with one parameter per line, and the body."""
        start, end = function.header
        end = end - 1 if function.body else end
        if self.has_comment(start, end):
            self.add(self.source[start:end].rstrip(), 0)
        else:
            self.header(function, end)
        if function.body:
            self.add("{", 0)
            self.statements(function.statements, *function.body, 1)
            self.close(0)

    def header(self, function: Function, end: int) -> None:
        """A header without comments."""
        parameters, named = function.parameters, function.name.span[1]
        name = canonical(self.source[function.span[0] : named])
        start, after = named, function.directives[0].span[0] if function.directives else end
        if parameters:
            self.add(name + "(", 0)
            for parameter in parameters[:-1]:
                self.add(canonical(parameter.text) + ",", 1)
            self.add(canonical(parameters[-1].text), 1)
            name, start = "", self.source.index(")", parameters[-1].span[1])
        self.add(name + canonical(self.source[start:after]), 0)
        for directive in function.directives:
            self.add(canonical(directive.text), 0)
        if function.directives and function.body is None:
            self.lines[-1] += ";"


def _instruction(instruction: Instruction) -> str:
    """Guard, opcode and operands."""
    text = instruction.file.text
    guard = "".join(text[slice(*instruction.guard_span)].split())
    operands = canonical(text[slice(*instruction.operands_span)])
    return " ".join(word for word in (guard, instruction.opcode, operands) if word) + ";"
