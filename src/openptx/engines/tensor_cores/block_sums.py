"""Sums of block-scaled e2m1 products: exact integers within a block, then truncated terms in f64.

A block's sum is below 2^12, the product of its scales' significands below 2^8, a term below 2^46: so sums are exact.
Cases that are not handled are marked in `rare`, and computed by the definition: scales and addends that are not finite,
and terms so large or so small that a result may not be a normal f32.
"""

from __future__ import annotations

from openptx.engines.tensor_cores.float_sums import DOUBLE, LONG, addend, pairs
from openptx.engines.tensor_cores.scales import POINT, Scales
from openptx.engines.tensor_cores.staging import StagedWords
from openptx.engines.tensor_cores.text import BIT, FLOAT, INT, constant, literal
from openptx.numerics.dot import BLOCK, BLOCK_FRACTION, ZERO
from openptx.numerics.formats import F32

LOWEST, HIGHEST = -90, 112
"""Exponents of the largest term for which every sum is zero or a normal number."""

BELOW = 2 + 2 * POINT
"""Bits below the point of a block's sum (of values that are doubled) times the significands of two scales."""


class BlockSums:
    scales: Scales

    def __init__(self, staged: StagedWords, avx512: bool) -> None:
        self.x, self.p, self.staged, self.avx512 = staged.x, staged.p, staged, avx512
        self.rare = ""

    def result(self, rows: str, columns: str, c: str) -> str:
        """Codes of d, for `c` as codes."""
        x = self.x
        value, top = addend(x, F32, c, ZERO)
        some = x.int("and", c, F32.magnitude)
        terms: list[tuple[str, str]] = []
        words, per = BLOCK // self.p.elements, self.p.words // self.p.scales
        for first in range(0, self.p.words, words):
            i = first // per
            number = x.int("mul", self.block(rows, columns, range(first, first + words)), self.scales.factor(i))
            exponent = self.scales.exponent(i)
            top, some = x.call("smax", top, exponent), x.int("or", some, number)
            terms.append((number, exponent))
        small = x.int("and", x.compare("slt", top, LOWEST), x.compare("ne", some, 0), BIT)
        self.rare = x.int("or", small, x.compare("sgt", top, HIGHEST), BIT)
        top = x.call("smax", top, LOWEST)
        up = x.int("sub", constant(BLOCK_FRACTION, INT), top)
        total = self.scale_and_truncate(x.cast("fpext", value, FLOAT, DOUBLE), up)
        for number, exponent in terms:
            shift = x.int("add", x.int("sub", up, BELOW), exponent)
            term = self.scale_and_truncate(x.cast("sitofp", number, INT, DOUBLE), shift)
            total = x.emit(f"fadd {DOUBLE} {total}, {term}")
        kept = x.int("and", x.cast("bitcast", total, DOUBLE, LONG), -(1 << 52 - F32.man), LONG)
        down = self.power(x.int("sub", constant(0, INT), up))
        scaled = x.emit(f"fmul {DOUBLE} {x.cast('bitcast', kept, LONG, DOUBLE)}, {down}")
        return x.bits(x.float("fadd", x.cast("fptrunc", scaled, DOUBLE, FLOAT), literal(0.0)))

    def block(self, rows: str, columns: str, words: range) -> str:
        """The exact sum of a block's products, times four."""
        total = ""
        for word in words:
            for layer in range(self.staged.layers):
                one = pairs(self.x, *self.staged.pair(layer, word, rows, columns), self.avx512)
                total = self.x.int("add", total, one) if total else one
        return total

    def scale_and_truncate(self, value: str, shift: str) -> str:
        """A value times a power of two, truncated to an integer."""
        x = self.x
        scaled = x.emit(f"fmul {DOUBLE} {value}, {self.power(shift)}")
        return x.emit(f"call {DOUBLE} @llvm.trunc.v16f64({DOUBLE} {scaled})")

    def power(self, exponent: str) -> str:
        """Two to the power of 32-bit integers."""
        x = self.x
        field = x.int("add", x.cast("sext", exponent, INT, LONG), 1023, LONG)
        return x.cast("bitcast", x.int("shl", field, 52, LONG), LONG, DOUBLE)
