"""Literals: integers, floats by value or by bits (manual 4.5.1, 4.5.2), and what a malformed one was meant to be."""

from __future__ import annotations

import math
import re
import struct
import sys

from openptx.diagnostics import SAFE, SUGGESTION, Fix
from openptx.patterns import pattern
from openptx.source import Span
from openptx.syntax.operands import Constant, Float, Integer
from openptx.syntax.tokens import Cursor, Mistake

_INTEGER = pattern(r"(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|(0[0-7]*)|([1-9][0-9]*))(U?)", re.A)
_BITS = pattern(r"0(?:[fF]([0-9a-fA-F]{8})|[dD]([0-9a-fA-F]{16}))", re.A)
_DECIMAL = pattern(r"(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?", re.A)
_FLOATING = pattern(r"0[fFdD]|[0-9]*\.|[0-9]+[eE]", re.A)
_SIGNIFICANT = pattern(r"[0.]*[1-9]", re.A)
_MASK = (1 << 64) - 1
_SHORT = 19  # characters; a decimal integer with fewer fits 63 bits
_SHORT_OF = {2: 64, 8: 21, 10: 19, 16: 16}  # how many digits, by base, certainly fit 64 bits


def literal(text: str, span: Span) -> Constant | None:
    """The constant that a literal denotes; None if it is malformed."""
    if len(text) < _SHORT and text.isdigit() and (text[0] != "0" or text == "0"):
        return Integer(int(text), False, text, span)
    if match := _INTEGER.fullmatch(text):
        return _integer_literal(match, span)
    if match := _BITS.fullmatch(text):
        single, double = match.groups()
        return Float(int(single or double, 16), 32 if single else 64, text, span)
    if _DECIMAL.fullmatch(text):
        value = float(text)
        if value == math.inf or (value < sys.float_info.min and _SIGNIFICANT.match(text)):
            return None
        return Float(double_bits(value), 64, text, span)
    return None


def signed(text: str, span: Span) -> Float:
    """A floating-point number as `lexical.FLOAT` has it, with its sign."""
    found = literal(text.lstrip("-"), span)
    assert isinstance(found, Float)
    return Float(found.bits ^ 1 << 63, 64, text, span, literal=False) if text[0] == "-" else found


def _integer_literal(match: re.Match[str], span: Span) -> Integer | None:
    """An integer; None if the assembler rejects it. It accumulates digits in 64 bits, and rejects a digit that follows
    a value of more than 63 bits (measured, ptxas 13.5)."""
    hexadecimal, binary, octal, decimal, suffix = match.groups()
    base = 16 if hexadecimal else 2 if binary else 8 if octal else 10
    digits = (hexadecimal or binary or octal or decimal).lstrip("0")
    unsigned, overflow = bool(suffix), False
    if len(digits) <= _SHORT_OF[base]:
        value = int(digits or "0", base)
    else:
        value = 0
        for digit in digits:
            if value >> 63:
                return None
            value = value * base + int(digit, base)
            overflow, value = overflow or value > _MASK, value & _MASK
    return Integer(value, unsigned or value >> 63 != 0 or overflow, match[0], span, overflow=overflow)


def double_bits(value: float) -> int:
    """The bits of a double."""
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def malformed(c: Cursor) -> Mistake:
    """The error that a number is malformed, with what it was probably meant to be."""
    text = c.word
    about = "invalid-float" if _FLOATING.match(text) else "invalid-integer"
    meant, applicability = _meant(text)
    fix = Fix(c.span, meant, f"write `{meant}`", applicability) if meant else None
    help = number_advice(text) or ("a name begins with a letter, `_`, `$` or `%`" if text.isalnum() else None)
    return c.mistake(about, f"`{text}` is not a number", c.span, help=help, fix=fix)


def _meant(text: str) -> tuple[str, str]:
    """The certain or probable meaning of a malformed literal: `1000`, `1.5e0`."""
    if re.fullmatch(r"[1-9][0-9]*(?:_[0-9]+)+", text):
        return text.replace("_", ""), SAFE
    if re.fullmatch(r"[0-9]++\.?[0-9]*+[eE]", text):
        return f"{text}0", SUGGESTION
    if re.fullmatch(r"[0-9]+\.[0-9]*[fFlL]|[0-9]+[fF]", text) and text[:2].lower() != "0f":
        return text[:-1] if "." in text else f"{text[:-1]}.0", SAFE
    if _SMALL_SUFFIX.fullmatch(text):
        return f"{text[:-1]}U", SAFE
    if _PLAIN_BITS.fullmatch(text) and text[:2].lower() not in ("0f", "0d"):
        return f"0{'f' if len(text) == 8 else 'd'}{text}", SUGGESTION
    if (suffixed := _SUFFIXED.fullmatch(text)) is not None:
        return suffixed[1], SUGGESTION
    return "", SUGGESTION


_SMALL_SUFFIX = pattern(r"[0-9]+u|0x[0-9a-f]+u|0b[01]+u")
_SUFFIXED = pattern(r"([1-9][0-9]*(?![dDbB])|[0-9]+\.[0-9]+)[dDhHiIsSbB][0-9]{0,2}")
"""A number with the suffix of another language: `1.0d`, `5i`, `1i32`."""
_PLAIN_BITS = pattern(r"[0-9](?:[0-9a-fA-F]{7}|[0-9a-fA-F]{15})")
"""The bits of a float without the `0f` or `0d` before them."""


def number_advice(text: str) -> str | None:
    """Why a text is not a literal, and what to write instead; None if it is like no other language's."""
    lower = text.lower()
    if _SMALL_SUFFIX.fullmatch(text):
        return f"the suffix of an unsigned integer is a capital letter: `{text[:-1]}U`"
    if "_" in text:
        return "digits are written without separators"
    if lower[-1] == "e" and _meant(text)[0]:
        return "an exponent has digits"
    if _INTEGER.fullmatch(text):
        return "an integer constant has at most 64 bits"
    if _DECIMAL.fullmatch(text):
        return "its magnitude is not a normal double; write the bits instead, as `0d` and 16 hexadecimal digits"
    if re.fullmatch(r"0[0-9]+U?", text):
        return f"an integer that starts with 0 is octal, of the digits 0 to 7; in decimal it is `{text.lstrip('0')}`"
    if lower.startswith("0f"):
        return f"`0f` is followed by exactly 8 hexadecimal digits, the bits of an `.f32`; these are {len(text) - 2}"
    if lower.startswith("0d"):
        return f"`0d` is followed by exactly 16 hexadecimal digits, the bits of an `.f64`; these are {len(text) - 2}"
    if lower.startswith("0b"):
        return "`0b` is followed by the digits 0 and 1"
    if lower.startswith("0x"):
        return "`0x` is followed by hexadecimal digits"
    if re.fullmatch(r"[0-9.]+(?:e[-+]?[0-9]+)?[fl]", lower):
        return f"a floating-point literal has no suffix: `{_meant(text)[0] or text[:-1]}`"
    if re.fullmatch(r"[0-9]+(?:u?ll?|ll?u)", lower):
        return (
            f"an integer has 64 bits, and the only suffix is `U`: `{lower.rstrip('lu')}{'U' if 'u' in lower else ''}`"
        )
    if _PLAIN_BITS.fullmatch(text):
        return f"the bits of a float begin with `0f` or `0d`: `{_meant(text)[0]}`; a hexadecimal integer with `0x`"
    if re.fullmatch(r"[0-9][0-9a-f]*", lower):
        return f"a hexadecimal integer begins with `0x`: `0x{text}`"
    return "a number has no suffix but the `U` of an unsigned integer" if _SUFFIXED.fullmatch(text) else None
