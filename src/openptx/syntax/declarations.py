"""Declarations of variables: spaces, types, names, arrays, parameters, initial values (manual 5.4).

Names of spaces, types, linkage and attributes are stored without their dot.
"""

from __future__ import annotations

import re

from openptx.patterns import pattern
from openptx.syntax.literals import signed
from openptx.syntax.operands import Float, Integer
from openptx.syntax.tree import Lazy, Statement

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from collections.abc import Sequence

    from openptx.source import File, Span
    from openptx.syntax.operands import Name

_NUMBER = pattern(r"-?[0-9](?:[\w.]|(?<=[eE])[-+])*", re.A)


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
    """`{ 1, 2, { 3 } }`. A list of only small integers, or only `floats`, has their text as `plain`.

    Compilers write tables of many thousands: their nodes are created when `elements` is read.
    """

    __slots__ = ("_elements", "floats", "plain", "span")

    def __init__(
        self, elements: tuple[Initialiser, ...] | None, span: Span, plain: str = "", *, floats: bool = False
    ) -> None:
        self._elements, self.span, self.plain, self.floats = elements, span, plain, floats

    def __len__(self) -> int:
        return self.plain.count(",") + 1 if self._elements is None else len(self._elements)

    @property
    def numbers(self) -> list[int]:
        """The values of a plain list of integers."""
        texts = self.plain[1:-1].replace("U", "").split(",")
        return [int(text, 0) for text in texts] if "x" in self.plain.lower() else list(map(int, texts))

    @property
    def elements(self) -> tuple[Initialiser, ...]:
        """The values, as nodes."""
        if self._elements is None:
            start = self.span[0]
            read = signed if self.floats else plain_integer
            self._elements = tuple(
                [read(m[0], (start + m.start(), start + m.end())) for m in _NUMBER.finditer(self.plain)]
            )
        return self._elements


def plain_integer(text: str, span: Span) -> Integer:
    """An integer as `lexical.INITIAL_INTEGER` has it."""
    return Integer(int(text.rstrip("U"), 0), text[-1] == "U", text, span, literal=text[0] != "-")


class SymbolAddress:
    """`var`, `var+8`, `generic(var)+8`, `0xFF00(var)`: an address as an initial value. `mask` is None without one."""

    __slots__ = ("generic", "mask", "name", "offset", "span")

    def __init__(self, name: Name, offset: int, generic: bool, mask: Integer | None, span: Span) -> None:
        self.name, self.offset, self.generic, self.mask, self.span = name, offset, generic, mask, span


class Member:
    """`addr_mode_0 = clamp_to_border` of a sampler or texture."""

    __slots__ = ("name", "span", "value")

    def __init__(self, name: Name, value: Name | Integer, span: Span) -> None:
        self.name, self.value, self.span = name, value, span


Initialiser = Integer | Float | InitialiserList | SymbolAddress | Member


class Declarator:
    """One name of a declaration: `%r<100>` (count 100), `a[4][]` (dimensions (4, None)), with its initial value."""

    __slots__ = ("count", "dimensions", "initialiser", "name", "span")

    def __init__(
        self,
        name: Name,
        count: Integer | None,
        dimensions: tuple[Integer | None, ...],
        initialiser: Initialiser | None,
        span: Span,
    ) -> None:
        self.name, self.count, self.dimensions = name, count, dimensions
        self.initialiser, self.span = initialiser, span


class Form:
    """How a variable is declared, except its name and the length of a one-dimensional array: one object for all
    variables declared alike."""

    __slots__ = ()


class Variable(Statement):
    """`.visible .global .align 8 .v2 .f32 a[4], b;`, or one parameter of a function, which has a single name.

    `type` is "" if none is written. The `span` of a statement includes its `;`, that of a parameter no comma. A
    declaration like an earlier one has a `form`; `word` is its only name, `length` is 0 unless it is a one-dimensional
    array, and `symbols` are the names in its initial value. The rest is parsed on demand.
    """

    __slots__ = (
        "align", "attributes", "bank", "form", "length", "linkage", "names", "pointer", "space", "space_span",
        "symbols", "type", "type_span", "vector", "word",
    )  # fmt: skip

    def __init__(
        self,
        file: File,
        span: Span,
        *,
        linkage: str,
        space: str,
        space_span: Span,
        bank: Integer | None,
        attributes: tuple[Attribute, ...],
        align: Integer | None,
        vector: int,
        type: str,
        type_span: Span,
        pointer: Pointer | None,
        names: tuple[Declarator, ...],
    ) -> None:
        self.file, self.span, self.linkage, self.space, self.space_span = file, span, linkage, space, space_span
        self.bank, self.attributes, self.align, self.vector = bank, attributes, align, vector
        self.type, self.type_span, self.pointer, self.names = type, type_span, pointer, names
        self.form: Form | None = None
        self.word = ""
        self.length = 0
        self.symbols: Sequence[str] = ()

    @classmethod
    def from_memo(
        cls, file: File, span: Span, form: Form, word: str, length: int, symbols: Sequence[str]
    ) -> Variable:  # fmt: skip
        """A declaration in a known form."""
        variable = cls.__new__(cls)
        variable.file, variable.span, variable.form, variable.word = file, span, form, word
        variable.length, variable.symbols = length, symbols
        return variable

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:  # of a slot that is empty
            if name not in Variable.__slots__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            whole = Lazy.variable(self.file, *self.span)
            for slot in Variable.__slots__:
                if slot not in ("form", "word", "length", "symbols"):
                    setattr(self, slot, getattr(whole, slot))
            return getattr(self, name)
