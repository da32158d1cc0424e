"""A lane value with undefined bits, and the undefined bits of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any, cast

import numpy as np

from openptx.array_types import Array
from openptx.numerics import Bits
from openptx.numerics.bits import Core
from openptx.numerics.numpy_machine import UNSIGNED
from openptx.program import Op


class Use(IntEnum):
    """How undefined bits have been used since they were read. Decides whether storing them is reported
    (`values.stored`)."""

    MOVED = 0
    """Only copied and masked: not reported."""
    COPIED = 1
    """Only copied and masked, and all bits of a word are undefined in some lane: a warning."""
    COMPUTED = 2
    """Operands of arithmetic: reported if all bits of the result are undefined."""
    DERIVED = 3
    """Operands of arithmetic, and all bits of a word were undefined, or factors of a product that is no shift: any
    undefined bits of the result are reported."""
    CHOSEN = 4
    """They selected one of two different values, like a branch: reported."""


class Masked(Bits):
    """`undefined` is an array like `v`: a bit is set if the value's bit is undefined. `origin` is the instruction that
    produced such bits, `use` how they have been used since. `terms` has for each lane the number of an undefined value
    of which this one differs by a defined addend, so that subtracting it gives a defined result; 0 for none.
    """

    __slots__ = ("origin", "terms", "undefined", "use")

    def __init__(
        self, x: Core, width: int, v: Array, undefined: Array, origin: Op | None, use: Use, terms: Array | None = None
    ) -> None:
        super().__init__(x, width, v)
        self.undefined, self.origin, self.use, self.terms = undefined, origin, use, terms


def mask(b: Bits) -> Array:
    """The undefined bits of a value."""
    return b.undefined if isinstance(b, Masked) else NOTHING[b.width]


def terms(b: Bits) -> Array:
    """The numbers of the undefined values of which a value differs by a defined addend."""
    return b.terms if isinstance(b, Masked) and b.terms is not None else NO_TERM


def is_masked(*operands: object) -> bool:
    return any(isinstance(b, Masked) for b in operands)


NO_TERM = np.zeros(1, np.int64)
NOTHING = {w: np.zeros(1, dtype) for w, dtype in UNSIGNED.items()}
EVERYTHING = {w: ~zeros for w, zeros in NOTHING.items()}


def masked_in(values: Iterable[Any]) -> list[Masked]:
    """The values with undefined bits, also those inside tuples and lists."""
    found: list[Masked] = []
    for value in values:
        if isinstance(value, Masked):
            found.append(value)
        elif isinstance(value, tuple | list):
            found += masked_in(cast("tuple[Any, ...]", value))
    return found


def plain(value: Any) -> Any:
    """A value, or values in tuples and lists, without the undefined bits."""
    if isinstance(value, Masked):
        return Bits(value.x, value.width, value.v)
    if isinstance(value, tuple | list):
        parts = [plain(part) for part in cast("tuple[Any, ...]", value)]
        return parts if isinstance(value, list) else tuple(parts)
    return value


# Undefined bits of results, from the operands' values and undefined bits. A lower bound clears all undefined bits, an
# upper bound sets them: bits that agree in both are defined.


def of_and(a: Array, b: Array, u: Array, w: Array) -> Array:
    return (u | w) & (a | u) & (b | w)


def of_or(a: Array, b: Array, u: Array, w: Array) -> Array:
    return (u | w) & (~a | u) & (~b | w)


def of_xor(a: Array, b: Array, u: Array, w: Array) -> Array:
    return u | w


def of_add(a: Array, b: Array, u: Array, w: Array) -> Array:
    if a.dtype == np.bool_:
        return u | w
    return (((a & ~u) + (b & ~w)) ^ ((a | u) + (b | w))) | u | w


def of_sub(a: Array, b: Array, u: Array, w: Array) -> Array:
    if a.dtype == np.bool_:
        return u | w
    return (((a & ~u) - (b | w)) ^ ((a | u) - (b & ~w))) | u | w


def of_mul(a: Array, b: Array, u: Array, w: Array) -> Array:
    """All bits from the lowest undefined one on, unless the other factor is 0."""
    if a.dtype == np.bool_:
        return of_and(a, b, u, w)
    some = u | w
    zero = ((a == 0) & (u == 0)) | ((b == 0) & (w == 0))
    return np.where(zero, np.zeros(1, a.dtype), some | (~some + some.dtype.type(1)))


def of_any(a: Array, b: Array, u: Array, w: Array) -> Array:
    return np.where((u | w) != 0, ~np.zeros(1, a.dtype), np.zeros(1, a.dtype))


def of_equal(a: Array, b: Array, u: Array, w: Array) -> Array:
    """Differing defined bits decide."""
    some = u | w
    return (some != 0) & (((a ^ b) & ~some) == 0)


def of_less(a: Array, b: Array, u: Array, w: Array) -> Array:
    if a.dtype == np.bool_:
        return u | w
    certain = ((a | u) < (b & ~w)) | ((a & ~u) >= (b | w))
    return ((u | w) != 0) & ~certain


def of_less_signed(a: Array, b: Array, u: Array, w: Array) -> Array:
    if a.dtype == np.bool_:
        return u | w
    flip = a.dtype.type(1) << a.dtype.type(8 * a.itemsize - 1)
    return of_less(a ^ flip, b ^ flip, u, w)


def terms_of_sum(op: str, a: Bits, b: Bits) -> tuple[Array, Array]:
    """Of a sum or difference: the lanes in which the undefined addend cancels out, and the terms of the result. An
    exclusive prefix sum is often computed as the inclusive one less the lane's own addend."""
    some, others, left, right = mask(a) != 0, mask(b) != 0, terms(a), terms(b)
    cancels = some & others & (left == right) & (left != 0) & (op == "sub")
    return cancels, np.where(some & others, NO_TERM, np.where(others, right if op == "add" else NO_TERM, left))


RULES: dict[str, Callable[[Array, Array, Array, Array], Array]] = {
    "and": of_and,
    "or": of_or,
    "xor": of_xor,
    "add": of_add,
    "sub": of_sub,
    "mul": of_mul,
    "udiv": of_any,
    "urem": of_any,
    "eq": of_equal,
    "ult": of_less,
    "slt": of_less_signed,
}
MOVES = frozenset(("and", "or", "xor", "shl", "shr", "sar"))
"""Operations that only move and mask bits."""
SHIFTS = frozenset(("shl", "shr", "sar"))


def use_of(op: str, a: Bits, b: Bits) -> Use:
    """How an operation uses undefined bits. Code that copies memory shifts by whole bytes; other shifts are
    multiplications, divisions and bit fields."""
    unknown = op in SHIFTS and isinstance(b, Masked)
    moves = op in MOVES and not unknown and not (op in SHIFTS and (b.v & b.v.dtype.type(7)).any())
    if not moves and any(operand.use == Use.COPIED for operand in masked_in((a, b))):
        return Use.DERIVED
    if op == "mul" and a.width > 1 and not any(is_power(factor) for factor in (a, b)):
        return Use.DERIVED
    return Use.MOVED if op in MOVES and not unknown else Use.COMPUTED


def is_power(factor: Bits) -> bool:
    """Whether a factor is defined, and 0 or a power of two in all lanes: the product is a shift."""
    return not isinstance(factor, Masked) and not (factor.v & (factor.v - factor.v.dtype.type(1))).any()
