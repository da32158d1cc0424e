"""Integers of the NumPy machine: lanes are elements of arrays of unsigned integers, predicates are arrays of bool."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, overload

import numpy as np

from openptx.numerics.bits import Bits, Signedness, wrapped
from openptx.numerics.dot import Arithmetic
from openptx.numerics.reductions import any_set, paired

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from openptx.array_types import Array


UNSIGNED = {1: np.dtype(bool), 8: np.dtype("u1"), 16: np.dtype("u2"), 32: np.dtype("u4"), 64: np.dtype("u8")}
SIGNED = {8: np.dtype("i1"), 16: np.dtype("i2"), 32: np.dtype("i4"), 64: np.dtype("i8")}


@lru_cache(maxsize=16)
def signed_ufunc(ufunc: Callable[..., Array]) -> Callable[[Array, Array], Array]:
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
    return np.where(zero, ~np.zeros(1, a.dtype), d) if any_set(zero) else d


def _urem(a: Array, b: Array) -> Array:
    with np.errstate(divide="ignore"):
        d = np.remainder(a, b)
    zero = b == 0
    return np.where(zero, a, d) if any_set(zero) else d


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
INTEGER: dict[str, Callable[..., Array]] = {
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
    "sar": signed_ufunc(np.right_shift),
    "eq": np.equal,
    "ult": np.less,
    "slt": signed_ufunc(np.less),
}
# Arithmetic modulo two; a set bit is -1 if signed.
BOOLEAN: dict[str, Callable[..., Array]] = {
    **INTEGER,
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
COMPARISONS = frozenset(("eq", "ult", "slt"))


def select_lanes(mask: Array, a: Array, b: Array) -> Array:
    """`a` where the mask is set, else `b`, always in a new array."""
    if a.itemsize <= 4 and mask.size > 512:  # branchless: faster than `where`, and equally fast for any mask
        d = a ^ b
        if d.shape == mask.shape:
            d *= mask
            d ^= b
            return d
    if b.shape == mask.shape and (a.shape == b.shape or a.size == 1):
        d = b.copy()
        np.copyto(d, a, where=mask)
        return d
    return np.where(mask, a, b)


@lru_cache(maxsize=64)
def resizer(w: int, wanted: int, signed: bool) -> Callable[[Array], Array]:
    """A function that truncates or extends arrays of `w` bits to `wanted` bits, always in a new array."""
    to = UNSIGNED[wanted]
    if wanted == 1:
        return lambda v: (v & v.dtype.type(1)).astype(to)
    if signed and w == 1:
        return lambda v: np.negative(v.astype(to))
    if signed and w < wanted:
        own, wide = SIGNED[w], SIGNED[wanted]
        return lambda v: v.view(own).astype(wide).view(to)
    return lambda v: v.astype(to)


@lru_cache(maxsize=32)
def amount_of(w: int, wanted: int) -> Callable[[Array], Array]:
    """A function that converts shift amounts of `w` bits to `wanted` bits; those that do not fit become `wanted`."""
    if w > wanted:
        return lambda v: np.minimum(v, v.dtype.type(wanted)).astype(UNSIGNED[wanted])
    return lambda v: v.astype(UNSIGNED[wanted])


ZERO = {w: np.zeros((), dtype) for w, dtype in SIGNED.items()}


def below_zero(v: Array) -> Array:
    w = 8 * v.itemsize
    return np.less(v.view(SIGNED[w]), ZERO[w])


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
            array = np.array([wrapped(value, w)], UNSIGNED[w])
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
        p, q = a.v, b.v
        if p.size != q.size:
            p, q = paired(p, q)
        if w == 1:
            return Bits(self, 1, BOOLEAN[op](p, q))
        return Bits(self, 1 if op in COMPARISONS else w, INTEGER[op](p, q))

    def select(self, p: Bits, a: Bits, b: Bits) -> Bits:
        if a.width != b.width or p.width != 1:
            raise TypeError(f"select of {a.width} and {b.width} bits by {p.width}")
        return Bits(self, a.width, select_lanes(p.v, a.v, b.v))

    def resize(self, a: Bits, w: int, signed: bool = False) -> Bits:
        if a.width == w:
            return a
        return Bits(self, w, resizer(a.width, w, signed)(a.v))

    def invert(self, a: Bits) -> Bits:
        return Bits(self, a.width, np.invert(a.v))

    def unequal(self, a: Bits, b: Bits) -> Bits:
        if a.width != b.width:
            raise TypeError(f"`!=` of {a.width} and {b.width} bits")
        return Bits(self, 1, np.not_equal(*paired(a.v, b.v)))

    def at_most(self, a: Bits, b: Bits) -> Bits:
        if a.width != b.width:
            raise TypeError(f"`<=` of {a.width} and {b.width} bits")
        return Bits(self, 1, np.less_equal(*paired(a.v, b.v)))

    def amount(self, n: Bits | int, w: int) -> Bits:
        if not isinstance(n, Bits):
            return self.const(min(n, w), w)
        return n if n.width == w else Bits(self, w, amount_of(n.width, w)(n.v))

    def negative(self, a: Bits) -> Bits:
        return Bits(self, 1, a.v if a.width == 1 else below_zero(a.v))

    def abs(self, a: Bits) -> Bits:
        return Bits(self, a.width, np.abs(a.v.view(SIGNED[a.width])).view(a.v.dtype))

    def min(self, t: Signedness, a: Bits, b: Bits | int) -> Bits:
        return self._extreme(np.minimum, t, a, self.operand(b, a.width))

    def max(self, t: Signedness, a: Bits, b: Bits | int) -> Bits:
        return self._extreme(np.maximum, t, a, self.operand(b, a.width))

    def _extreme(self, ufunc: Callable[..., Array], t: Signedness, a: Bits, b: Bits) -> Bits:
        if a.width != b.width:
            raise TypeError(f"`{ufunc.__name__}` of {a.width} and {b.width} bits")
        p, q = paired(a.v, b.v)
        return Bits(self, a.width, signed_ufunc(ufunc)(p, q) if t.signed else ufunc(p, q))

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
        return Bits(self, a.width, np.where(zero, np.array([-1]).astype(a.v.dtype), d) if any_set(zero) else d)

    def clz(self, a: Bits) -> Bits:
        """The exponent of the value as a float; bits of 64-bit values are cleared first, so that none can round up."""
        v = a.v & ~(a.v >> a.v.dtype.type(1)) if a.width == 64 else a.v
        exponent = v.astype(np.float64).view(np.uint64) >> np.uint64(52)
        return Bits(self, 32, np.minimum(1022 + a.width - exponent, a.width).astype(np.uint32))

    if hasattr(np, "bitwise_count"):  # NumPy 2

        def popc(self, a: Bits) -> Bits:
            return Bits(self, 32, np.bitwise_count(a.v).astype(np.uint32))
