"""Reads declarations of variables and parameters, and their initial values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openptx.diagnostics import Label
from openptx.syntax.constants import constant, primary
from openptx.syntax.declarations import (
    Attribute,
    Declarator,
    InitialiserList,
    Member,
    Pointer,
    SymbolAddress,
    Variable,
)
from openptx.syntax.operands import Integer, Name
from openptx.syntax.precise import missing_semicolon
from openptx.syntax.tokens import Cursor, Mistake

if TYPE_CHECKING:
    from openptx.diagnostics import Diagnostic
    from openptx.syntax.declarations import Initialiser

LINKAGE = (".visible", ".extern", ".weak", ".common")
SPACES = (".reg", ".local", ".shared", ".param", ".global", ".const", ".tex", ".sreg")
_POINTER_SPACES = (".const", ".global", ".local", ".shared", ".param")
_VECTORS = {".v2": 2, ".v4": 4, ".v8": 8}


def declaration(c: Cursor, problems: list[Diagnostic]) -> Variable:
    """Read `.linkage .space .type names;`. Names before a mistake are kept, so that their uses are known."""
    c.about = "invalid-declaration"
    start = c.start
    found = _Specifiers(c)
    names: list[Declarator] = []
    try:
        names.append(_declarator(c))
        while c.take(","):
            names.append(_declarator(c))
        if c.word != ";":
            raise _after_declarator(c, names[-1])
        c.advance()
    except Mistake as mistake:
        if not names:
            raise
        problems.append(mistake.diagnostic)
        recover(c)
    return found.variable(c, start, tuple(names))


def parameters(c: Cursor) -> tuple[Variable, ...]:
    """Read `( .param .u64 a, .reg .f32 b )`."""
    opened = c.expect("(", "before parameters")
    found: list[Variable] = []
    if c.take(")"):
        return ()
    while True:
        start = c.start
        specifiers = _Specifiers(c)
        found.append(specifiers.variable(c, start, (_declarator(c, parameter=True),)))
        if c.take(")"):
            return tuple(found)
        if not c.take(","):
            raise _after_parameter(c, opened)


def attributes(c: Cursor) -> tuple[Attribute, ...]:
    """Read `.attribute(.managed, .unified(1, 2))`, from behind its first word."""
    c.expect("(", "behind `.attribute`")
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
            c.expect(")", "behind the values of the attribute")
        found.append(Attribute(name, tuple(values), (start, c.last)))
        if not c.take(","):
            break
    c.expect(")", "behind the attributes")
    return tuple(found)


def integer(c: Cursor, what: str) -> Integer:
    """Read one integer literal; no expression can stand here."""
    if c.kind != "number" and c.word != "WARP_SZ":
        raise c.expected(what)
    found = primary(c)
    if isinstance(found, Integer):
        return found
    raise c.mistake("invalid-expression", f"expected {what}, found `{found.text}`", found.span, f"expected {what}")


def recover(c: Cursor) -> None:
    """Go behind the statement that can't be read: its `;`, or before a brace or a statement on the next line."""
    while c.kind != "end" and c.word not in ("{", "}"):
        if c.take(";"):
            return
        c.advance()
        if c.kind in ("dot", "word") and "\n" in c.file.text[c.last : c.start] and _begins_line(c):
            return


def _begins_line(c: Cursor) -> bool:
    if c.kind == "dot":
        return c.word in SPACES or c.word in LINKAGE or c.word in (".entry", ".func", ".loc", ".pragma", ".section")
    ahead = Cursor(c.file, c.end, c.limit)
    return ahead.kind == "dot" or ahead.word == ":"


class _Specifiers:
    """What stands before the names: linkage, space, attributes, alignment, vector, type, pointer."""

    __slots__ = (
        "align",
        "attributes",
        "bank",
        "linkage",
        "pointer",
        "space",
        "space_span",
        "type",
        "type_span",
        "vector",
    )

    def __init__(self, c: Cursor) -> None:
        self.linkage = self.space = self.type = ""
        self.space_span = self.type_span = c.start, c.start
        self.bank: Integer | None = None
        self.align: Integer | None = None
        self.pointer: Pointer | None = None
        self.attributes: tuple[Attribute, ...] = ()
        self.vector = 1
        while c.kind == "dot":
            self._take(c)

    def _take(self, c: Cursor) -> None:
        word, span = c.word, c.span
        if word in LINKAGE and not self.space:
            c.advance()
            self.linkage = word[1:]
        elif word in SPACES and not self.space:
            c.advance()
            self.space, self.space_span = word[1:], span
            if word == ".const" and c.take("["):
                self.bank = integer(c, "the number of a constant bank")
                c.expect("]", "behind the number of a constant bank")
        elif word == ".align":
            c.advance()
            self.align = integer(c, "an alignment in bytes")
        elif word == ".attribute":
            c.advance()
            self.attributes = attributes(c)
        elif word in _VECTORS and not self.type:
            c.advance()
            self.vector = _VECTORS[word]
        elif word == ".ptr":
            c.advance()
            self._take_pointer(c, span[0])
        elif not self.type:
            c.advance()
            self.type, self.type_span = word[1:], span
        else:
            raise c.expected("a name", "behind the type")

    def _take_pointer(self, c: Cursor, start: int) -> None:
        space, align = "", None
        if c.kind == "dot" and c.word in _POINTER_SPACES:
            space = c.word[1:]
            c.advance()
        if c.word == ".align":
            c.advance()
            align = integer(c, "an alignment in bytes")
        self.pointer = Pointer(space, align, (start, c.last))

    def variable(self, c: Cursor, start: int, names: tuple[Declarator, ...]) -> Variable:
        return Variable(
            c.file, (start, c.last), linkage=self.linkage, space=self.space, space_span=self.space_span, bank=self.bank,
            attributes=self.attributes, align=self.align, vector=self.vector, type=self.type, type_span=self.type_span,
            pointer=self.pointer, names=names,
        )  # fmt: skip


def _declarator(c: Cursor, parameter: bool = False) -> Declarator:
    start = c.start
    text, span = c.name("a name", "in this declaration")
    count: Integer | None = None
    if c.word == "<":
        c.advance()
        count = integer(c, "the number of names")
        c.expect(">", "behind the number of names")
    dimensions: list[Integer | None] = []
    while c.take("["):
        dimensions.append(None if c.word == "]" else integer(c, "the size of the array, one literal"))
        c.expect("]", "behind the size of the array")
    initialiser = None
    if not parameter and c.take("="):
        initialiser = _initialiser(c)
    return Declarator(Name(text, span), count, tuple(dimensions), initialiser, (start, c.last))


def _initialiser(c: Cursor) -> Initialiser:
    start = c.start
    if c.take("{"):
        c.deeper()
        elements: list[Initialiser] = []
        while c.word != "}":
            elements.append(_initialiser(c))
            if not c.take(","):
                break
        c.expect("}", "to close the initial values")
        c.depth -= 1
        return InitialiserList(tuple(elements), (start, c.last))
    if c.kind == "word" and c.word != "WARP_SZ":
        return _symbol(c, start, None)
    mask = constant(c)
    if isinstance(mask, Integer) and c.take("("):
        return _masked(c, start, mask)
    return mask


def _masked(c: Cursor, start: int, mask: Integer) -> Initialiser:
    """`0xFF00(var+4)` or `0xFF(1000 + 546)`: the bits of the mask, moved to the lowest place (manual 5.4.4)."""
    if c.kind == "word" and c.word != "WARP_SZ":
        symbol = _symbol(c, start, mask)
        c.expect(")", "behind what the mask is applied to")
        symbol.span = start, c.last
        return symbol
    value = constant(c)
    if not isinstance(value, Integer):
        raise c.mistake("invalid-expression", "a mask takes bits of an integer", value.span)
    c.expect(")", "behind what the mask is applied to")
    shift = (mask.value & -mask.value).bit_length() - 1 if mask.value else 0
    bits = ((value.value & (1 << 64) - 1) & mask.value) >> shift
    return Integer(bits, True, c.file.text[start : c.last], (start, c.last), literal=False)


def _symbol(c: Cursor, start: int, mask: Integer | None) -> Initialiser:
    text, span = c.word, c.span
    c.advance()
    generic = text == "generic" and c.take("(")
    if generic:
        text, span = c.name("a variable or function", "inside `generic`")
        c.expect(")", "behind the name")
    name = Name(text, span)
    if c.word == "=" and mask is None and not generic:
        c.advance()
        value = Name(*c.name("a value", "behind `=`")) if c.kind == "word" else integer(c, "a value")
        return Member(name, value, (start, c.last))
    offset = 0
    if c.word in ("+", "-") and c.kind == "op":
        sign = -1 if c.word == "-" else 1
        c.advance()
        found = constant(c)
        if not isinstance(found, Integer):
            raise c.mistake("invalid-expression", "an offset is an integer", found.span)
        offset = sign * found.value
    return SymbolAddress(name, offset, generic, mask, (start, c.last))


def _after_declarator(c: Cursor, last: Declarator) -> Mistake:
    if c.kind in ("end", "dot") or c.word in ("{", "}") or "\n" in c.file.text[c.last : c.start]:
        return missing_semicolon(c, c.last)
    if c.word == "=" and last.initialiser is None:
        return c.expected("`,` or `;`", "behind the name")
    return c.expected("`,` or `;`", "behind the name")


def _after_parameter(c: Cursor, opened: tuple[int, int]) -> Mistake:
    if c.kind == "dot":
        return c.expected("`,`", "between parameters")
    return c.expected("`,` or `)`", "behind the parameter", labels=(Label(opened, "the parameters begin here"),))
