"""The values in `// run:` lines: conversion from PTX or Python spelling to register bits, and comparison of results."""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass

from openptx.errors import InputError

# fmt: off
#             bits  struct codes of the float and of its bits
FLOATS = {
    "f16":   (16,  "<e", "<H"),
    "f32":   (32,  "<f", "<I"),
    "f64":   (64,  "<d", "<Q"),
}
WIDTHS = {
    "pred": 1, "b8": 8, "b16": 16, "b32": 32, "b64": 64, "b128": 128, "f16": 16, "f32": 32, "f64": 64, "f16x2": 32,
    "u8": 8, "u16": 16, "u32": 32, "u64": 64, "s8": 8, "s16": 16, "s32": 32, "s64": 64,
}
FLOAT_OF_BITS = {"b32": "f32", "b64": "f64"}  # the meaning of a decimal float for an untyped register
# fmt: on
INTEGER = re.compile(r"[-+]?(0[xX][\da-fA-F]+|0[bB][01]+|0[0-7]*|[1-9]\d*)U?")
EXACT = re.compile(r"0([fF])([\da-fA-F]{8})|0([dD])([\da-fA-F]{16})")
WORDS = {"true": 1, "false": 0}


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The tolerance for a float: `ulps` steps between neighbours, or `absolute`."""

    ulps: int = 0
    absolute: float = 0.0


def is_nan_word(text: str) -> bool:
    """`nan`, with or without sign: any NaN as a result, the canonical one as an argument."""
    return text.lower().lstrip("+-") == "nan"


def bits_of(text: str, type: str) -> int:
    """The bits of a value in a register of this type. In float types only hexadecimal integers denote their bits.
    Raises InputError if the type has no such value."""
    width = WIDTHS[type]
    if type == "pred" and text in WORDS:
        return WORDS[text]
    format = FLOAT_OF_BITS.get(type, type)
    if exact := EXACT.fullmatch(text):
        return exact_bits(exact, format, text)
    if INTEGER.fullmatch(text) and (type not in FLOATS or text.lower().startswith("0x")):
        return integer_bits(text, width)
    if format in FLOATS:
        try:
            return encode(float(text), format)
        except ValueError:
            pass
    raise InputError(f"`{text}` is not a value of type .{type}")


def exact_bits(match: re.Match[str], format: str, text: str) -> int:
    """`0f...` and `0d...`, rounded to nearest if the type is narrower."""
    if match[1]:
        return int(match[2], 16) if format == "f32" else encode(decode(int(match[2], 16), "f32"), checked(format, text))
    return int(match[4], 16) if format == "f64" else encode(decode(int(match[4], 16), "f64"), checked(format, text))


def checked(format: str, text: str) -> str:
    """The name of a float format; `InputError` for other types."""
    if format not in FLOATS:
        raise InputError(f"`{text}` is not a value of type .{format}")
    return format


def integer_bits(text: str, width: int) -> int:
    """An integer in PTX's spelling (`017` is octal), wrapped into its register. Raises InputError if it does not
    fit."""
    digits = text.rstrip("U")
    sign, digits = (-1, digits[1:]) if digits.startswith("-") else (1, digits.lstrip("+"))
    octal = len(digits) > 1 and digits.isdigit() and digits.startswith("0")
    value = sign * int(digits, 8 if octal else 0)
    if not -(1 << max(width - 1, 0)) <= value < 1 << width:
        raise InputError(f"`{text}` does not fit {width} bits")
    return value % (1 << width)


def encode(value: float, format: str) -> int:
    """The bits of the nearest float; infinity on overflow."""
    _, code, bits = FLOATS[format]
    try:
        data = struct.pack(code, value)
    except OverflowError:
        data = struct.pack(code, math.copysign(math.inf, value))
    return struct.unpack(bits, data)[0]


def decode(bits: int, format: str) -> float:
    """The value of a float's bits."""
    _, code, integer = FLOATS[format]
    return struct.unpack(code, struct.pack(integer, bits))[0]


def agrees(bits: int, text: str, type: str, tolerance: Tolerance) -> bool:
    """Whether a result matches a `// run:` line."""
    format = FLOAT_OF_BITS.get(type, type)
    if is_nan_word(text):
        return format in FLOATS and math.isnan(decode(bits, format))
    wanted = bits_of(text, type)
    if bits == wanted or format not in FLOATS or tolerance == Tolerance():
        return bits == wanted
    got, value = decode(bits, format), decode(wanted, format)
    if math.isnan(got) or math.isnan(value):
        return False
    return abs(order(bits, format) - order(wanted, format)) <= tolerance.ulps or abs(got - value) <= tolerance.absolute


def order(bits: int, format: str) -> int:
    """An integer that numbers floats from minus to plus infinity, with both zeros at 0."""
    width = FLOATS[format][0]
    sign = bits >> width - 1
    magnitude = bits - (sign << width - 1)
    return -magnitude if sign else magnitude


def format_bits(bits: int, type: str) -> str:
    """Bits in readable form: `0x3f800000 (1.0)`."""
    width = WIDTHS[type]
    plain = f"0x{bits:0{(width + 3) // 4}x}"
    if type in FLOATS:
        return f"{plain} ({decode(bits, type)!r})"
    if type.startswith("s") and bits >> width - 1:
        return f"{plain} ({bits - (1 << width)})"
    return f"{plain} ({bits})"
