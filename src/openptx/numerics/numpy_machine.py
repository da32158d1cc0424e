"""The NumPy machine: lanes are elements of arrays of unsigned integers, predicates are arrays of bool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from openptx.numerics.bits import Bits
from openptx.numerics.formats import F32, F64, Format
from openptx.numerics.numpy_machine_dot import NumpyDots
from openptx.numerics.numpy_machine_float import NumpyFloats
from openptx.numerics.numpy_machine_integer import SIGNED, UNSIGNED

if TYPE_CHECKING:
    from collections.abc import Callable

    from openptx.array_types import Array
    from openptx.numerics.rounding import RandomBits


_TABLES: dict[tuple[object, ...], Array] = {}


class NumpyMachine(NumpyDots):
    """Arithmetic on arrays. See NumpyIntegers for what a value is, NumpyFloats for how its results stay exact.

    A function of 16 bits or fewer is looked up in a table that the definition filled. So is f32 to an 8-bit format: all
    that matters of its lower 16 bits is whether they are zero.
    """

    def convert(
        self, d: Format, s: Format, a: Bits, rnd: str = "rn", *, ftz: bool = False, satfinite: bool = False,
        rbits: RandomBits | None = None,
    ) -> Bits:  # fmt: skip
        generic = super().convert
        if rbits is None and d is not s:
            key = ("convert", d.name, s.name, rnd, ftz, satfinite)
            if s.storage <= 16 and d is not F32 and d is not F64:
                table = tabulate(key, self, s.storage, lambda a: generic(d, s, a, rnd, ftz=ftz, satfinite=satfinite))
                return Bits(self, d.storage, table.take(a.v))
            if s is F32 and d.storage == 8:
                upper = sticky_table(key, self, lambda a: generic(d, s, a, rnd, ftz=ftz, satfinite=satfinite))
                return self.blocks(lambda a: Bits(self, 8, upper.take(sticky(a.v))), a)
        return generic(d, s, a, rnd, ftz=ftz, satfinite=satfinite, rbits=rbits)

    def square(self, x: Bits) -> Bits:
        table = _TABLES.get(("square",))
        if table is None:
            every = self.lanes(np.arange(1 << 17, dtype=np.uint32))
            table = _TABLES[("square",)] = super().square(every).v
        return Bits(self, 32, table.take(x.v))

    def approx(self, op: str, f: Format, a: Bits, ftz: bool = False) -> Bits:
        generic = super().approx
        if f.storage > 16:
            return generic(op, f, a, ftz)
        table = tabulate(("approx", op, f.name, ftz), self, f.storage, lambda a: generic(op, f, a, ftz))
        return Bits(self, f.storage, table.take(a.v))


def tabulate(key: tuple[object, ...], x: NumpyFloats, w: int, function: Callable[[Bits], Bits]) -> Array:
    """The results of `function` for all codes of `w` (8 or 16) bits; computed once for each `key` in this process."""
    table = _TABLES.get(key)
    if table is None:
        table = _TABLES[key] = function(x.lanes(np.arange(1 << w, dtype=UNSIGNED[w]))).v
    return table


def sticky_table(key: tuple[object, ...], x: NumpyFloats, function: Callable[[Bits], Bits]) -> Array:
    """The results of `function` of f32 for each index that `sticky` produces."""
    table = _TABLES.get(key)
    if table is None:
        upper = np.arange(1 << 16, dtype=np.uint32)
        table = _TABLES[key] = function(x.lanes(upper << np.uint32(16) | (upper & np.uint32(1)))).v
    return table


def sticky(u: Array) -> Array:
    """The upper 16 bits of f32 codes, the last of them set if any lower bit is."""
    index = u & np.uint32(0xFFFF)
    index += np.uint32(0xFFFF)
    index |= u
    index >>= np.uint32(16)
    return index.astype(np.uint16)


__all__ = ["SIGNED", "UNSIGNED", "NumpyMachine", "sticky", "sticky_table", "tabulate"]
