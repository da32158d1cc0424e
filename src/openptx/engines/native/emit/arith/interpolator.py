"""The multifunction unit's interpolator in vectors: the bits of `Multifunction.square` and `cut` at less cost.

* A slope and a curvature are one element of a table, two numbers of sixteen bits, and `vpmaddwd` multiplies and adds
  both. Slopes, of up to seventeen bits with their sign, are kept as differences from `centre`.
* The squarer works on sixteen bits a lane: lane j and lane 16 + j are one element of 32 bits.
* By AVX-512, tables lie in registers: as elements of 32 bits, or as words of 16 where the processor permutes these as
  fast; by AVX2, a segment's constant and pair are one element of 64 bits in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from openptx.engines.native.analysis.lattice import N
from openptx.numerics import Arithmetic, Bits
from openptx.numerics.bits import S
from openptx.numerics.coefficients import POWER, RECIPROCAL, RECIPROCAL_ROOT, ROOT, Interpolation
from openptx.numerics.multifunction import LOW

if TYPE_CHECKING:
    from openptx.engines.native.emit.arith.mufu import MufuOps

_EIGHT, _HALF, _WHOLE = "<8 x i32>", f"<{N // 2} x i32>", f"<{N} x i32>"
WORDS, _BYTES = f"<{N} x i16>", f"<{2 * N} x i8>"
_SIX = "splat (i16 6)"
_FIRST = (1 << LOW) - 1
"""The low bits of a position, whose products are truncated afterwards."""


class Segments(NamedTuple):
    """Tables of an interpolation, `cut` without its lowest `LOW` bits: for each segment a constant, and a pair of slope
    - centre (the lower half) and curvature, scaled like the square."""

    constants: tuple[int, ...]
    pairs: tuple[int, ...]
    bias: int


def segments(t: Interpolation, centre: int, square: int = 0, step: int = 0, first: int = 0) -> Segments:
    """`square`: the number of bits by which squares are shifted; `step`: how much each segment's constant is reduced
    compared with the previous segment's; `first`: how much that of the first one is."""
    pairs = [
        slope - centre & 0xFFFF | (curve << square & 0xFFFF) << 16 for slope, curve in zip(t.c1, t.c2, strict=True)
    ]
    slopes, curves = [c - centre for c in t.c1], [c << square for c in t.c2]
    assert centre % (1 << LOW) == 0
    assert all(-0x8000 <= c < 0x8000 for c in (*slopes, *curves))
    return Segments(tuple((c << t.shift - LOW) - first - i * step for i, c in enumerate(t.c0)), tuple(pairs), t.bias)


# The caller adds the centre times a position, unless it is part of a subtraction anyway: 64 or 128 times a position,
# because a multiple of 2^LOW is not truncated.
POWERS = segments(POWER, 64 << LOW, step=1 << 23)
POWERS_OF_FRACTIONS = segments(POWER, 64 << LOW, step=1 << 23, first=1 << 29)  # without the leading one
RECIPROCALS = segments(RECIPROCAL, -64 << LOW, step=-1 << 22)
RECIPROCAL_ROOTS = segments(RECIPROCAL_ROOT, -64 << LOW, square=2)
ROOTS = segments(ROOT, 128 << LOW, square=1)


def crossed(a: int, b: int, top: int) -> int:
    """The product of two numbers without the bits below `top` of each partial product, divided by 2^top."""
    return sum((a >> i & 1) * (b >> top - i) for i in range(top + 1))


# fmt: off
_INSTRUCTIONS = {  # for AVX-512, for AVX2 on half as many elements, and their results in 512 bits
    "pmaddw":   ("@llvm.x86.avx512.pmaddw.d.512",   "@llvm.x86.avx2.pmadd.wd",    _HALF),
    "pmaddubs": ("@llvm.x86.avx512.pmaddubs.w.512", "@llvm.x86.avx2.pmadd.ub.sw", WORDS),
    "pmulhu":   ("@llvm.x86.avx512.pmulhu.w.512",   "@llvm.x86.avx2.pmulhu.w",    WORDS),
    "pshufb":   ("",                                "@llvm.x86.avx2.pshuf.b",     _BYTES),
}
# fmt: on

_PERMUTE = "@llvm.x86.avx512.vpermi2var.hi.512"

CROSS = tuple([crossed(i & 7, i >> 3, 2) for i in range(64)])
BELOW = tuple([(i & 3) * (i >> 2) - 4 * crossed(i & 3, i >> 2, 2) for i in range(16)])
"""By the lower two bits of two numbers of three bits: their product without four times `crossed`."""


def squared(x: Arithmetic, y: Bits) -> Bits:
    """Half of the sum of y's partial products, fifteen bits, each truncated to bits from 2^14 on: the square of the
    upper eight bits is never truncated, that of the lower seven always, and products of the two count twice."""
    high = y >> 7
    d = high * high >> 1
    for i in range(7):
        d = d + x.pick((y & 1 << i) != 0, high >> 7 - i, 0)
    return d


class Interpolator:
    def __init__(self, x: MufuOps) -> None:
        self.x = x

    def interpolated(self, t: Segments, i: Bits, place: Bits, drop: int = 2) -> Bits:
        """The parabola's value at a position of a segment, without the centre's part. `i` may have more bits than the
        segment's number, `place` more than the position's `drop` + 15; of those fifteen bits, from `drop` on, are
        squared."""
        if not self.x.cpu.avx512:
            return self.summed_by_eights(t, i, place, drop)
        constant, pair = self.chosen(t, i)
        double = self.doubled(place, drop)
        low = self.packed_with_squares(place & _FIRST, self.squares(double))
        below = self.products(pair, low) + t.bias
        high = self.widened(double >> LOW + 1 - drop)
        return constant + self.products(pair, high) + self.x.shr(S, below, LOW)

    def chosen(self, t: Segments, i: Bits) -> tuple[Bits, Bits]:
        """Constants and pairs of segments, by permutations of registers."""
        if self.x.cpu.permutes_words:
            return self.chosen_among_words(t, i)
        return self.x.chosen_among_rows(t.constants, i), self.x.chosen_among_rows(t.pairs, i)

    def summed_by_eights(self, t: Segments, i: Bits, place: Bits, drop: int) -> Bits:
        """`interpolated` by AVX2: eight lanes after the other, because the segments of all need more registers than
        there are, and segments are loaded one by one. `ex2` takes 0.76 of the time that gathers take on a Zen 3.
        """
        ir, n, done = self.x.ir, len(t.constants), list[str]()
        both = [c & 0xFFFFFFFF | pair << 32 for c, pair in zip(t.constants, t.pairs, strict=True)]
        table, indices = self.x.constant_table(both, 64), ir.first(f"alloca {_WHOLE}, align 32")
        ir.store(_WHOLE, self.x.vector(i & n - 1), indices, 32)
        double = self.doubled(place, drop)
        low = self.packed_with_squares(place & _FIRST, self.squares(double))
        high = self.widened(double >> LOW + 1 - drop)
        for first in range(0, N, 8):
            constant, pair = self.eight_segments(table, indices, first)

            def product(a: Bits, pair: str = pair, first: int = first) -> str:
                part = ir.shuffle(_WHOLE, self.x.vector(a), "poison", range(first, first + 8))
                p, q = (ir.emit(f"bitcast {_EIGHT} {e} to <16 x i16>") for e in (pair, part))
                return ir.emit(f"call {_EIGHT} @llvm.x86.avx2.pmadd.wd(<16 x i16> {p}, <16 x i16> {q})")

            below = ir.emit(f"add {_EIGHT} {product(low)}, splat (i32 {t.bias})")
            below = ir.emit(f"ashr {_EIGHT} {below}, splat (i32 {LOW})")
            above = ir.emit(f"add {_EIGHT} {product(high)}, {constant}")
            done.append(ir.emit(f"add {_EIGHT} {above}, {below}"))
        return self.x.bits(ir.concatenate("i32", 8, done), 32)

    def eight_segments(self, table: str, indices: str, first: int) -> tuple[str, str]:
        """The constants and the pairs of eight lanes. Indices come from memory: one load each, where two instructions
        would take one from a vector register. Elements are floats of 64 bits, the second of two by one instruction."""
        ir, twos = self.x.ir, list[str]()
        for k in (first, first + 4, first + 2, first + 6):
            two = "poison"
            for e in (0, 1):
                index = ir.emit(f"load volatile i32, ptr {ir.emit(f'getelementptr i32, ptr {indices}, i64 {k + e}')}")
                at = ir.emit(f"getelementptr i64, ptr {table}, i64 {ir.emit(f'zext i32 {index} to i64')}")
                two = ir.emit(f"insertelement <2 x double> {two}, double {ir.emit(f'load double, ptr {at}')}, i64 {e}")
            twos.append(two)
        fours = [ir.shuffle("<2 x double>", a, b, range(4)) for a, b in (twos[:2], twos[2:])]
        low, high = (ir.emit(f"bitcast <4 x double> {four} to {_EIGHT}") for four in fours)
        columns = [[k, k + 2, k + 8, k + 10, k + 4, k + 6, k + 12, k + 14] for k in (0, 1)]
        constants, pairs = (ir.shuffle(_EIGHT, low, high, column) for column in columns)
        return constants, pairs

    def chosen_among_words(self, t: Segments, i: Bits) -> tuple[Bits, Bits]:
        """Constants and pairs of segments, found as words of 16 bits for 32 lanes at once: of two lanes' indices and
        words in an element of 32 bits, lane j's are the upper ones, those of lane 16 + j the lower ones."""
        ir = self.x.ir
        first, second = self.halves(i)
        high = ir.emit(f"shl {_HALF} {first}, splat (i32 16)")
        low = ir.emit(f"and {_HALF} {second}, splat (i32 65535)")
        index = self.x.bits(ir.emit(f"bitcast {_HALF} {ir.emit(f'or {_HALF} {high}, {low}')} to {WORDS}"), 16)
        return self.words_joined(t.constants, index), self.words_joined(t.pairs, index)

    def words_joined(self, column: Sequence[int], index: Bits) -> Bits:
        """Elements of 32 bits of a table, from their words."""
        low, high = (self.chosen_words([e >> k & 0xFFFF for e in column], index) for k in (0, 16))
        halves = list[str]()
        for odd in (1, 0):
            order = ", ".join(f"i16 {2 * j + odd + N * side}" for j in range(N // 2) for side in (0, 1))
            words = self.x.ir.emit(f"call {WORDS} {_PERMUTE}({WORDS} {low}, {WORDS} <{order}>, {WORDS} {high})")
            halves.append(self.x.ir.emit(f"bitcast {WORDS} {words} to {_HALF}"))
        return self.concatenate(*halves)

    def chosen_words(self, table: Sequence[int], index: Bits) -> str:
        """Words of a table of 64 or 128."""
        ir, place = self.x.ir, self.x.vector(index)
        rows = ["<" + ", ".join(f"i16 {e}" for e in table[k : k + N]) + ">" for k in range(0, len(table), N)]
        found = [
            ir.emit(f"call {WORDS} {_PERMUTE}({WORDS} {low}, {WORDS} {place}, {WORDS} {high})")
            for low, high in zip(rows[::2], rows[1::2], strict=True)
        ]
        if len(found) == 1:
            return found[0]
        lower, upper = (self.x.bits(name, 16) for name in found)
        return self.x.vector(self.x.pick((index & 64) != 0, upper, lower))

    def square(self, place: Bits) -> Bits:
        """The square, with the bits of `Multifunction.square`."""
        return self.widened(self.squares(self.doubled(place, 2)))

    # Sixteen bits a lane

    def doubled(self, place: Bits, drop: int) -> Bits:
        """Fifteen bits of each position, from `drop` on, and the bit below; lane j and lane 16 + j side by side."""
        ir = self.x.ir
        first, second = self.halves(place)
        low = ir.emit(f"lshr {_HALF} {first}, splat (i32 {drop - 1})")
        high = ir.emit(f"shl {_HALF} {second}, splat (i32 {17 - drop})")
        return self.x.bits(ir.emit(f"bitcast {_HALF} {self.side_by_side(low, high)} to {WORDS}"), 16)

    def side_by_side(self, low: str, high: str) -> str:
        """The lower halves of some elements and the upper ones of others. By AVX-512 this is an instruction of its own;
        LLVM's choice needs a mask register."""
        ir, mask = self.x.ir, "splat (i32 65535)"
        if self.x.cpu.avx512:
            given = f"{_HALF} {mask}, {_HALF} {low}, {_HALF} {high}, i32 {0xCA}"
            return ir.emit(f"call {_HALF} @llvm.x86.avx512.pternlog.d.512({given})")
        lower = ir.emit(f"and {_HALF} {low}, {mask}")
        upper = ir.emit(f"and {_HALF} {high}, splat (i32 {-1 << 16})")
        return ir.emit(f"or {_HALF} {lower}, {upper}")

    def widened(self, words: Bits) -> Bits:
        """Numbers of sixteen bits, lane j and lane 16 + j side by side, as numbers of 32."""
        ir = self.x.ir
        both = ir.emit(f"bitcast {WORDS} {self.x.vector(words)} to {_HALF}")
        low = ir.emit(f"and {_HALF} {both}, splat (i32 65535)")
        return self.concatenate(low, ir.emit(f"lshr {_HALF} {both}, splat (i32 16)"))

    def squares(self, double: Bits) -> Bits:
        """The squares of what `doubled` gives, without its lowest bit."""
        if self.x.cpu.avx512 and not self.x.cpu.permutes_bytes:
            return squared(self.x, double >> 1)
        high = double >> 8
        upper = self.upper_product(double & 0x00F0, double & 0xF000)
        crossed = self.crossed_by_bytes(double) if self.x.cpu.avx512 else self.crossed_by_products(double)
        return (high * high >> 1) + upper + crossed

    # Of `squared(y)`, from 2 y or 2 y + 1: cross terms are a product that is never truncated (`upper` above), and two
    # sums of six bits: the lowest three of y with the highest three, and the four pairs in its middle.

    def crossed_by_bytes(self, double: Bits) -> Bits:
        """Both sums by one byte permutation, indexed by the lowest six bits of each byte."""
        x, ir = self.x, self.x.ir
        y, name = double >> 1, x.vector(double)
        turned = x.bits(ir.emit(f"call {WORDS} @llvm.fshl.v{N}i16({WORDS} {name}, {WORDS} {name}, {WORDS} {_SIX})"), 16)
        index = ir.emit(f"bitcast {WORDS} {x.vector(y & 0x0707 | turned & 0xF8F8)} to {_BYTES}")
        values = "<" + ", ".join(f"i8 {value}" for value in CROSS) + ">"
        found = ir.emit(f"call {_BYTES} @llvm.x86.avx512.permvar.qi.512({_BYTES} {values}, {_BYTES} {index})")
        return x.bits(self.instruction("pmaddubs", _BYTES, found, "splat (i8 1)"), 16)

    def crossed_by_products(self, double: Bits) -> Bits:
        """Both sums as whole products of three bits by three, without the part below the cut, which depends on the
        lower two bits of each and is found by one `pshufb`."""
        x, ir = self.x, self.x.ir
        swapped = ir.emit(f"call {WORDS} @llvm.bswap.v{N}i16({WORDS} {x.vector(double)})")
        a, b = double >> 1 & 0x0707, x.bits(swapped, 16) >> 5 & 0x0707
        whole, index = self.byte_products(self.bytes_of(a), self.bytes_of(b)), self.bytes_of(a & 0x0303 | b << 2)
        row = ", ".join(f"i8 {value}" for value in BELOW)
        below = self.byte_products(
            self.instruction("pshufb", _BYTES, f"<{', '.join([row] * 4)}>", index), "splat (i8 1)"
        )
        return whole - below >> 2

    def bytes_of(self, words: Bits) -> str:
        return self.x.ir.emit(f"bitcast {WORDS} {self.x.vector(words)} to {_BYTES}")

    def byte_products(self, a: str, b: str) -> Bits:
        """Sums of products of neighbouring bytes, unsigned by signed."""
        return self.x.bits(self.instruction("pmaddubs", _BYTES, a, b), 16)

    def upper_product(self, a: Bits, b: Bits) -> Bits:
        """The upper halves of 16-bit products."""
        return self.x.bits(self.instruction("pmulhu", WORDS, self.x.vector(a), self.x.vector(b)), 16)

    def instruction(self, name: str, t: str, *operands: str) -> str:
        """An instruction on 512-bit vectors; with AVX2 on both halves of them."""
        ir, (wide, narrow, result) = self.x.ir, _INSTRUCTIONS[name]
        if self.x.cpu.avx512:
            return ir.emit(f"call {result} {wide}({', '.join(f'{t} {e}' for e in operands)})")
        n, bits = (int(number) for number in t[1:-1].split(" x i"))
        half, m = f"<{n // 2} x i{bits}>", int(result[1:].split()[0])
        short, done = result.replace(str(m), str(m // 2), 1), list[str]()
        for k in (0, n // 2):
            parts = [ir.shuffle(t, e, "poison", range(k, k + n // 2)) for e in operands]
            done.append(ir.emit(f"call {short} {narrow}({', '.join(f'{half} {e}' for e in parts)})"))
        return ir.shuffle(short, done[0], done[1], range(m))

    # Thirty-two bits a lane

    def packed_with_squares(self, low: Bits, squares: Bits) -> Bits:
        """A 16-bit number in the lower half of each lane, its square in the upper one."""
        ir = self.x.ir
        words = ir.emit(f"bitcast {WORDS} {self.x.vector(squares)} to {_HALF}")
        first = ir.emit(f"shl {_HALF} {words}, splat (i32 16)")
        second = ir.emit(f"and {_HALF} {words}, splat (i32 {-1 << 16})")
        return self.concatenate(first, second) | low

    def products(self, a: Bits, b: Bits) -> Bits:
        """The sum of the products of lower halves and of upper halves, signed."""
        ir, done = self.x.ir, list[str]()
        for pair in zip(self.halves(a), self.halves(b), strict=True):
            p, q = (ir.emit(f"bitcast {_HALF} {e} to {WORDS}") for e in pair)
            done.append(self.instruction("pmaddw", WORDS, p, q))
        return self.concatenate(*done)

    def halves(self, a: Bits) -> tuple[str, str]:
        name, n = self.x.vector(a), N // 2
        first, second = (self.x.ir.shuffle(_WHOLE, name, "poison", range(k, k + n)) for k in (0, n))
        return first, second

    def concatenate(self, first: str, second: str) -> Bits:
        return self.x.bits(self.x.ir.shuffle(_HALF, first, second, range(N)), 32)
