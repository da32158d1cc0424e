"""Decodes the elements of words: their values as f32, and the exponents of all elements of a word at once."""

from __future__ import annotations

from openptx.engines.tensor_cores.text import INT, LANES, Text, constant, literal
from openptx.numerics import Format
from openptx.numerics.dot import Factors


class Exponents:
    """Biased exponents, packed like the elements. Those of two factors are added; the largest sum aligns the terms.

    The exponent of zero is so small that no sum with it reaches `LEAST`, the smallest sum of two numbers. That of
    infinities and NaN is so large that every sum with it is above `most`, the largest of two numbers, for any other
    factor.
    """

    LEAST = 2

    def __init__(self, width: int) -> None:
        self.width = width
        self.type = f"<{LANES * 32 // width} x i{width}>"
        self.zero, self.broken, self.most = (-30, 96, 62) if width == 8 else (-1024, 4096, 508)
        # The sum of two that are not finite is beyond eight bits.
        self.add = "sadd.sat" if width == 8 else ""

    def of(self, x: Text, f: Factors, words: str) -> str:
        """The exponents of the elements of each word."""
        k, t = format_of(f), self.type
        low = f.low + k.low
        packed = x.cast("bitcast", words, INT, t)
        size = x.int("and", x.int("lshr", packed, low, t) if low else packed, k.magnitude, t)
        e = x.call("umax", x.int("lshr", size, k.man, t), 1, t)
        e = x.select(x.compare("eq", size, 0, t), self.zero, e, t)
        if k.largest < k.magnitude:
            e = x.select(x.compare("ugt", size, k.largest, t), self.broken, e, t)
        return x.cast("bitcast", e, t, INT)

    def sum(self, x: Text, a: str, b: str) -> str:
        a, b = (x.cast("bitcast", v, INT, self.type) for v in (a, b))
        return x.call(self.add, a, b, self.type) if self.add else x.int("add", a, b, self.type)

    def largest(self, x: Text, packed: str, chosen: list[int]) -> str:
        """The largest of some of the exponents of each word, in 32 bits."""
        words = x.cast("bitcast", packed, self.type, INT)
        found = [x.int("ashr", x.int("shl", words, 32 - self.width * (i + 1)), 32 - self.width) for i in chosen]
        top = found[0]
        for e in found[1:]:
            top = x.call("smax", top, e)
        return top


def format_of(f: Factors) -> Format:
    assert f.format is not None
    return f.format


def value(x: Text, f: Factors, words: str, i: int) -> str:
    """Element `i` of each word as f32; infinities and NaN give any number."""
    k = format_of(f)
    return decoded(x, k, words, i * f.width + f.low + k.low)


def decoded(x: Text, k: Format, words: str, low: int) -> str:
    """Codes of a format that has zero and subnormal numbers, which begin at bit `low` of each word, as f32."""
    size = x.int("and", x.int("lshr", words, low) if low else words, k.magnitude)
    up = 31 - (low + k.width - 1)
    sign = x.int("and", x.int("shl", words, up) if up else words, -(1 << 31))
    bits = x.int("shl", size, 23 - k.man) if k.man < 23 else size
    if k.bias != 127:
        # A subnormal number is 1.m with the smallest exponent, minus the 1.
        bits = x.int("add", bits, 127 - k.bias << 23)
        rest = x.float("fsub", x.number(x.int("add", bits, 1 << 23)), literal(2.0 ** (1 - k.bias)))
        bits = x.select(x.compare("ult", size, k.hidden), x.bits(rest), bits)
    return x.number(x.int("or", bits, sign))


def integers(x: Text, f: Factors, words: str) -> tuple[str, str]:
    """The bytes of words, the even and the odd ones, as 16-bit integers."""
    t = f"<{2 * LANES} x i16>"
    pairs = x.cast("bitcast", words, INT, t)
    if f.negative:
        even, odd = x.int("ashr", x.int("shl", pairs, 8, t), 8, t), x.int("ashr", pairs, 8, t)
    else:
        even, odd = x.int("and", pairs, 255, t), x.int("lshr", pairs, 8, t)
    return x.cast("bitcast", even, t, INT), x.cast("bitcast", odd, t, INT)


PAIRS = 4
"""For 4-bit elements in a word: element `i` and element `i` + 4."""


def doubled(x: Text, words: str, i: int) -> str:
    """Twice the values of e2m1 codes `i` and `i` + 4 of each word, as 16-bit integers."""
    t = f"<{2 * LANES} x i16>"
    code = x.int("and", x.int("lshr", words, 4 * i) if i else words, 0x000F000F)
    code = x.cast("bitcast", code, INT, t)
    field, low = x.int("and", x.int("lshr", code, 1, t), 3, t), x.int("and", code, 1, t)
    normal = x.int("shl", x.int("or", low, 2, t), x.int("and", x.int("sub", field, 1, t), 3, t), t)
    size = x.select(x.compare("eq", field, 0, t), low, normal, t)
    negative = x.compare("ugt", code, 7, t)
    return x.cast("bitcast", x.select(negative, x.int("sub", constant(0, t), size, t), size, t), t, INT)
