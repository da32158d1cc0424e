"""Sums of products as in tensor cores: all terms truncated at one position, added exactly, rounded once.

The model is MMA-Sim's of Hopper and Blackwell (arXiv 2511.10909), which reproduces these devices bit for bit. Products
are exact; every term is truncated towards zero at `fraction` bits below the largest exponent among the products and the
addend. The exponent of a product is the sum of its factors' exponents, where a subnormal factor has the format's
smallest exponent; that of a product that is zero never is the largest (H100), and that of an addend that is zero is
-133 (H100: docs/hardware.md; -126 where products are scaled, which sm_90 does not have). f32 results are truncated
towards zero (but overflow gives infinity), f16 results rounded to nearest. A zero is positive, NaN canonical.
"""

from __future__ import annotations

from openptx.numerics.approximate import Approximate
from openptx.numerics.bits import Bits, S
from openptx.numerics.formats import E2M1, F32, F64, Format
from openptx.numerics.reals import Real
from openptx.numerics.words import lowest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Registers = tuple[Bits, ...]
    Tile = tuple[tuple[Bits, ...], ...]
    Scales = tuple[Format, tuple[Bits, ...], tuple[Bits, ...]]  # of a lane's rows, and of its columns

FRACTION = 25  # bits kept below the largest exponent
BLOCK_FRACTION = 35  # the same where blocks of e2m1 are scaled
BLOCK = 16  # products of e2m1 that are added exactly before they are scaled
ZERO = -126  # the exponent of zero as a factor
ZERO_ADDEND = -133  # and as an addend
NEVER = -(1 << 12)  # so small that a product with zero never has the largest exponent
POINT = 62  # bits below the point of a product of two significands of 32 bits


class Factors:
    """How the elements of a matrix lie in registers: `width` bits each, lowest first, `low` padding bits below.

    `format` is that of a float; None means an integer, signed if `negative`.
    """

    __slots__ = ("format", "low", "negative", "width")

    def __init__(self, width: int, format: Format | None = None, negative: bool = False, low: int = 0) -> None:
        self.width, self.format, self.negative, self.low = width, format, negative, low

    def _facts(self) -> tuple[object, ...]:
        return (self.width, self.format, self.negative, self.low)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Factors) and self._facts() == other._facts()

    def __hash__(self) -> int:
        return hash(self._facts())

    def __repr__(self) -> str:
        return f"Factors({self.width}, {self.format}, {self.negative}, {self.low})"


E2M1X8 = Factors(4, E2M1)


class Terms:
    """The terms of a sum. A machine may have others, whose `fold` is a loop."""

    __slots__ = ("_terms",)

    def __init__(self, terms: Sequence[Real]) -> None:
        self._terms = terms

    def fold(self, step: Callable[..., tuple[Bits, ...]], *values: Bits) -> tuple[Bits, ...]:
        """`values = step(term, *values)` for one term after another."""
        for r in self._terms:
            values = step(r, *values)
        return values


class Arithmetic(Approximate):
    """The last layer of what is derived from four core operations, and the base class of machines: they implement
    `const binary select resize`; every other primitive is defined in the layers.

    Definitions are total on all bit patterns. A machine may override a method with a faster one and call `super()` for
    the cases that it does not handle; `Arithmetic.fma(x, ...)` is always the reference definition.
    """

    def elements(self, f: Factors, registers: Sequence[Bits]) -> list[Bits]:
        """The elements in registers, lowest first; elements smaller than a byte in one byte each."""
        x = self
        found: list[Bits] = []
        for r in registers:
            if f.width >= 8:
                found += x.split(r, f.width) if r.width > f.width else [r]
            else:
                mask = (1 << f.width) - 1
                found += [x.resize(r >> i if i else r, 8) & mask for i in range(0, r.width, f.width)]
        return [a >> f.low for a in found] if f.low else found

    def alike(self, *lines: Registers) -> list[Registers]:
        """Lines in registers of one width, the largest."""
        w = max(line[0].width for line in lines)
        counts = [w // line[0].width for line in lines]
        return [
            tuple(self.join(line[i : i + n]) for i in range(0, len(line), n))
            for line, n in zip(lines, counts, strict=True)
        ]

    # Sparse factors

    def picked(self, columns: Tile, w: int, places: Sequence[Bits], chunk: int) -> Tile:
        """From each column's chunks of `chunk` units of `w` bits, the half of the units at positions `places`."""
        x, kept = self, chunk // 2
        found: list[Registers] = []
        for column in columns:
            units = [v for r in column for v in (x.split(r, w) if w < r.width else [r])]
            line: list[Bits] = []
            for k, place in enumerate(places):
                rest = units[k // kept * chunk : k // kept * chunk + chunk]
                for i in range(chunk.bit_length() - 1):
                    odd = (place >> i & 1) != 0
                    rest = [x.select(odd, b, a) for a, b in zip(rest[::2], rest[1::2], strict=True)]
                line += rest
            found.append(tuple(line))
        return tuple(found)

    # Floats

    def dots(
        self, f: Factors, g: Factors, rows: Tile, columns: Tile, addends: Tile, h: Format, d: Format,
        scales: Scales | None = None, fraction: int = FRACTION,
    ) -> Tile:  # fmt: skip
        """`dot` of every row with every column of a lane, each with the pair's addend."""

        def one(i: int, j: int, c: Bits) -> Bits:
            if scales is None:
                return self.dot(f, g, rows[i], columns[j], c, h, d, fraction=fraction)
            s, of_rows, of_columns = scales
            return self.dot(f, g, rows[i], columns[j], c, h, d, (of_rows[i], of_columns[j]), s, fraction)

        return tuple(tuple(one(i, j, c) for j, c in enumerate(line)) for i, line in enumerate(addends))

    def dot(
        self, f: Factors, g: Factors, row: Registers, column: Registers, c: Bits, h: Format, d: Format,
        scale: tuple[Bits, Bits] | None = None, s: Format | None = None, fraction: int = FRACTION,
    ) -> Bits:  # fmt: skip
        """`c` (format `h`) plus the products of the elements of `row` and `column`, in format `d`.

        With `scale`, two codes of format `s` without significand, products are multiplied by both.
        """
        x = self
        extra, broken = x.const(0, 32), x.const(0, 1)
        if scale is not None and s is not None:
            a, b = (x.unpack(s, code, 32) for code in scale)
            extra, broken = a.exp + b.exp, a.nan | b.nan

        def products(a: Bits, b: Bits) -> list[Real]:
            left, right = ([x.factor(k, e) for e in x.elements(k, (v,))] for k, v in ((f, a), (g, b)))
            return [x.term(p, q, extra) for p, q in zip(left, right, strict=True)]

        addend = x.unpack(h, c, 32, normal=False)
        zero = ZERO_ADDEND if scale is None else ZERO
        exp = x.pick(lowest(addend.sig) == 0, zero, addend.exp)
        sig = x.resize(lowest(addend.sig), 64) << POINT - 31
        first = Real(addend.sign, exp, sig, addend.inf, addend.nan | broken)
        return x.aligned_sum(d, first, x.terms(products, *x.alike(row, column)), fraction, POINT)

    def factor(self, f: Factors, a: Bits) -> Real:
        """The value; if it is zero, with an exponent that no sum of exponents brings to that of an addend."""
        if f.format is None:
            raise ValueError("a sum of floats has floats as factors")
        r = self.unpack(f.format, a, 32, normal=False)
        return Real(r.sign, self.pick(lowest(r.sig) == 0, NEVER, r.exp), r.sig, r.inf, r.nan)

    def zero_exponent(self, f: Format, r: Real) -> Real:
        """The value; if it is zero, with the exponent that the model gives to a zero factor."""
        if f.emin == ZERO:
            return r
        return Real(r.sign, self.pick(lowest(r.sig) == 0, ZERO, r.exp), r.sig, r.inf, r.nan)

    def term(self, a: Real, b: Real, extra: Bits) -> Real:
        """The product, not normalised: its significand has POINT bits below the point."""
        x = self
        p, q = lowest(a.sig), lowest(b.sig)
        nan = a.nan | b.nan | (a.inf & (q == 0)) | (b.inf & (p == 0))
        return Real(a.sign ^ b.sign, a.exp + b.exp + extra, x.resize(p, 64) * x.resize(q, 64), a.inf | b.inf, nan)

    def terms(self, function: Callable[..., list[Real]], *lines: Sequence[Bits]) -> Terms:
        """The terms that `function` makes of the first element of each line, of the second of each, and so on."""
        return Terms([r for elements in zip(*lines, strict=True) for r in function(*elements)])

    def aligned_sum(self, d: Format, first: Real, terms: Terms, fraction: int, point: int) -> Bits:
        """The sum of terms whose significands have `point` bits below the point, truncated as in the model."""
        x = self

        def higher(r: Real, top: Bits) -> tuple[Bits, ...]:
            return (x.max(S, top, r.exp),)

        (top,) = terms.fold(higher, first.exp)

        def add(r: Real, total: Bits, nan: Bits, plus: Bits, minus: Bits) -> tuple[Bits, ...]:
            shift = top - r.exp + (point - fraction) if point >= fraction else top - r.exp
            kept = (lowest(r.sig) << max(fraction - point, 0)) >> shift
            inf = r.inf & ~r.nan
            total = total + x.select(r.sign, -kept, kept)
            return total, nan | r.nan, plus | (inf & ~r.sign), minus | (inf & r.sign)

        none = x.const(0, 1)
        total, nan, plus, minus = terms.fold(add, *add(first, x.const(0, 64), none, none, none))
        nan = nan | (plus & minus)
        negative = x.negative(total)
        sig = x.abs(total)
        lost = x.clz(sig)
        exp = top - lost + (63 - fraction)
        value = Real(x.select(plus | minus, minus, negative), exp, sig << lost, plus | minus, nan)
        if d is not F32:
            code = x.round(d, value, "rn")
        else:
            code = x.round(d, value, "rz")
            huge = x.less(S, x.const(d.emax, 32), exp) & (sig != 0) & ~(plus | minus | nan)
            code = x.pick(huge, code + 1, code)  # overflow gives infinity
        return x.pick(x.magnitude(d, code) == 0, 0, code)

    # Block-scaled e2m1

    def block_dots(self, rows: Tile, columns: Tile, addends: Tile, s: Format, of_rows: Tile, of_columns: Tile) -> Tile:
        """`block_dot` of every row with every column of a lane, each with the pair's addend and scales."""
        return tuple(
            tuple(self.block_dot(rows[i], columns[j], c, of_rows[i], of_columns[j], s) for j, c in enumerate(line))
            for i, line in enumerate(addends)
        )

    def block_dot(
        self, row: Registers, column: Registers, c: Bits, of_row: Registers, of_column: Registers, s: Format
    ) -> Bits:
        """`c` (f32) plus products of e2m1 times the scales (format `s`) of their block, as f32.

        Products are added exactly in groups of sixteen; each group's sum times its scales is a term, with the exponent
        of the scales.
        """
        x = self
        row, column = x.alike(row, column)
        count = BLOCK * E2M1X8.width // row[0].width  # registers of a block
        blocks = len(row) // count
        addend = x.zero_exponent(F32, x.unpack(F32, c, 32, normal=False))
        point = 30  # bits of the addend and of the terms; a sum of sixteen products has up to twelve integer bits
        first = Real(addend.sign, addend.exp, x.resize(lowest(addend.sig), 64) >> 1, addend.inf, addend.nan)

        def scaled_sum(*given: Bits) -> list[Real]:
            *words, of_left, of_right = given
            total = x.const(0, 32)
            for a, b in zip(x.elements(E2M1X8, words[:count]), x.elements(E2M1X8, words[count:]), strict=True):
                total = total + x.halves(a) * x.halves(b)
            left, right = (x.zero_exponent(s, x.unpack(s, code, 32, normal=False)) for code in (of_left, of_right))
            scale = (lowest(left.sig) >> 28) * (lowest(right.sig) >> 28)  # four bits each, three below the point
            sig = x.resize(x.abs(total), 64) * x.resize(scale, 64) << point - 8
            return [Real(x.negative(total), left.exp + right.exp, sig, x.const(0, 1), left.nan | right.nan)]

        words = [line[i::count] for line in (row, column) for i in range(count)]
        scales = [[line[i * len(line) // blocks] for i in range(blocks)] for line in (of_row, of_column)]
        return x.aligned_sum(F32, first, x.terms(scaled_sum, *words, *scales), BLOCK_FRACTION, point)

    def halves(self, a: Bits) -> Bits:
        """Twice the value of an e2m1 code, as a signed integer of 32 bits."""
        x = self
        a = x.resize(a, 32)
        field, low = (a >> 1) & 3, a & 1
        value = x.select(field == 0, low, (low | 2) << (field - 1 & 3))
        return x.select((a & 8) != 0, -value, value)

    # Integers

    def integer_dots(self, f: Factors, g: Factors, rows: Tile, columns: Tile, addends: Tile, satfinite: bool) -> Tile:
        """For every row and column of a lane, the sum of the products and the addend, saturated or wrapped."""
        x = self
        left, right = ([x.whole_elements(k, line) for line in tile] for k, tile in ((f, rows), (g, columns)))
        return tuple(
            tuple(x.integer_dot(row, column, c, satfinite) for column, c in zip(right, line, strict=True))
            for row, line in zip(left, addends, strict=True)
        )

    def whole_elements(self, f: Factors, registers: Sequence[Bits]) -> list[Bits]:
        """Integers extended to 32 bits."""
        x = self
        if f.width < 8 and f.negative:
            return [
                x.shr(S, r << 32 - f.width - i, 32 - f.width)
                for r in (x.resize(r, 32) if r.width < 32 else r for r in registers)
                for i in range(0, registers[0].width, f.width)
            ]
        return [x.resize(a, 32, f.negative) for a in x.elements(f, registers)]

    def integer_dot(self, row: Sequence[Bits], column: Sequence[Bits], c: Bits, satfinite: bool) -> Bits:
        x = self
        total = x.const(0, 32)  # no more than 128 products below 2^16
        for a, b in zip(row, column, strict=True):
            total = total + a * b
        if not satfinite:
            return c + total
        wide = x.clamp(S, x.resize(c, 64, True) + x.resize(total, 64, True), -(1 << 31), (1 << 31) - 1)
        return x.resize(wide, 32)

    def bit_dots(self, op: str, rows: Tile, columns: Tile, addends: Tile) -> Tile:
        """For every row and column of a lane, the number of bits set in their `xor` or `and`, plus the addend."""
        x = self

        def count(row: Registers, column: Registers, c: Bits) -> Bits:
            for a, b in zip(row, column, strict=True):
                c = c + x.popc(x.binary(op, a, b))
            return c

        return tuple(
            tuple(count(row, column, c) for column, c in zip(columns, line, strict=True))
            for row, line in zip(rows, addends, strict=True)
        )

    # f64

    def fma_dots(self, rows: Tile, columns: Tile, addends: Tile, rnd: str) -> Tile:
        """For every row and column of a lane, the addend and the f64 products, added one after another by `fma`."""
        f = F64

        def chain(row: Registers, column: Registers, c: Bits) -> Bits:
            for a, b in zip(row, column, strict=True):
                c = self.fma(f, a, b, c, rnd)
            return c

        return tuple(
            tuple(chain(row, column, c) for column, c in zip(columns, line, strict=True))
            for row, line in zip(rows, addends, strict=True)
        )
