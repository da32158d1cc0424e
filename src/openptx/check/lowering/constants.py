"""Constants as the bits of a type: wrapped integers, rounded floats (manual 4.5)."""

from __future__ import annotations

import struct

from openptx.isa.types import Type
from openptx.syntax.operands import Float, Integer

_INFINITY = {"f": 0x7F80_0000, "e": 0x7C00}


def single_bits(value: float) -> int:
    """The `.f32` nearest to a double, as bits; overflow becomes infinity."""
    return _bits("f", "I", value)


def half_bits(value: float) -> int:
    """The `.f16` nearest to a double, as bits; overflow becomes infinity."""
    return _bits("e", "H", value)


def _bits(code: str, raw: str, value: float) -> int:
    try:
        return struct.unpack("<" + raw, struct.pack("<" + code, value))[0]
    except OverflowError:
        return _INFINITY[code] | (value < 0) << (15 if code == "e" else 31)


def float_bits(constant: Float, width: int) -> int:
    """A floating-point constant in a float type of this width. `0f` literals keep their 32 bits as they are, also in
    one of 64 bits: the assembler makes a subnormal number of `mov.f64 d, 0f3F800000`."""
    if width in (constant.width, 64):
        return constant.bits
    return half_bits(constant.value) if width == 16 else single_bits(constant.value)


def constant_bits(constant: Integer | Float, type: Type) -> int:
    """The bits of a constant where the instruction wants this type.

    Integers wrap. A float takes the width of the type, or its own if the type is wider: `mov.b64 d, 1.0`.
    """
    if type.kind == "pred":
        return int(constant.value != 0)
    if isinstance(constant, Integer):
        return constant.value & ((1 << type.width) - 1)
    return float_bits(constant, min(type.width, 64))


def element_bits(constant: Float, type: Type) -> int:
    """The bits of a floating-point constant in a list of this type.

    A list of bits or of unsigned integers takes the low bits of the literal, a double unless it begins with `0f`. Lists
    of signed integers and of narrower types take a zero (measured).
    """
    if type.kind not in "bsu":
        return constant_bits(constant, type)
    return constant.bits & ((1 << type.width) - 1) if type.width >= 32 and type.kind != "s" else 0
