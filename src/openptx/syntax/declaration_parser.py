"""Parses declarations of variables and parameters (manual 5.4), whose parts have a fixed order, as in the assembler."""

from __future__ import annotations

import re
import sys

from openptx.diagnostics import SAFE, Diagnostic, Fix
from openptx.diagnostics.kinds import TYPE
from openptx.isa.directives import NAMES
from openptx.patterns import pattern
from openptx.source import Span
from openptx.syntax.constants import primary
from openptx.syntax.declaration_mistakes import (
    ORDER,
    after_declarator,
    after_parameter,
    another_header,
    body_begins,
    closed_early,
    computed_size,
    no_name,
    other_statement,
    other_statements,
    parenthesised,
    spaceless,
    typeless,
    unclosed_parameters,
    unopened_list,
)
from openptx.syntax.declarations import Attribute, Declarator, Pointer, Variable
from openptx.syntax.initial_values import initialiser
from openptx.syntax.lexical import NEW_NAME
from openptx.syntax.operands import Integer, Name
from openptx.syntax.recovery import recover
from openptx.syntax.tokens import Cursor, Mistake

LINKAGE = (".visible", ".extern", ".weak", ".common")
NO_LINKAGE = "linkage can only be given to variables of the module"
SPACES = (".reg", ".local", ".shared", ".param", ".global", ".const", ".tex")
_POINTER_SPACES = (".const", ".global", ".local", ".shared", ".texref", ".samplerref", ".surfref")
_VECTORS = {".v2": 2, ".v4": 4, ".v8": 8}
_LATE = (".align", ".attribute", ".v2", ".v4", ".v8", ".ptr", *SPACES, *LINKAGE)  # a type cannot contain these


RANGE = 1 << 16
"""The maximum number of variables, labels or functions of `name<count>`. Each of them is created; registers are not, so
`.reg` has only the limit of the format."""


def declaration(c: Cursor, problems: list[Diagnostic]) -> Variable:
    """Parses `.linkage .space .type names;`. Names before an error are kept, so that their uses are known."""
    c.about = "invalid-declaration"
    start, names = c.start, list[Declarator]()
    head = _Head(c)
    try:
        if c.word != ";":
            names.append(_declarator(c, most=head.most))
        while names and c.take(","):
            names.append(_declarator(c, most=head.most))
        if not c.take(";"):
            raise after_declarator(c)
    except Mistake as mistake:
        if not names:
            raise
        problems.append(mistake.diagnostic)
        recover(c, start)
    return head.variable(c, start, tuple(names))


def parameters(c: Cursor, problems: list[Diagnostic], opened: bool = True) -> tuple[Variable, ...]:
    """Parses `( .param .u64 a, .reg .f32 b )`. One that cannot be parsed is reported, and those around it are kept."""
    outer, c.about = c.about, "invalid-declaration"
    place = c.expect("(", "before parameters") if opened else c.span
    found: list[Variable] = []
    early: Mistake | None = None
    while found or not c.take(")"):
        try:
            found += _scalars(c)
            if body_begins(c):
                raise unclosed_parameters(c)
            if (other := other_statements(c)) is not None:
                problems.append(other.diagnostic)
                if c.take(")") or c.at("{", ";"):
                    break
                continue
            if early is None and (early := closed_early(c)) is not None:
                problems.append(early.diagnostic)
                c.advance()
            found.append(_parameter(c, place, closed=early is not None))
            if early is not None and c.at("{", ";"):
                break
        except Mistake as mistake:
            problems.append(mistake.diagnostic)
            if _after_parameters(c) or not _next_parameter(c):
                break
            c.take(";")  # reported
            if c.take(")"):
                break
        if c.take(")"):
            break
        c.take(",")
    c.about = outer
    return tuple(found)


_SCALAR = pattern(rf"[ \t\r\n]*+(\.(param|reg))[ \t]++(\.([bsuf](?:8|16|32|64)))[ \t]++({NEW_NAME})[ \t]*+,", re.A)


def _scalars(c: Cursor) -> list[Variable]:
    """The parameters of scalar types that follow, each with its comma: one match each, since there may be thousands."""
    found: list[Variable] = []
    offset = c.start
    while (match := _SCALAR.match(c.file.text, offset, c.limit)) is not None:
        space, typed, named = match.span(1), match.span(3), match.span(5)
        found.append(Variable(
            c.file, (space[0], named[1]), linkage="", space=match[2], space_span=space, bank=None, attributes=(),
            align=None, vector=1, type=match[4], type_span=typed, pointer=None,
            names=(Declarator(Name(match[5], named), None, (), None, named),),
        ))  # fmt: skip
        offset = match.end()
    if found:
        c.seek(offset)
    return found


def _parameter(c: Cursor, opened: Span, closed: bool) -> Variable:
    start = c.start
    head = _Head(c, parameter=True)
    name = _declarator(c, parameter=True)
    if not c.at(",", ")") and not (closed and c.at("{", ";")) and other_statement(c) is None:
        raise after_parameter(c, opened)
    return head.variable(c, start, (name,))


def _after_parameters(c: Cursor) -> bool:
    """Whether the `)` is missing: the function's name follows, with its own parenthesis or body, or the body does."""
    if c.kind == "word":
        return c.peek().word in ("(", "{", ";")
    return c.word == "{" or body_begins(c) or (c.word in NAMES and c.word not in _LATE)


def _next_parameter(c: Cursor) -> bool:
    """Skips to the `,` or `)` after a parameter that cannot be parsed, or to the next parameter if the comma is
    missing."""
    start = c.start
    while c.kind != "end" and c.word not in ("{", ".entry", ".func"):
        if c.word in LINKAGE and c.peek().at(".entry", ".func"):
            return False
        if c.word == ";" and not c.peek().at(")", ".param", ".reg"):
            return False
        if c.word in (",", ";", ")") or (c.word in (".param", ".reg") and c.start > start):
            return True
        c.advance()
    return False


def attributes(c: Cursor) -> tuple[Attribute, ...]:
    """Parses `.attribute(.managed, .unified(1, 2))`."""
    c.expect(".attribute", "")
    c.expect("(", "after `.attribute`")
    found: list[Attribute] = []
    while True:
        start = c.start
        if c.kind != "dot":
            raise c.expected("an attribute such as `.managed`")
        name = c.word[1:]
        c.advance()
        values: list[Integer] = []
        if c.take("("):
            values.append(integer(c, "an integer"))
            while c.take(","):
                values.append(integer(c, "an integer"))
            c.expect(")", "after the values of the attribute")
        found.append(Attribute(name, tuple(values), (start, c.last)))
        if not c.take(","):
            break
    c.expect(")", "after the attributes")
    return tuple(found)


def integer(c: Cursor, what: str) -> Integer:
    """Parses one integer literal; expressions are not allowed here."""
    if c.kind != "number" and c.word != "WARP_SZ":
        raise parenthesised(c, what)
    found = primary(c)
    if isinstance(found, Integer):
        return found
    raise c.mistake(c.about, f"expected {what}, found `{found.text}`", found.span, f"expected {what}", kind=what)


class _Head:
    """The part before the names: linkage, space, attributes and alignment, vector, type, pointer."""

    __slots__ = (
        "align", "attributes", "bank", "linkage", "pointer", "space", "space_span", "type", "type_span", "vector",
    )  # fmt: skip

    @property
    def most(self) -> int:
        """The maximum number of names in a range."""
        return sys.maxsize if self.space == "reg" else RANGE

    def __init__(self, c: Cursor, parameter: bool = False) -> None:
        self.linkage = self.space = self.type = ""
        self.bank: Integer | None = None
        self.align: Integer | None = None
        self.pointer: Pointer | None = None
        self.attributes: tuple[Attribute, ...] = ()
        if c.word in LINKAGE:
            if parameter and c.peek().at(".entry", ".func"):
                raise another_header(c)
            if parameter:
                raise c.mistake(
                    "misplaced-directive", NO_LINKAGE, c.span, "of a parameter", help=f"leave out `{c.word}`"
                )
            self.linkage = self._word(c)
        self._align(c)
        if c.word not in SPACES:
            raise spaceless(c, parameter)
        self.space_span: Span = c.span
        self.space = self._word(c)
        if self.space == "const" and c.take("["):
            self.bank = integer(c, "the number of a constant bank")
            c.expect("]", "after the number of a constant bank")
        self._align(c)
        self.vector = _VECTORS.get(c.word, 1)
        if self.vector > 1:
            c.advance()
        if c.kind != "dot" or c.word in _LATE:
            raise self._out_of_order(c) if c.kind == "dot" else typeless(c)
        self.type_span: Span = c.span
        self.type = self._word(c)
        if parameter and c.word in (".ptr", ".align"):
            self.pointer = _pointer(c)
        if c.kind == "dot":
            raise self._out_of_order(c)

    @staticmethod
    def _word(c: Cursor) -> str:
        word = c.word[1:]
        c.advance()
        return word

    def _align(self, c: Cursor) -> None:
        while c.word in (".align", ".attribute"):
            if c.word == ".attribute":
                self.attributes += attributes(c)
            else:
                c.advance()
                self.align = integer(c, "an alignment in bytes")

    def _out_of_order(self, c: Cursor) -> Mistake:
        what = "a name" if self.type else TYPE
        where = f"after `.{self.type or self.space}`"
        return c.expected(what, where, help=ORDER if c.word in _LATE else None)

    def variable(self, c: Cursor, start: int, names: tuple[Declarator, ...]) -> Variable:
        return Variable(
            c.file, (start, c.last), linkage=self.linkage, space=self.space, space_span=self.space_span, bank=self.bank,
            attributes=self.attributes, align=self.align, vector=self.vector, type=self.type, type_span=self.type_span,
            pointer=self.pointer, names=names,
        )  # fmt: skip


def _pointer(c: Cursor) -> Pointer:
    """Parses `.ptr.global.align 16`. The assembler also accepts only the alignment after the type of a parameter."""
    start, space, align = c.start, "", None
    if c.take(".ptr") and c.word in _POINTER_SPACES:
        space = c.word[1:]
        c.advance()
    if c.take(".align"):
        align = integer(c, "an alignment in bytes")
    return Pointer(space, align, (start, c.last))


def count_of_names(c: Cursor, most: int = RANGE) -> Integer:
    """The number in `<4>`, after its `<`."""
    count = low_word(integer(c, "the number of names"))
    if c.word in (";", ","):
        fix = Fix((c.last, c.last), ">", "close it", SAFE)
        raise c.mistake(
            c.about, f"expected `>` after the number of names, found `{c.word}`", c.span, marks=">", fix=fix
        )
    if count.value > most:
        message = f"{count.value} names are too many: each of them is created separately"
        raise c.mistake("array-size", message, count.span, help=f"at most {most} names can be declared at once")
    c.expect(">", "after the number of names")
    return count


def low_word(count: Integer) -> Integer:
    """A number of names, or of a parameter's elements, as the assembler reads it: of a literal that is negative as
    `.s64` the low 32 bits (measured, ptxas 13.5). Others of more than 32 bits are errors."""
    if not count.value >> 63:
        return count
    return Integer(count.value & 0xFFFFFFFF, count.unsigned, count.text, count.span, count.literal, count.overflow)


def _elements(c: Cursor) -> Integer:
    """The number of elements of a parameter."""
    count = low_word(integer(c, "the size of the array, as one literal"))
    if count.value >> 32:
        message = f"a parameter has at most {0xFFFFFFFF} elements, not {count.value}"
        raise c.mistake("array-size", message, count.span)
    return count


def _dimensions(c: Cursor, start: int, parameter: bool) -> tuple[Integer | None, ...]:
    """The sizes of an array between brackets: of a parameter one, of a variable any number, the first of which may be
    missing."""
    found: list[Integer | None] = []
    while not (parameter and found) and c.take("["):
        empty = c.word == "]" and not found
        size = None if empty else _elements(c) if parameter else integer(c, "the size of the array, as one literal")
        found.append(size)
        if c.word != "]" and (mistake := computed_size(c, start)):
            raise mistake
        c.expect("]", "after the size of the array")
    return tuple(found)


def _declarator(c: Cursor, parameter: bool = False, most: int = RANGE) -> Declarator:
    start = c.start
    if c.word in ("*", ",", ";", ")") or c.kind == "number":
        raise no_name(c)
    sink = parameter and c.word == "_"
    text, span = (c.name if sink else c.new_name)("a name", "in this declaration")
    if not parameter and c.take("<"):
        count = count_of_names(c, most)
        return Declarator(Name(text, span), count, (), None, (start, c.last))
    dimensions = _dimensions(c, start, parameter)
    first = initialiser(c) if not parameter and c.take("=") else None
    if first is not None and dimensions and c.word == "," and (mistake := unopened_list(c, first.span[0])):
        raise mistake
    return Declarator(Name(text, span), None, dimensions, first, (start, c.last))
