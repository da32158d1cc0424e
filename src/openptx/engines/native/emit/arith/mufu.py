"""Approximate functions: the multifunction unit's, its tables in registers or in memory.

Four of them are inlined for operands and results that are normal numbers, which need less work; for a warp with others
the definition is called, one internal function for each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial

from openptx.engines.native.analysis.lattice import ZEROS, N, Value, vector_type
from openptx.engines.native.emit.arith.half import HalfOps
from openptx.engines.native.emit.arith.interpolator import (
    POWERS,
    POWERS_OF_FRACTIONS,
    RECIPROCAL_ROOTS,
    RECIPROCALS,
    ROOTS,
    Interpolator,
    Segments,
)
from openptx.engines.native.emit.arith.outlined import OutlinedFunction
from openptx.numerics import Bits, Format
from openptx.numerics.bits import S
from openptx.numerics.multifunction import FRACTION, HIDDEN, INFINITY, ONE, PLACE

_F, _I = f"<{N} x float>", vector_type(32)
_ONES = "splat (float 1.0)"
ROW = 32  # elements of a table that one AVX-512 permutation selects from


class MufuOps(HalfOps):
    @cached_property
    def interpolator(self) -> Interpolator:
        return Interpolator(self)

    @property
    def has_vectors(self) -> bool:
        """Whether the processor has the instructions that the interpolator needs."""
        return self.cpu.avx512 or self.cpu.avx2

    def mufu(self, op: str, a: Bits) -> Bits:
        quick = {"ex2": self.quick_ex2, "rcp": self.quick_rcp, "rsqrt": self.quick_rsqrt, "sqrt": self.quick_sqrt}
        if op not in quick or not self.interpolates(a):
            return super().mufu(op, a)
        if op == "ex2" and self.seems_fraction(a):
            return self.power_of_fraction("mufu", a)
        if op != "ex2":
            self.vector(a)  # both paths need its bits, so they are computed before
        return self.quick_or("mufu", op, a, *quick[op](a))

    def scaled(self, op: str, a: Bits) -> Bits:
        """Scaled powers of two are other numbers only where they are subnormal, which `quick_ex2` excludes."""
        if op != "ex2" or not self.interpolates(a):
            return super().scaled(op, a)
        if self.seems_fraction(a):
            return self.power_of_fraction("scaled", a)
        return self.quick_or("scaled", op, a, *self.quick_ex2(a))

    def interpolates(self, a: Bits) -> bool:
        """Whether the interpolator computes functions of the value."""
        return self.has_vectors and isinstance(a.v, Value) and not self.uniform(a)

    def quick_or(self, definition: str, op: str, a: Bits, d: Bits, size: Bits, least: int) -> Bits:
        """`d`, or the definition's result if `size` is at least this number in some lane."""
        return self.unless(self.some_from(size, least), d, partial(self.outlined, definition, op, a))

    def unless(self, condition: str, d: Bits, otherwise: Callable[[], Bits]) -> Bits:
        """`d`, or what is emitted in a cold block if a condition, an i1, holds."""
        name = self.vector(d)
        with self.ir.cold_block(condition) as labels:
            other = self.vector(otherwise())
        return self.bits(self.ir.phi(_I, labels, name, other), 32)

    def approx(self, op: str, f: Format, a: Bits, ftz: bool = False) -> Bits:
        return self.often("approx", op, f, a, ftz)

    def approx_div(self, f: Format, a: Bits, b: Bits, ftz: bool = False, full: bool = False) -> Bits:
        return self.often("approx_div", f, a, b, ftz, full)

    def some_from(self, a: Bits, least: int) -> str:
        """An i1: whether some lane, active or not, is at least this number. Only the maximum of several is compared."""
        ir, name, n = self.ir, self.vector(a), 16 if self.cpu.avx512 else 8
        t = f"<{n} x i32>"
        greatest, *others = [ir.shuffle(_I, name, "poison", range(k, k + n)) for k in range(0, N, n)]
        for other in others:
            greatest = ir.emit(f"call {t} @llvm.umax.v{n}i32({t} {greatest}, {t} {other})")
        found = ir.emit(f"icmp uge {t} {greatest}, splat (i32 {least})")
        return ir.emit(f"icmp ne i{n} {ir.emit(f'bitcast <{n} x i1> {found} to i{n}')}, 0")

    # Each returns its result, and a limit from which on a lane's result must not be used.

    def quick_ex2(self, a: Bits) -> tuple[Bits, Bits, int]:
        """Up to 126 either way: the processor truncates a number to fixed point as the unit does."""
        x = self.float(a, False)
        t = self.cut_to_integers(self.ir.emit(f"fmul {_F} {x}, splat (float 8388608.0)"))
        # The result's exponent is that of k. The bits of k below it are the segment's number, by which the table's
        # constants are reduced, and the position, which is the centre's part of the sum.
        exact = t + (126 << 23)
        sign = self.shr(S, self.bits(self.ir.emit(f"bitcast {_F} {x} to {_I}"), 32), 31)
        k = self.pick((t & FRACTION) == 0, exact, exact + sign)
        r = self.interpolator.interpolated(POWERS, k >> 17, k)
        return k + (r >> 6), k, (252 << 23) + 1

    def seems_fraction(self, a: Bits) -> bool:
        """Whether to expect an operand of `ex2` in [0, 1)."""
        return isinstance(a.v, Value) and a.v.reduced

    def power_of_fraction(self, definition: str, a: Bits) -> Bits:
        """2^a by fewer instructions than `quick_ex2`, which a function does if some lane is not in [0, 1)."""

        def power(a: Bits) -> Bits:
            return self.quick_or(definition, "ex2", a, *self.quick_ex2(a))

        k, table, outside = self.rounded_fraction(a) if self.cpu.avx512 else self.truncated_fraction(a)
        r = self.interpolator.interpolated(table, k >> 17, k)
        return self.unless(
            outside, k + self.shr(S, r, 6), partial(self.in_function, ("power", definition), (a,), power)
        )

    def rounded_fraction(self, a: Bits) -> tuple[Bits, Segments, str]:
        """What is called `k` in `quick_ex2`, the bits of 1 + a, rounded down, with the result's exponent; the table;
        and an i1, whether some lane is not in [0, 1)."""
        x = self.float(a, False)
        k = self.bits(self.ir.emit(f"bitcast {_F} {self.directed('fadd', 32, [x, _ONES], 'rm')} to {_I}"), 32)
        size = self.bits(self.ir.emit(f"bitcast {_F} {x} to {_I}"), 32)
        return k, POWERS_OF_FRACTIONS, self.some_from(size, ONE)

    def truncated_fraction(self, a: Bits) -> tuple[Bits, Segments, str]:
        """The same for AVX2, by which a sum rounded down would take too long."""
        t = self.cut_to_integers(self.ir.emit(f"fmul {_F} {self.float(a, False)}, splat (float 8388608.0)"))
        return t + ONE, POWERS_OF_FRACTIONS, self.some_from(t, HIDDEN)

    def cut_to_integers(self, x: str) -> Bits:
        """Floats truncated to 32-bit integers; those out of range become -2^31."""
        size = 16 if self.cpu.avx512 else 8
        t, n = f"<{size} x float>", f"<{size} x i32>"

        def part(first: int) -> str:
            given = self.ir.shuffle(_F, x, "poison", range(first, first + size))
            if not self.cpu.avx512:
                return self.ir.emit(f"call {n} @llvm.x86.avx.cvtt.ps2dq.256({t} {given})")
            call = "@llvm.x86.avx512.mask.cvttps2dq.512"
            return self.ir.emit(f"call {n} {call}({t} {given}, {n} zeroinitializer, i16 -1, i32 4)")

        return self.bits(self.ir.concatenate("i32", size, [part(i) for i in range(0, N, size)]), 32)

    def quick_rcp(self, a: Bits) -> tuple[Bits, Bits, int]:
        size = a & 0x7FFFFFFF  # subtracted from the result with the bits below the exponent, as in `quick_ex2`
        r = self.interpolator.interpolated(RECIPROCALS, a >> 16, a & 0xFFFF, 1)
        return a & 0x80000000 | (252 << 23) - size + (r >> 6), (a & 0x7F800000) - HIDDEN, 252 << 23

    def quick_rsqrt(self, a: Bits) -> tuple[Bits, Bits, int]:
        n = (a >> 23) - 127
        f = a & FRACTION | (n & 1) << 23
        place = f & PLACE
        r = self.interpolator.interpolated(RECIPROCAL_ROOTS, f >> 17, place) - (place << 6) >> 7
        return (126 - self.shr(S, n, 1) << 23) + self.pick(f == 0, HIDDEN, r - HIDDEN), a - HIDDEN, INFINITY - HIDDEN

    def quick_sqrt(self, a: Bits) -> tuple[Bits, Bits, int]:
        n = (a >> 23) - 127
        k = a & FRACTION | (n & 1) << 23
        place = k & PLACE
        r = self.interpolator.interpolated(ROOTS, k >> 17, place) + (place << 7) >> 8
        return (self.shr(S, n, 1) + 126 << 23) + self.pick(k == 0, HIDDEN, r), a - HIDDEN, INFINITY - HIDDEN

    def square(self, x: Bits) -> Bits:
        return self.interpolator.square(x) if self.interpolates(x) else super().square(x)

    def table_element(self, table: Sequence[int], index: Bits, w: int) -> Bits:
        if w == 32 and self.cpu.avx512 and not self.uniform(index):
            return self.chosen_among_rows(table, index)
        return self.from_constants(table, index, w)

    def chosen_among_rows(self, table: Sequence[int], index: Bits) -> Bits:
        """Rows of 32 elements are two registers; the upper bits of the index select the row."""
        out, t = self.ir, "<16 x i32>"
        padded = [*table, *[0] * (-len(table) % ROW)]
        name = self.vector(index)
        parts = [out.shuffle(_I, name, "poison", range(i, i + 16)) for i in (0, N // 2)]
        found: list[Bits] = []
        for start in range(0, len(padded), ROW):
            low, high = (sixteen(padded[start + i : start + i + 16]) for i in (0, 16))
            call = "@llvm.x86.avx512.vpermi2var.d.512"
            halves = [out.emit(f"call {t} {call}({t} {low}, {t} {part}, {t} {high})") for part in parts]
            found.append(self.bits(out.shuffle(t, halves[0], halves[1], range(N)), 32))
        bit = 5
        while len(found) > 1:
            odd = (index >> bit & 1) != 0
            found = [self.select(odd, b, a) for a, b in zip(found[::2], [*found[1::2], found[-1]], strict=False)]
            bit += 1
        return found[0]

    def from_constants(self, table: Sequence[int], index: Bits, w: int) -> Bits:
        """An element of a table in the module's constants."""
        out = self.ir
        if self.uniform(index):
            name = self.constant_table(table, w)
            place = out.emit(f"getelementptr i{w}, ptr {name}, i{index.width} {self.scalar(index)}")
            return self.bits(out.emit(f"load i{w}, ptr {place}"), w, ZEROS)
        return self.bits(self.gathered_constants(table, index, w), w)

    def gathered_constants(self, table: Sequence[int], index: Bits, w: int) -> str:
        """Elements of a table in the module's constants, by AVX2's gather if it supports their width."""
        out, name, t = self.ir, self.constant_table(table, w), vector_type(w)
        if self.cpu.avx2 and w in (32, 64):
            size, places = 256 // w, self.vector(self.resize(index, 32))
            letter, part, narrow = "d" if w == 32 else "q", f"<{size} x i{w}>", f"<{size} x i32>"
            call = f"call {part} @llvm.x86.avx2.gather.d.{letter}.256({part} zeroinitializer, ptr {name}, {narrow}"
            found = [
                out.emit(f"{call} {at}, {part} splat (i{w} -1), i8 {w // 8})")
                for at in (out.shuffle(_I, places, "poison", range(i, i + size)) for i in range(0, N, size))
            ]
            return out.concatenate(f"i{w}", size, found)
        ptrs = f"<{N} x ptr>"
        places = out.emit(f"getelementptr i{w}, ptr {name}, {vector_type(index.width)} {self.vector(index)}")
        call = f"@llvm.masked.gather.v{N}i{w}.v{N}p0"
        all_lanes = f"<{N} x i1> splat (i1 true)"
        return out.emit(f"call {t} {call}({ptrs} {places}, i32 {w // 8}, {all_lanes}, {t} poison)")

    def constant_table(self, table: Sequence[int], w: int) -> str:
        """The name of a table among the module's constants."""
        key = ("table", tuple(table), w)
        made = self.functions.get(key)
        if made is None:
            name, n = f"table.{len(self.functions)}", len(table)
            values = ", ".join(f"i{w} {value}" for value in table)
            text = f"@{name} = internal constant [{n} x i{w}] [{values}]"
            made = self.functions[key] = OutlinedFunction(name, w, text)
        return f"@{made.name}"


def sixteen(values: Sequence[int]) -> str:
    """A vector register of these values."""
    return "<" + ", ".join(f"i32 {value}" for value in values) + ">"
