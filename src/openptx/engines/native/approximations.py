"""Approximate functions: the multifunction unit's, one internal function each, its tables in registers or in memory."""

from __future__ import annotations

from collections.abc import Sequence

from openptx.engines.native.emitter import vector_type
from openptx.engines.native.halves import Halves
from openptx.engines.native.outline import Outlined
from openptx.engines.native.values import ZEROS, N, Value
from openptx.numerics import Bits

ROW = 32  # elements of a table that one permutation of AVX-512 chooses from


class Approximations(Halves):
    def mufu(self, op: str, a: Bits) -> Bits:
        return self.outlined("mufu", op, a)

    def reciprocal(self, f: Bits) -> Bits:
        return self.outlined("reciprocal", f)

    def reciprocal_root(self, f: Bits) -> Bits:
        return self.outlined("reciprocal_root", f)

    def lookup(self, table: Sequence[int], index: Bits, w: int) -> Bits:
        if not isinstance(index.v, Value):
            return super().lookup(table, index, w)
        if self.uniform(index):
            return self.from_constants(table, index, w)
        if w == 32 and self.cpu.avx512:
            return self.chosen_among_rows(table, index)
        return self.from_constants(table, index, w)

    def chosen_among_rows(self, table: Sequence[int], index: Bits) -> Bits:
        """Rows of 32 elements are two registers; among rows, the upper bits of the index choose."""
        out, t = self.out, "<16 x i32>"
        padded = [*table, *[0] * (-len(table) % ROW)]
        name = self.vector(index)
        parts = [self.half_of(name, i) for i in (0, 16)]
        found: list[Bits] = []
        for start in range(0, len(padded), ROW):
            low, high = (sixteen(padded[start + i : start + i + 16]) for i in (0, 16))
            call = "@llvm.x86.avx512.vpermi2var.d.512"
            halves = [out.emit(f"call {t} {call}({t} {low}, {t} {part}, {t} {high})") for part in parts]
            order = ", ".join(f"i32 {i}" for i in range(N))
            whole = out.emit(f"shufflevector {t} {halves[0]}, {t} {halves[1]}, <{N} x i32> <{order}>")
            found.append(self.bits(whole, 32))
        bit = 5
        while len(found) > 1:
            odd = (index >> bit & 1) != 0
            found = [self.select(odd, b, a) for a, b in zip(found[::2], [*found[1::2], found[-1]], strict=False)]
            bit += 1
        return found[0]

    def half_of(self, name: str, start: int) -> str:
        t, order = vector_type(32), ", ".join(f"i32 {start + i}" for i in range(16))
        return self.out.emit(f"shufflevector {t} {name}, {t} poison, <16 x i32> <{order}>")

    def from_constants(self, table: Sequence[int], index: Bits, w: int) -> Bits:
        """From the module's constants."""
        out, key = self.out, ("table", tuple(table), w)
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
    """A register of them."""
    return "<" + ", ".join(f"i32 {value}" for value in values) + ">"
