"""Affine lane values, `base + lanes[i]`, and the core operations on them.

Pure functions, generic in the type of a base: `step` computes the scalar part of an operation. In emission a base is a
number or the name of an SSA value; in the analysis, a number or `UNKNOWN`. Both share this code, so emission never
knows less than the analysis promised.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from openptx.engines.native.analysis.lattice import (
    ZEROS,
    Known,
    Lanes,
    V,
    Value,
    as_lanes,
    collapse,
    normal,
    trailing_zeros,
)

Base = int | str
Step = Callable[[str, Base, Base, int], Base]

UNKNOWN = "?"
"""A base of which nothing is known."""

_BITWISE = frozenset(("and", "or", "xor"))


def as_signed(a: int, w: int) -> int:
    return a - (1 << w) if a >> w - 1 else a


# The operators on Python integers of w bits; the caller masks the result.
FOLD: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda a, b, w: a + b,
    "sub": lambda a, b, w: a - b,
    "mul": lambda a, b, w: a * b,
    "udiv": lambda a, b, w: a // b if b else -1,
    "urem": lambda a, b, w: a % b if b else a,
    "and": lambda a, b, w: a & b,
    "or": lambda a, b, w: a | b,
    "xor": lambda a, b, w: a ^ b,
    "shl": lambda a, b, w: a << b if b < w else 0,
    "shr": lambda a, b, w: a >> b if b < w else 0,
    "sar": lambda a, b, w: as_signed(a, w) >> min(b, w),
    "eq": lambda a, b, w: int(a == b),
    "ult": lambda a, b, w: int(a < b),
    "slt": lambda a, b, w: int(as_signed(a, w) < as_signed(b, w)),
}


class Affine(NamedTuple):
    """`base + lanes[i]` modulo the width in lane i. `tz` low bits of the base are zero; it is at most `high` (-1:
    unbounded)."""

    base: Base
    lanes: Lanes
    tz: int
    high: int

    @property
    def constant(self) -> int | None:
        """The number, if it is the same in all lanes."""
        return self.base if isinstance(self.base, int) and self.lanes is ZEROS else None


ZERO = Affine(0, ZEROS, 64, 0)


def fold(op: str, a: Known, b: Known, w: int) -> Known:
    """The result of known numbers, modulo the width."""
    if isinstance(a, int) and isinstance(b, int):
        return FOLD[op](a, b, w) & ((1 << w) - 1)
    return fold_lanes(op, a, b, w)


@lru_cache(4096)
def fold_lanes(op: str, a: Known, b: Known, w: int) -> Known:
    """The result lane by lane. Memoised, because each pass over a kernel folds the same numbers again: nine in ten for
    Triton."""
    f, mask = FOLD[op], (1 << w) - 1
    return collapse(tuple(f(p, q, w) & mask for p, q in zip(as_lanes(a), as_lanes(b), strict=True)))


# Conversion between values and this form


def affine_of(v: V, w: int) -> Affine | None:
    """The value as base and offsets; None if it has no such form."""
    if isinstance(v, int):
        return Affine(v, ZEROS, min(trailing_zeros(v), w), v)
    if isinstance(v, tuple):
        found = normal(v, w)
        return found and Affine(found[0], found[1], min(trailing_zeros(found[0]), w), found[0])
    if v.lanes is None or not v.name:
        return None
    return Affine(v.name, v.lanes, v.tz, v.high)


def value_of(a: Affine, w: int) -> V:
    """The value of base and offsets: a number, or 32 of them, if the base is known."""
    base, lanes = a.base, a.lanes
    if isinstance(base, int):
        mask = (1 << w) - 1
        return base if lanes is ZEROS else collapse(tuple((base + v) & mask for v in lanes))
    if a.high == 0 and lanes is ZEROS:
        return 0
    return Value(base, lanes, a.tz, a.high)


def upper_bound(v: Value, w: int) -> int:
    """An upper bound of all lanes."""
    if v.high < 0 or v.lanes is None:
        return (1 << w) - 1
    bound = v.high + (0 if v.lanes is ZEROS else max(v.lanes))
    return min(bound, (1 << w) - 1)


# Operators


def combine(op: str, a: Affine, b: Affine, w: int, step: Step) -> Affine | None:
    """The result as base and offsets, for the operators that keep this form."""
    if op in ("add", "sub"):
        return total(op, a, b, w, step)
    c = b.constant
    if op in ("or", "xor") and c is None and not possible_bits(a, w) & possible_bits(b, w):
        return total("add", a, b, w, step)  # as compilers put indices together
    if op in ("mul", "shl") and c is not None:
        return scaled(op, a, c, w, step)
    if op == "mul" and a.lanes is ZEROS and b.lanes is ZEROS:
        high = within(a.high * b.high, w) if a.high >= 0 and b.high >= 0 else -1
        return Affine(step("mul", a.base, b.base, w), ZEROS, min(w, a.tz + b.tz), high)
    return by_number(op, a, c, w, step) if c is not None else None


def within(bound: int, w: int) -> int:
    """A bound, dropped if it may not fit."""
    return bound if 0 <= bound < 1 << w else -1


@lru_cache(4096)
def union(lanes: Lanes) -> int:
    found = 0
    for v in lanes:
        found |= v
    return found


def possible_bits(a: Affine, w: int) -> int:
    """The bits that may be set in some lane."""
    mask = (1 << w) - 1
    if isinstance(a.base, int):
        return union(tuple([(a.base + v) & mask for v in a.lanes]))
    lanes = union(a.lanes)
    if lanes >> a.tz:  # base and offsets carry into each other
        low, high = min(a.tz, trailing_zeros(lanes)), within(a.high + max(a.lanes), w) if a.high >= 0 else -1
        lanes = 0
    else:
        low, high = a.tz, a.high
    base = mask if high < 0 else (1 << high.bit_length()) - 1
    return lanes | (base & (mask << low))


def total(op: str, a: Affine, b: Affine, w: int, step: Step) -> Affine | None:
    """The sum or difference (`op`) of two values; None if its offsets span half the range."""
    low, lanes = 0, a.lanes
    if b.lanes is not ZEROS:
        sign = 1 if op == "add" else -1
        found = normal(tuple(p + sign * q for p, q in zip(a.lanes, b.lanes, strict=True)), w)
        if found is None:
            return None
        low, lanes = found
    base, tz = step(op, a.base, b.base, w), min(a.tz, b.tz)
    if low:
        return Affine(step("add", base, low, w), lanes, min(tz, trailing_zeros(low)), -1)
    high = within(a.high + b.high, w) if op == "add" and a.high >= 0 and b.high >= 0 else -1
    return Affine(base, lanes, tz, high)


def scaled(op: str, a: Affine, by: int, w: int, step: Step) -> Affine | None:
    """Multiplied by a number, or shifted left by one."""
    factor = by if op == "mul" else (1 << by if by < w else 0)
    if not factor:
        return ZERO
    found = normal(tuple(p * factor for p in a.lanes), w) if a.lanes is not ZEROS else (0, ZEROS)
    if found is None:
        return None
    low, lanes = found
    base, tz = step(op, a.base, by, w), a.tz + trailing_zeros(factor)
    if low:
        return Affine(step("add", base, low, w), lanes, min(tz, trailing_zeros(low)), -1)
    return Affine(base, lanes, min(w, tz), within(a.high * factor, w))


def by_number(op: str, a: Affine, c: int, w: int, step: Step) -> Affine | None:
    """The result of an operation with a number. If the offsets lie below the base's lowest bit, it distributes over
    base and offsets."""
    if op in ("udiv", "urem"):
        if not c or c & (c - 1):
            return None
        op, c = ("shr", c.bit_length() - 1) if op == "udiv" else ("and", c - 1)
    top = max(a.lanes)
    if op == "and" and a.high >= 0 and c & (c + 1) == 0 and a.high + top <= c:
        return a
    if top >> a.tz:
        return ZERO if op in ("shr", "sar") and shifts_out(op, a, c, w) else None
    if op in _BITWISE:
        return bitwise(op, a, c, w, step) if a.lanes is not ZEROS else bitwise_uniform(op, a, c, w, step)
    return shifted_right(op, a, c, w, step) if op in ("shr", "sar") else None


def shifts_out(op: str, a: Affine, c: int, w: int) -> bool:
    """Whether a right shift by `c` leaves zero in every lane."""
    most = a.high + max(a.lanes)
    if a.high < 0 or most >= 1 << c:
        return False
    return op == "shr" or (most < 1 << w - 1 and c < w - 1)


def bitwise_uniform(op: str, a: Affine, c: int, w: int, step: Step) -> Affine:
    if op == "and":
        base = step("and", a.base, c & -(1 << a.tz), w) if a.tz < w else 0
        return Affine(base, ZEROS, max(a.tz, trailing_zeros(c)), c if a.high < 0 else min(c, a.high))
    base = step(op, a.base, c, w)
    return Affine(base, ZEROS, min(a.tz, trailing_zeros(c)), reach(a.high, c))


def reach(high: int, c: int) -> int:
    """The bound after `or` or `xor` with `c`."""
    return -1 if high < 0 else (1 << max(high.bit_length(), c.bit_length())) - 1


def bitwise(op: str, a: Affine, c: int, w: int, step: Step) -> Affine | None:
    """`and`, `or` or `xor` with `c`: bits below the lowest of the base act on the offsets, the others on the base."""
    below = (1 << a.tz) - 1
    upper = c & ~below
    found = normal(tuple(FOLD[op](v, c & below, w) for v in a.lanes), w)
    if found is None:
        return None
    low, lanes = found
    base = step(op, a.base, upper, w)
    if op == "and":
        tz, high = min(w, max(a.tz, trailing_zeros(upper))), upper if a.high < 0 else min(a.high, upper)
    else:
        tz, high = min(a.tz, trailing_zeros(upper)), reach(a.high, c)
    if low:
        base = step("add", base, low, w)
        tz, high = min(tz, trailing_zeros(low)), -1 if high < 0 else high + low
    return Affine(base, lanes, tz, high)


def shifted_right(op: str, a: Affine, c: int, w: int, step: Step) -> Affine | None:
    """A right shift by `c`, of the base and of the offsets, which lie below the base's lowest bit."""
    if c >= w:
        return ZERO if op == "shr" else None
    if op == "sar" and a.high >= 0 and a.high + max(a.lanes) < 1 << w - 1:
        op = "shr"
    found = normal(tuple(v >> c for v in a.lanes), w) if a.lanes is not ZEROS else (0, ZEROS)
    assert found is not None
    low, lanes = found
    base = step(op, a.base, c, w)
    if low:
        return Affine(step("add", base, low, w), lanes, 0, -1)
    unbounded = -1 if op == "sar" else (1 << w - c) - 1  # what may be negative has no bound, shifted or not
    high = a.high >> c if a.high >= 0 and op == "shr" else unbounded
    return Affine(base, lanes, max(0, a.tz - c), high)
