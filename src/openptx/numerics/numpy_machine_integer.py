"""Integers of the NumPy machine: lanes are elements of arrays of unsigned integers, predicates are arrays of bool."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from openptx.numerics.arithmetic import Arithmetic
from openptx.numerics.bits import Bits, Signedness

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]

UNSIGNED = {1: np.dtype(bool), 8: np.dtype("u1"), 16: np.dtype("u2"), 32: np.dtype("u4"), 64: np.dtype("u8")}
SIGNED = {8: np.dtype("i1"), 16: np.dtype("i2"), 32: np.dtype("i4"), 64: np.dtype("i8")}


def _signed(ufunc: Callable[..., Array]) -> Callable[[Array, Array], Array]:
    """The operator on two's complement views; its result is unsigned again."""

    def apply(a: Array, b: Array) -> Array:
        signed = SIGNED[8 * a.itemsize]
        d = ufunc(a.view(signed), b.view(signed))
        return d if d.dtype == np.bool_ else d.view(a.dtype)

    return apply


def _udiv(a: Array, b: Array) -> Array:
    with np.errstate(divide="ignore"):
        d = np.floor_divide(a, b)
    zero = b == 0
    return np.where(zero, ~np.zeros(1, a.dtype), d) if zero.any() else d


def _urem(a: Array, b: Array) -> Array:
    with np.errstate(divide="ignore"):
        d = np.remainder(a, b)
    zero = b == 0
    return np.where(zero, a, d) if zero.any() else d


@lru_cache(maxsize=64)
def _column(table: tuple[int, ...], w: int) -> Array:
    mask = (1 << w) - 1
    return np.array([value & mask for value in table], UNSIGNED[w])


def _or_not(a: Array, b: Array) -> Array:
    return a | ~b


def _and_not(a: Array, b: Array) -> Array:
    return a & ~b


def _first(a: Array, b: Array) -> Array:
    return a | (b & False)


# Shifts beyond the width give 0 in NumPy (and the sign for signed arrays); the machine relies on it, and a test checks
# it.
_INTEGER: dict[str, Callable[..., Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "udiv": _udiv,
    "urem": _urem,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "shl": np.left_shift,
    "shr": np.right_shift,
    "sar": _signed(np.right_shift),
    "eq": np.equal,
    "ult": np.less,
    "slt": _signed(np.less),
}
# Arithmetic modulo two; a set bit is -1 if signed.
_BOOLEAN: dict[str, Callable[..., Array]] = {
    **_INTEGER,
    "add": np.bitwise_xor,
    "sub": np.bitwise_xor,
    "mul": np.bitwise_and,
    "udiv": _or_not,
    "urem": _and_not,
    "shl": _and_not,
    "shr": _and_not,
    "sar": _first,
    "slt": np.greater,
}
_COMPARISONS = frozenset(("eq", "ult", "slt"))


BLOCK = 1 << 13
"""Lanes per step of a longer computation, so that its dozens of temporaries stay in the cache."""


class NumpyIntegers(Arithmetic):
    """A value is an array whose elements are lanes; arrays of one element stand for the same value in every lane.

    Constants are such arrays, so that broadcasting folds them; results are broadcast where they are stored.
    """

    def __init__(self) -> None:
        self._constants: dict[tuple[int, int], Bits] = {}

    def const(self, value: int, w: int) -> Bits:
        known = self._constants.get((value, w))
        if known is None:
            if not -(1 << w - 1) <= value < 1 << w:
                raise ValueError(f"{value} does not fit {w} bits")
            array = np.array([value & (1 << w) - 1], UNSIGNED[w])
            array.flags.writeable = False
            if len(self._constants) > 1 << 14:
                self._constants.clear()
            known = self._constants[value, w] = Bits(self, w, array)
        return known

    def lanes(self, array: Array) -> Bits:
        """The machine's value for an array of unsigned integers or bool, not copied."""
        return Bits(self, 1 if array.dtype == np.bool_ else 8 * array.itemsize, array)

    @overload
    def blocks(self, compute: Callable[[Bits], Bits], a: Bits, /) -> Bits: ...
    @overload
    def blocks(self, compute: Callable[[Bits, Bits], Bits], a: Bits, b: Bits, /) -> Bits: ...
    @overload
    def blocks(self, compute: Callable[[Bits, Bits, Bits], Bits], a: Bits, b: Bits, c: Bits, /) -> Bits: ...
    @overload
    def blocks(self, compute: Callable[..., Bits], *operands: Bits) -> Bits: ...
    def blocks(self, compute: Callable[..., Bits], *operands: Bits) -> Bits:
        """`compute(*operands)`, block by block if there are many lanes."""
        arrays = [a.v for a in operands]
        if max(v.size for v in arrays) <= BLOCK:
            return compute(*operands)
        shape = np.broadcast_shapes(*(v.shape for v in arrays))
        flat = [v if v.size == 1 else np.broadcast_to(v, shape).reshape(-1) for v in arrays]
        count, width = max(v.size for v in flat), 0
        d: Array = np.empty(0, bool)
        for i in range(0, count, BLOCK):
            part = compute(
                *(
                    Bits(self, a.width, v if v.size == 1 else v[i : i + BLOCK])
                    for a, v in zip(operands, flat, strict=True)
                )
            )
            if not i:
                d, width = np.empty(count, part.v.dtype), part.width
            d[i : i + BLOCK] = part.v
        return Bits(self, width, d.reshape(shape))

    def binary(self, op: str, a: Bits, b: Bits) -> Bits:
        w = a.width
        if w != b.width:
            raise TypeError(f"`{op}` of {w} and {b.width} bits")
        if w == 1:
            return Bits(self, 1, _BOOLEAN[op](a.v, b.v))
        return Bits(self, 1 if op in _COMPARISONS else w, _INTEGER[op](a.v, b.v))

    def select(self, p: Bits, a: Bits, b: Bits) -> Bits:
        if a.width != b.width or p.width != 1:
            raise TypeError(f"select of {a.width} and {b.width} bits by {p.width}")
        v, mask = a.v, p.v
        if a.width <= 32 and mask.size > 512:  # branchless: faster than `where`, and equally fast for any mask
            d = v ^ b.v
            if d.shape == mask.shape:
                d *= mask
                d ^= b.v
                return Bits(self, a.width, d)
        return Bits(self, a.width, np.where(mask, v, b.v))

    def resize(self, a: Bits, w: int, signed: bool = False) -> Bits:
        if a.width == w:
            return a
        if w == 1:
            return Bits(self, 1, (a.v & a.v.dtype.type(1)).astype(bool))
        if a.width == 1:
            v = a.v.astype(UNSIGNED[w])
            return Bits(self, w, np.negative(v) if signed else v)
        if signed and w > a.width:
            return Bits(self, w, a.v.view(SIGNED[a.width]).astype(SIGNED[w]).view(UNSIGNED[w]))
        return Bits(self, w, a.v.astype(UNSIGNED[w]))

    def invert(self, a: Bits) -> Bits:
        return Bits(self, a.width, np.invert(a.v))

    def unequal(self, a: Bits, b: Bits) -> Bits:
        if a.width != b.width:
            raise TypeError(f"`!=` of {a.width} and {b.width} bits")
        return Bits(self, 1, np.not_equal(a.v, b.v))

    def at_most(self, a: Bits, b: Bits) -> Bits:
        if a.width != b.width:
            raise TypeError(f"`<=` of {a.width} and {b.width} bits")
        return Bits(self, 1, np.less_equal(a.v, b.v))

    def amount(self, n: Bits | int, w: int) -> Bits:
        if not isinstance(n, Bits):
            return self.const(min(n, w), w)
        if n.width > w:
            return Bits(self, w, np.minimum(n.v, n.v.dtype.type(w)).astype(UNSIGNED[w]))
        return n if n.width == w else Bits(self, w, n.v.astype(UNSIGNED[w]))

    def negative(self, a: Bits) -> Bits:
        return Bits(self, 1, a.v if a.width == 1 else a.v.view(SIGNED[a.width]) < 0)

    def abs(self, a: Bits) -> Bits:
        return Bits(self, a.width, np.abs(a.v.view(SIGNED[a.width])).view(a.v.dtype))

    def min(self, t: Signedness, a: Bits, b: Bits | int) -> Bits:
        return self._extreme(np.minimum, t, a, self.operand(b, a.width))

    def max(self, t: Signedness, a: Bits, b: Bits | int) -> Bits:
        return self._extreme(np.maximum, t, a, self.operand(b, a.width))

    def _extreme(self, ufunc: Callable[..., Array], t: Signedness, a: Bits, b: Bits) -> Bits:
        if a.width != b.width:
            raise TypeError(f"`{ufunc.__name__}` of {a.width} and {b.width} bits")
        if not t.signed:
            return Bits(self, a.width, ufunc(a.v, b.v))
        signed = SIGNED[a.width]
        return Bits(self, a.width, ufunc(a.v.view(signed), b.v.view(signed)).view(a.v.dtype))

    def lookup(self, table: Sequence[int], index: Bits, w: int) -> Bits:
        return Bits(self, w, _column(tuple(table), w).take(index.v))

    def divide(self, t: Signedness, a: Bits, b: Bits) -> Bits:
        if a.width > 32:
            return super().divide(t, a, b)
        # A quotient of 32-bit integers that is not an integer differs from every integer by at least 2^-32: f64 never
        # rounds it to one.
        kind = SIGNED if t.signed else UNSIGNED
        with np.errstate(divide="ignore", invalid="ignore"):
            q = np.trunc(np.divide(a.v.view(kind[a.width]), b.v.view(kind[a.width]), dtype=np.float64))
            d = q.astype(np.int64).astype(a.v.dtype)
        zero = b.v == 0
        return Bits(self, a.width, np.where(zero, np.array([-1]).astype(a.v.dtype), d) if zero.any() else d)

    def clz(self, a: Bits) -> Bits:
        """The exponent of the value as a float; bits of 64-bit values are cleared first, so that none can round up."""
        v = a.v & ~(a.v >> a.v.dtype.type(1)) if a.width == 64 else a.v
        exponent = v.astype(np.float64).view(np.uint64) >> np.uint64(52)
        return Bits(self, 32, np.minimum(1022 + a.width - exponent, a.width).astype(np.uint32))

    if hasattr(np, "bitwise_count"):  # NumPy 2

        def popc(self, a: Bits) -> Bits:
            return Bits(self, 32, np.bitwise_count(a.v).astype(np.uint32))
