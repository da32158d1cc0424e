"""Approximate functions: the multifunction unit's, its tables in registers or in memory.

Four of them stand in line for operands and results that are normal numbers, where less is to be done; for a warp that
has others the definition is called, one internal function for each.
"""

from __future__ import annotations

from collections.abc import Sequence

from openptx.engines.native.analysis.lattice import ZEROS, N, Value, vector_type
from openptx.engines.native.emit.arith.half import HalfOps
from openptx.engines.native.emit.arith.outlined import Outlined
from openptx.numerics import Bits, Format
from openptx.numerics.bits import S
from openptx.numerics.coefficients import POWER, ROOT
from openptx.numerics.multifunction import FRACTION, HIDDEN, PLACE

_F, _I = f"<{N} x float>", vector_type(32)
ROW = 32  # elements of a table that one permutation of AVX-512 chooses from


class MufuOps(HalfOps):
    def mufu(self, op: str, a: Bits) -> Bits:
        quick = {"ex2": self.quick_ex2, "rcp": self.quick_rcp, "rsqrt": self.quick_rsqrt, "sqrt": self.quick_sqrt}
        if op not in quick or not self.cpu.avx512 or not isinstance(a.v, Value) or self.uniform(a):
            return super().mufu(op, a)
        self.vector(a)  # both paths need its bits, so they are settled before
        d, rare = quick[op](a)
        name = self.vector(d)
        with self.ir.cold_block(self.any_of(rare)) as labels:
            exact = self.vector(self.outlined("mufu", op, a))
        return self.bits(self.ir.phi(_I, labels, name, exact), 32)

    def approx(self, op: str, f: Format, a: Bits, ftz: bool = False) -> Bits:
        return self.often("approx", op, f, a, ftz)

    def approx_div(self, f: Format, a: Bits, b: Bits, ftz: bool = False, full: bool = False) -> Bits:
        return self.often("approx_div", f, a, b, ftz, full)

    def quick_ex2(self, a: Bits) -> tuple[Bits, Bits]:
        """Up to 126 either way: the processor cuts a number to fixed point as the unit does."""
        out, x = self.ir, self.float(a, False)
        t = self.bits(out.emit(f"fptosi {_F} {out.emit(f'fmul {_F} {x}, splat (float 8388608.0)')} to {_I}"), 32)
        k = t - self.resize(self.negative(t) & ((t & FRACTION) != 0), 32)
        place = k & PLACE
        r = self.cut(POWER, (k & FRACTION) >> 17, place, self.square(place), 15)
        size = out.emit(f"call {_F} @llvm.fabs.v{N}f32({_F} {x})")
        rare = self.bits(out.emit(f"fcmp ugt {_F} {size}, splat (float 126.0)"), 1)
        return (k & 0x100000000 - HIDDEN) + r + (126 << 23), rare

    def quick_rcp(self, a: Bits) -> tuple[Bits, Bits]:
        field = a & 0x7F800000
        d = (253 << 23) - field + self.reciprocal(a & FRACTION)
        return a & 0x80000000 | d, field - HIDDEN >= 252 << 23

    def quick_rsqrt(self, a: Bits) -> tuple[Bits, Bits]:
        n = (a >> 23) - 127
        r = self.reciprocal_root(a & FRACTION | (n & 1) << 23)
        return (126 - self.shr(S, n, 1) << 23) + r, self.no_positive(a)

    def quick_sqrt(self, a: Bits) -> tuple[Bits, Bits]:
        n = (a >> 23) - 127
        k = a & FRACTION | (n & 1) << 23
        place = k & PLACE
        r = self.pick(k == 0, HIDDEN, self.cut(ROOT, k >> 17, place, self.square(place) << 1, 17))
        return (self.shr(S, n, 1) + 126 << 23) + r, self.no_positive(a)

    def no_positive(self, a: Bits) -> Bits:
        """Where the operand is not a positive normal number."""
        return a - HIDDEN >= 0x7F800000 - HIDDEN

    def table_element(self, table: Sequence[int], index: Bits, w: int) -> Bits:
        if w == 32 and self.cpu.avx512 and not self.uniform(index):
            return self.chosen_among_rows(table, index)
        return self.from_constants(table, index, w)

    def chosen_among_rows(self, table: Sequence[int], index: Bits) -> Bits:
        """Rows of 32 elements are two registers; among rows, the upper bits of the index choose."""
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
        """An element of a table of the module's constants."""
        out, key = self.ir, ("table", tuple(table), w)
        made = self.functions.get(key)
        if made is None:
            name, n = f"table.{len(self.functions)}", len(table)
            values = ", ".join(f"i{w} {value}" for value in table)
            text = f"@{name} = internal constant [{n} x i{w}] [{values}]"
            made = self.functions[key] = Outlined(name, w, text)
        if self.uniform(index):
            place = out.emit(f"getelementptr i{w}, ptr @{made.name}, i{index.width} {self.scalar(index)}")
            return self.bits(out.emit(f"load i{w}, ptr {place}"), w, ZEROS)
        t, ptrs = vector_type(w), f"<{N} x ptr>"
        places = out.emit(f"getelementptr i{w}, ptr @{made.name}, {vector_type(index.width)} {self.vector(index)}")
        call = f"@llvm.masked.gather.v{N}i{w}.v{N}p0"
        all_lanes = f"<{N} x i1> splat (i1 true)"
        return self.bits(out.emit(f"call {t} {call}({ptrs} {places}, i32 {w // 8}, {all_lanes}, {t} poison)"), w)


def sixteen(values: Sequence[int]) -> str:
    """A vector register of these values."""
    return "<" + ", ".join(f"i32 {value}" for value in values) + ">"
