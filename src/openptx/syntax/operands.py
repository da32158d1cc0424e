"""The operands of an instruction as a tree. Every node knows its `text` and its `span` in the file."""

from __future__ import annotations

import struct

from openptx.source import Span


class Node:
    """Common attributes of all operands."""

    __slots__ = ("span", "text")

    span: Span
    text: str

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r})"


class Name(Node):
    """An identifier: register, variable, label, function, special register. `count`: `name<4>` in a list of targets."""

    __slots__ = ("count",)

    def __init__(self, text: str, span: Span, count: int | None = None) -> None:
        self.text, self.span, self.count = text, span, count


class Sink(Node):
    """`_`: discards a result."""

    __slots__ = ()

    def __init__(self, span: Span) -> None:
        self.text, self.span = "_", span


class Integer(Node):
    """An integer constant, literal or folded: `value` is in the range of `.s64`, or of `.u64` where `unsigned`.

    `overflow`: the literal has more than 64 bits, and `value` is the low 64, as in the assembler.
    """

    __slots__ = ("literal", "overflow", "unsigned", "value")

    def __init__(
        self, value: int, unsigned: bool, text: str, span: Span, literal: bool = True, overflow: bool = False
    ) -> None:
        self.value, self.unsigned, self.text, self.span = value, unsigned, text, span
        self.literal, self.overflow = literal, overflow


class Float(Node):
    """A floating-point constant, literal or folded, as raw bits. `width` is 32 for `0f...` literals, else 64."""

    __slots__ = ("bits", "literal", "width")

    def __init__(self, bits: int, width: int, text: str, span: Span, literal: bool = True) -> None:
        self.bits, self.width, self.text, self.span, self.literal = bits, width, text, span, literal

    @property
    def value(self) -> float:
        """The value as a Python float."""
        code, raw = ("<d", "<Q") if self.width == 64 else ("<f", "<I")
        return struct.unpack(code, struct.pack(raw, self.bits))[0]


Constant = Integer | Float
"""A constant expression (manual 4.5.4), folded; `literal` says whether it is written as a single literal."""


class Selector(Node):
    """One component: `v.x`, `%tid.y`, `a.b0`. `field` has no dot."""

    __slots__ = ("base", "field")

    def __init__(self, base: Name, field: str, text: str, span: Span) -> None:
        self.base, self.field, self.text, self.span = base, field, text, span


class Sum(Node):
    """A name and a constant outside brackets: `var+4`."""

    __slots__ = ("base", "offset")

    def __init__(self, base: Name, offset: Integer, text: str, span: Span) -> None:
        self.base, self.offset, self.text, self.span = base, offset, text, span


class Subscript(Node):
    """An array element: `a[i]`, `a[3]`, `a[i+1]`."""

    __slots__ = ("base", "index")

    def __init__(self, base: Name, index: Operand, text: str, span: Span) -> None:
        self.base, self.index, self.text, self.span = base, index, text, span


class Address(Node):
    """`[base+offset]`, `[base]`, `[64]`, and with further `parts` `[tensor, {x, y}]`; `suffix` is `unified` or ""."""

    __slots__ = ("base", "offset", "parts", "suffix")

    def __init__(
        self, base: Operand, offset: Integer | None, parts: tuple[Operand, ...], suffix: str, text: str, span: Span
    ) -> None:
        self.base, self.offset, self.parts, self.suffix, self.text, self.span = base, offset, parts, suffix, text, span


class Vector(Node):
    """`{a, b, c, d}`."""

    __slots__ = ("elements",)

    def __init__(self, elements: tuple[Operand, ...], text: str, span: Span) -> None:
        self.elements, self.text, self.span = elements, text, span


class Pair(Node):
    """`p|q`, where either may be `_`."""

    __slots__ = ("first", "second")

    def __init__(self, first: Operand, second: Operand, text: str, span: Span) -> None:
        self.first, self.second, self.text, self.span = first, second, text, span


class Negated(Node):
    """`!p`: the complement of a predicate."""

    __slots__ = ("operand",)

    def __init__(self, operand: Operand, text: str, span: Span) -> None:
        self.operand, self.text, self.span = operand, text, span


class Minus(Node):
    """`-a`: the negative of a register, in video instructions."""

    __slots__ = ("operand",)

    def __init__(self, operand: Operand, text: str, span: Span) -> None:
        self.operand, self.text, self.span = operand, text, span


class Arguments(Node):
    """`(a, b)`: the arguments or the results of a call."""

    __slots__ = ("elements",)

    def __init__(self, elements: tuple[Operand, ...], text: str, span: Span) -> None:
        self.elements, self.text, self.span = elements, text, span


Operand = (
    Name | Sink | Integer | Float | Selector | Sum | Subscript | Address | Vector | Pair | Negated | Minus | Arguments
)
