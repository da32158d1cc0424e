"""Values of expressions that have a type of PTX."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from fractions import Fraction

from openptx.errors import InputError
from openptx.isa.types import Type
from openptx.numerics.codec import FINITE, INFINITE, NAN, Value, decode, encode
from openptx.numerics.formats import FORMATS
from openptx.trace.values import NATIVE, show


@dataclass(frozen=True, slots=True)
class TypedBits:
    """Bits of a type. `undefined`: the thread has not written them. `name`: an enumerator, or an address in
    hexadecimal."""

    bits: int
    type: Type
    undefined: bool = False
    name: str = ""

    @property
    def number(self) -> bool | int | float:
        """The operand for arithmetic: integers of untyped bits are unsigned, and so are packed values."""
        if self.type.kind == "pred":
            return bool(self.bits & 1)
        if self.type.name in NATIVE:
            code, value, _ = NATIVE[self.type.name]
            return struct.unpack(value, struct.pack(code, self.bits))[0]
        if self.type.format in FORMATS and self.type.count == 1:
            return as_float(decode(FORMATS[self.type.format], self.bits))
        if self.type.signed and self.bits >> self.type.width - 1:
            return self.bits - (1 << self.type.width)
        return self.bits

    def __str__(self) -> str:
        text = self.name or show(self.bits, self.type)
        return f"{text} (undefined: this thread has not written it)" if self.undefined else text


@dataclass(frozen=True, slots=True)
class Array:
    """A variable in memory: `count` elements of a type from an address of its state space on, in rows of `shape`."""

    name: str
    space: str
    address: int
    type: Type
    count: int
    shape: tuple[int, ...]


def bits_for(value: object, type: Type) -> int:
    """The bits of a number in a type. TypedBits of the same width keep theirs if either type is untyped.

    Numbers are rounded to nearest in floating-point types, and must be in the range of integer ones; those of untyped
    bits are signed or unsigned. Raises InputError for values that the type cannot represent.
    """
    if isinstance(value, TypedBits):
        untyped = "b" in (value.type.kind, type.kind) or type.count > 1 or value.type.count > 1
        if value.type.name == type.name or (untyped and value.type.width == type.width):
            return value.bits
        value = value.number
    if not isinstance(value, int | float):
        raise InputError(f"a .{type.name} is a number or a value of the same width")
    if type.kind == "pred":
        return int(bool(value))
    if type.format in FORMATS and type.count == 1:
        return encode(FORMATS[type.format], exact(value))
    if isinstance(value, float) and not value.is_integer():
        raise InputError(f"{value} is not an integer: `f{type.width}({value})` is its bits")
    number, width = int(value), type.width
    least = 0 if type.kind == "u" else -(1 << width - 1)
    most = (1 << width - 1) - 1 if type.signed else (1 << width) - 1
    if not least <= number <= most:
        raise InputError(f"{number} is not in the range of .{type.name}, {least} to {most}")
    return number & (1 << width) - 1


def exact(number: float) -> Value:
    """A Python number as a value of a number format."""
    negative = math.copysign(1, number) < 0
    if math.isnan(number):
        return Value(NAN, negative)
    return Value(INFINITE, negative) if math.isinf(number) else Value(FINITE, negative, abs(Fraction(number)))


def as_float(value: Value) -> float:
    """A value of a number format as a Python number."""
    magnitude = float(value.magnitude) if value.kind == FINITE else math.inf if value.kind == INFINITE else math.nan
    return -magnitude if value.sign else magnitude
