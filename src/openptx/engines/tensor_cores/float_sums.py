"""Sums of products for sixteen results at once. Terms are truncated at a position that each result's largest term
determines, and added exactly as 32-bit integers.

Cases that are not handled are marked in `rare`, and computed by the definition: infinities and NaN, sums so large or so
small that f32 cannot represent their terms' scales, and sums beyond 32 bits.
"""

from __future__ import annotations

from openptx.engines.tensor_cores.elements import Exponents, decoded, format_of
from openptx.engines.tensor_cores.scales import BROKEN, Scales
from openptx.engines.tensor_cores.staging import StagedWords
from openptx.engines.tensor_cores.text import BIT, FLOAT, INT, LANES, Text, constant, literal
from openptx.numerics import Format
from openptx.numerics.dot import ZERO, ZERO_ADDEND
from openptx.numerics.formats import F16, F32

LOWEST, HIGHEST = -90, 120
"""Exponents of a sum's largest term for which all scales and products are f32, or too small to count."""

TOWARDS_ZERO = 11  # _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC
DOUBLE, LONG = f"<{LANES} x double>", f"<{LANES} x i64>"
HALF, SHORT = f"<{LANES} x half>", f"<{LANES} x i16>"


class FloatSums:
    scales: Scales | None = None
    """The scales of the current vector, if the product has any."""

    def __init__(self, staged: StagedWords, avx512: bool) -> None:
        self.x, self.p, self.staged, self.avx512 = staged.x, staged.p, staged, avx512
        assert staged.exponents is not None
        self.exponents: Exponents = staged.exponents
        self.rare = ""

    def result(self, rows: str, columns: str, c: str) -> str:
        """Codes of d, for `c` as codes in words."""
        x, p = self.x, self.p
        h, d = p.h or F32, p.d or F32
        first = addend(x, h, c, ZERO if p.scale is not None else ZERO_ADDEND)
        if not p.halves:
            return self.codes(d, self.sum(rows, columns, list(range(p.elements)), *first))
        self.rare = x.compare("sgt", first[1], HIGHEST)
        total, e = literal(0.0), f"splat (i32 {ZERO_ADDEND})"
        for chosen in ([0, 1], [2, 3]):
            code = self.codes(d, self.sum(rows, columns, chosen, total, e))
            total, e = addend(x, d, code)
        self.mark(x.compare("sgt", e, HIGHEST))
        return self.codes(d, self.plus_zero(x.float("fadd", first[0], total)))

    def largest_product(self, rows: str, columns: str, chosen: list[int]) -> str:
        x, t = self.x, self.exponents.type
        top = ""
        for word in range(self.p.words):
            one = self.exponents.sum(x, *self.staged.pair(0, word, rows, columns))
            top = x.call("smax", top, one, t) if top else one
        return self.exponents.largest(x, top, chosen)

    def sum(self, rows: str, columns: str, chosen: list[int], c: str, of_c: str) -> str:
        """`c` plus the products of the chosen elements of each word: truncated, or for f16 rounded to odd, to f32."""
        x, p = self.x, self.p
        product = self.largest_product(rows, columns, chosen)
        some = x.compare("sge", product, Exponents.LEAST)
        bias = format_of(p.f).bias + format_of(p.g).bias
        largest, extra = x.int("sub", product, bias), ""
        if self.scales is not None:
            extra = self.scales.exponent(0)
            self.mark(x.compare("sgt", extra, BROKEN // 2))
            largest = x.int("add", largest, extra)
        top = x.select(some, x.call("smax", largest, of_c), of_c)
        self.mark(x.compare("sgt", top, HIGHEST))
        self.mark(x.compare("sgt", product, self.exponents.most))
        self.mark(x.int("and", some, x.compare("slt", top, LOWEST), BIT))
        top = x.call("smax", top, LOWEST)
        field = x.int("sub", constant(127 + p.fraction, INT), top)
        up = up_scaled = x.number(x.int("shl", field, 23))
        if extra:  # if it is too small no term counts, and if it is too large all are zero
            scaled = x.call("smin", x.call("smax", x.int("add", field, extra), 1), 254)
            up_scaled = x.number(x.int("shl", scaled, 23))
        terms = [self.term(rows, columns, i, word, up_scaled) for word in range(p.words) for i in chosen]
        terms.append(self.scale_to_integer(c, up))
        number = self.narrowed(self.total(terms))
        down = x.number(x.int("shl", x.int("add", top, 127 - p.fraction), 23))
        # If all products are zero, c may be too small for the scale, and is the sum itself, truncated if it is longer.
        if p.fraction < F32.man:
            c = x.number(x.int("and", x.bits(c), -(1 << F32.man - p.fraction)))
        return self.plus_zero(x.select(some, x.float("fmul", number, down), c, FLOAT))

    def term(self, rows: str, columns: str, i: int, word: int, up: str) -> str:
        return self.scale_to_integer(self.x.float("fmul", *self.staged.pair(1 + i, word, rows, columns, FLOAT)), up)

    def scale_to_integer(self, v: str, up: str) -> str:
        return self.x.cast("fptosi", self.x.float("fmul", v, up), FLOAT, INT)

    def total(self, terms: list[str]) -> str:
        """Terms are below 2^(fraction + 2): this many of them do not overflow; for more, overflow is checked."""
        x, together = self.x, max(1 << 29 - self.p.fraction, 1)
        sums: list[str] = []
        for start in range(0, len(terms), together):
            one = terms[start]
            for term in terms[start + 1 : start + together]:
                one = x.int("add", one, term)
            sums.append(one)
        total = sums[0]
        for one in sums[1:]:
            both = x.int("add", total, one)
            wrapped = x.int("and", x.int("xor", total, both), x.int("xor", one, both))
            self.mark(x.compare("slt", wrapped, 0))
            total = both
        return total

    def narrowed(self, total: str) -> str:
        """An integer as f32, truncated; for f16, with the lowest bit set if the result is inexact."""
        x = self.x
        if self.avx512:
            name = "@llvm.x86.avx512.sitofp.round.v16f32.v16i32"
            number = x.emit(f"call {FLOAT} {name}({INT} {total}, i32 {TOWARDS_ZERO})")
        else:
            wide = x.cast("bitcast", x.cast("sitofp", total, INT, DOUBLE), DOUBLE, LONG)
            kept = x.cast("bitcast", x.int("and", wide, -(1 << 29), LONG), LONG, DOUBLE)
            number = x.cast("fptrunc", kept, DOUBLE, FLOAT)
        if self.p.d is F32:
            return number
        lost = x.compare("ne", x.cast("fptosi", number, FLOAT, INT), total)
        return x.number(x.int("or", x.bits(number), x.cast("zext", lost, BIT, INT)))

    def plus_zero(self, v: str) -> str:
        """The value, with zero made positive."""
        return self.x.float("fadd", v, literal(0.0))

    def codes(self, d: Format, v: str) -> str:
        x = self.x
        if d is F32:
            return x.bits(v)
        assert d is F16
        half = x.cast("bitcast", x.cast("fptrunc", v, FLOAT, HALF), HALF, SHORT)
        code = x.cast("zext", half, SHORT, INT)
        return x.select(x.compare("eq", code, 0x8000), 0, code)

    def mark(self, p: str) -> None:
        self.rare = self.x.int("or", self.rare, p, BIT) if self.rare else p


def addend(x: Text, h: Format, c: str, zero: int = ZERO_ADDEND) -> tuple[str, str]:
    """The addend's value, and its exponent in the sum: `zero` for zero, a large one for infinities and NaN."""
    size = x.int("and", c, h.magnitude)
    e = x.int("sub", x.call("umax", x.int("lshr", size, h.man), 1), h.bias)
    e = x.select(x.compare("ugt", size, h.largest), 1 << 10, e)
    e = x.select(x.compare("eq", size, 0), zero, e)
    return (x.number(c) if h is F32 else decoded(x, h, c, 0)), e


def pairs(x: Text, a: str, b: str, avx512: bool) -> str:
    """The sums of two 16-bit products each."""
    t = f"<{2 * LANES} x i16>"
    a, b = (x.cast("bitcast", v, INT, t) for v in (a, b))
    if avx512:
        return x.emit(f"call {INT} @llvm.x86.avx512.pmaddw.d.512({t} {a}, {t} {b})")
    wide = f"<{2 * LANES} x i32>"
    products = x.int("mul", x.cast("sext", a, t, wide), x.cast("sext", b, t, wide), wide)
    even, odd = (x.shuffle(wide, products, "poison", range(i, 2 * LANES, 2)) for i in (0, 1))
    return x.int("add", even, odd)


class IntegerSums:
    """Exact sums of products of bytes: 128 of them do not overflow."""

    rare = ""
    scales: Scales | None = None

    def __init__(self, staged: StagedWords, avx512: bool) -> None:
        self.x, self.p, self.staged, self.avx512 = staged.x, staged.p, staged, avx512

    def result(self, rows: str, columns: str, c: str) -> str:
        x = self.x
        total = "zeroinitializer"
        for word in range(self.p.words):
            for layer in (0, 1):
                total = x.int("add", total, pairs(x, *self.staged.pair(layer, word, rows, columns), self.avx512))
        return x.call("sadd.sat", c, total) if self.p.satfinite else x.int("add", c, total)
