"""Declarations of variables: spaces, types, names, arrays, parameters, initial values (manual 5.4).

Names of spaces, types, linkage and attributes are stored without their dot.
"""

from __future__ import annotations

import re

from openptx.patterns import pattern
from openptx.syntax import plain_values
from openptx.syntax.literals import signed
from openptx.syntax.operands import Float, Integer, Name
from openptx.syntax.plain_values import FLOATS, INTEGERS, MASK, SUMS, SYMBOL, total
from openptx.syntax.statement import Statement

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import ClassVar

    from openptx.source import File, Span

_VALUE = pattern(
    rf"(?:({MASK})\()?+(generic\()?({SYMBOL})\)?(?:\+([0-9]++))?+\)?|-?[0-9](?:[\w.]|(?<=[eE])[-+])*+", re.A
)
_SUM = pattern(r"-?[0-9]++(?: ?[-+] ?[0-9]++)*+")
_FLAT = r"\{[^{}]*+\}"
_FLATS = rf"\{{(?:[^{{}}]|{_FLAT})*+\}}"
_ROWS = [pattern(_FLAT), pattern(_FLATS), pattern(rf"\{{(?:[^{{}}]|{_FLATS})*+\}}")]
"""The rows of lists of two, three and four dimensions."""


class Attribute:
    """`.managed`, or `.unified(19, 95)`, inside `.attribute(...)`. `name` has no dot."""

    __slots__ = ("name", "span", "values")

    def __init__(self, name: str, values: tuple[Integer, ...], span: Span) -> None:
        self.name, self.values, self.span = name, values, span


class Pointer:
    """`.ptr .global .align 8` of a kernel parameter: the target of the pointer. `space` has no dot, "" is generic."""

    __slots__ = ("align", "space", "span")

    def __init__(self, space: str, align: Integer | None, span: Span) -> None:
        self.space, self.align, self.span = space, align, span


class InitialiserList:
    """`{ 1, 2, { 3 } }`. A `plain` one (`plain_values`) has its text, and a `kind`: integers, addresses and so on.

    Compilers write tables of many thousands: their nodes are created when `elements` is read.
    """

    __slots__ = ("_elements", "kind", "plain", "span")

    def __init__(
        self, elements: tuple[Initialiser, ...] | None, span: Span, kind: str = "", plain: str = ""
    ) -> None:  # fmt: skip
        self._elements, self.span, self.kind, self.plain = elements, span, kind, plain

    def __len__(self) -> int:
        return plain_values.length(self.plain) if self._elements is None else len(self._elements)

    @property
    def nested(self) -> bool:
        """Whether the first element is a list."""
        if self.plain:
            return plain_values.depth(self.plain) > 1
        return bool(self.elements) and isinstance(self.elements[0], InitialiserList)

    @property
    def numeric(self) -> bool:
        """Whether it is a plain list of numbers alone."""
        return self.kind in (INTEGERS, SUMS, FLOATS)

    @property
    def names(self) -> list[str]:
        """The names in a plain list."""
        return [] if self.numeric else plain_values.names(self.plain)

    @property
    def numbers(self) -> list[int]:
        """The values of a plain list of integers of one dimension."""
        texts = self.plain[1:-1].replace("U", "").split(",")
        return [int(text, 0) for text in texts] if "x" in self.plain.lower() else list(map(int, texts))

    @property
    def elements(self) -> tuple[Initialiser, ...]:
        """The values, as nodes."""
        if self._elements is None:
            start, depth = self.span[0], plain_values.depth(self.plain)
            if depth == 1:
                values = _SUM if self.kind == SUMS else _VALUE
                found = [_value(match, self.kind, start) for match in values.finditer(self.plain)]
            else:
                rows = _ROWS[depth - 2].finditer(self.plain, 1)
                found = [
                    InitialiserList(None, (start + row.start(), start + row.end()), self.kind, row[0]) for row in rows
                ]
            self._elements = tuple(found)
        return self._elements


def _value(match: re.Match[str], kind: str, start: int) -> Initialiser:
    """A value of a plain list, which begins at `start`."""
    span = start + match.start(), start + match.end()
    if kind == SUMS:
        return Integer(total(match[0]), False, match[0], span, literal=match[0].isdecimal())
    mask, generic, symbol, offset = match.groups()
    if symbol:
        name = Name(symbol, (start + match.start(3), start + match.end(3)))
        masked = plain_integer(mask, (start + match.start(1), start + match.end(1))) if mask else None
        return SymbolAddress(name, int(offset or 0), bool(generic), masked, span)
    return (signed if kind == FLOATS else plain_integer)(match[0], span)


def plain_integer(text: str, span: Span) -> Integer:
    """An integer as `lexical.INITIAL_INTEGER` has it."""
    value = int(text.rstrip("U"), 0)
    return Integer(value, text[-1] == "U" or value >> 63 > 0, text, span, literal=text[0] != "-")


class SymbolAddress:
    """`var`, `var+8`, `generic(var)+8`, `0xFF00(var)`: an address as an initial value. `mask` is None without one."""

    __slots__ = ("generic", "mask", "name", "offset", "span")

    def __init__(self, name: Name, offset: int, generic: bool, mask: Integer | None, span: Span) -> None:
        self.name, self.offset, self.generic, self.mask, self.span = name, offset, generic, mask, span


class MaskedInteger(Integer):
    """`0xFF00(1000 + 546)`: the bits of an integer under a mask, shifted down."""

    __slots__ = ("mask",)

    def __init__(self, number: int, mask: Integer, text: str, span: Span) -> None:
        shift = max((mask.value & -mask.value).bit_length() - 1, 0)
        super().__init__((number & mask.value & (1 << 64) - 1) >> shift, True, text, span, literal=False)
        self.mask = mask


class Member:
    """`addr_mode_0 = clamp_to_border` of a sampler or texture."""

    __slots__ = ("name", "span", "value")

    def __init__(self, name: Name, value: Name | Integer | Float, span: Span) -> None:
        self.name, self.value, self.span = name, value, span


Initialiser = Integer | Float | InitialiserList | SymbolAddress | Member


class Declarator:
    """One name of a declaration: `%r<100>` (count 100), `a[4][]` (dimensions (4, None)), with its initial value."""

    __slots__ = ("count", "dimensions", "initialiser", "name", "span")

    def __init__(
        self, name: Name, count: Integer | None, dimensions: tuple[Integer | None, ...],
        initialiser: Initialiser | None, span: Span,
    ) -> None:  # fmt: skip
        self.name, self.count, self.dimensions = name, count, dimensions
        self.initialiser, self.span = initialiser, span


class Form:
    """How a variable is declared, except its name and the length of a one-dimensional array: one object for all
    variables declared alike, also for several by one declaration."""

    __slots__ = ()


class Variable(Statement):
    """`.visible .global .align 8 .v2 .f32 a[4], b;`, or one parameter of a function, which has a single name.

    `type` is "" if none is written. The `span` of a statement includes its `;`, that of a parameter no comma. A
    declaration like an earlier one has a `form`; `words` are its names, `length` is 0 unless it is a one-dimensional
    array, and `symbols` are the names in its initial value. The rest is parsed on demand.
    """

    __slots__ = (
        "align", "attributes", "bank", "form", "length", "linkage", "names", "pointer", "space", "space_span",
        "symbols", "type", "type_span", "vector", "words",
    )  # fmt: skip

    def __init__(
        self, file: File, span: Span, *, linkage: str, space: str, space_span: Span, bank: Integer | None,
        attributes: tuple[Attribute, ...], align: Integer | None, vector: int, type: str, type_span: Span,
        pointer: Pointer | None, names: tuple[Declarator, ...],
    ) -> None:  # fmt: skip
        self.file, self.span, self.linkage, self.space, self.space_span = file, span, linkage, space, space_span
        self.bank, self.attributes, self.align, self.vector = bank, attributes, align, vector
        self.type, self.type_span, self.pointer, self.names = type, type_span, pointer, names
        self.form: Form | None = None
        self.words: Sequence[str] = ()
        self.length = 0
        self.symbols: Sequence[str] = ()

    if TYPE_CHECKING:
        whole: ClassVar[Callable[[File, int, int], Variable]]
        """Parses a declaration between two offsets. The parser, which imports this module, sets it."""

    @classmethod
    def from_memo(
        cls, file: File, span: Span, form: Form, words: Sequence[str], length: int = 0, symbols: Sequence[str] = ()
    ) -> Variable:  # fmt: skip
        """A declaration in a known form."""
        variable = cls.__new__(cls)
        variable.file, variable.span, variable.form, variable.words = file, span, form, words
        variable.length, variable.symbols = length, symbols
        return variable

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:  # of a slot that is empty
            if name not in Variable.__slots__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            whole = Variable.whole(self.file, *self.span)
            for slot in Variable.__slots__:
                if slot not in ("form", "words", "length", "symbols"):
                    setattr(self, slot, getattr(whole, slot))
            return getattr(self, name)
