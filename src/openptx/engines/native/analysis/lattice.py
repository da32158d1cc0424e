"""Lane values, and the lattice of facts about registers.

`Bits.v` of the emitter is one of
* an int: the same number in every lane,
* a tuple of 32 ints: known numbers,
* a Value: `base + lanes[i]` in lane i where `lanes` are known offsets (all zero: uniform), or a whole vector.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf

from openptx.engines.native.analysis.lane_patterns import ALIKE, VARYING, ZEROS, Pattern, common, pattern_of

N = 32
"""Lanes of a warp."""

Lanes = tuple[int, ...]


def vector_type(w: int) -> str:
    return f"<{N} x i{w}>"


class Value:
    """The name of a value in the emitted text.

    With `lanes`, `name` is the scalar of the lane with offset 0; without, it is a vector. Offsets are not negative and
    stay far below the width, and the lane's value is their sum modulo the width. `tz` low bits of the base are zero,
    and the base is at most `high`. `raw` is the same value as a float whose NaNs are not canonical yet; then `name` may
    be empty until the bits are needed. `bound` limits the float's magnitude; if it is finite, the float is not a NaN.
    A float that is `flushed` is not subnormal. `origin` is the pointer that an address was computed from, by its key in
    the entry values: a guess, which saves looking up the address's slot. `near`, of a vector of 64 bits: the base and
    offsets of which its lanes are the sums modulo 2^32. `reduced`: a guess, too, that a float is what a number exceeds
    its floor by, in [0, 1). `pattern`, of a vector: a guess at how its lanes differ.
    """

    __slots__ = (
        "bound", "flushed", "high", "lanes", "name", "near", "origin", "pattern", "raw", "reduced", "tz", "vector",
    )  # fmt: skip

    def __init__(self, name: str, lanes: Lanes | None, tz: int = 0, high: int = -1, raw: str = "") -> None:
        self.name, self.lanes, self.tz, self.high, self.raw = name, lanes, tz, high, raw
        self.vector = "" if lanes is not None else name
        self.bound, self.flushed, self.reduced = inf, False, False
        self.pattern = VARYING
        self.origin: object = None
        self.near: Value | None = None

    def __repr__(self) -> str:
        return f"Value({self.name or self.raw}, {self.lanes if self.lanes not in (None, ZEROS) else ''})"


Known = int | Lanes
V = Known | Value


def trailing_zeros(c: int) -> int:
    return (c & -c).bit_length() - 1 if c else 64


@lru_cache(4096)
def normal(lanes: Lanes, w: int) -> tuple[int, Lanes] | None:
    """`lanes` modulo 2^w as a smallest number and offsets from it; None if the offsets span half the range."""
    half, mask = 1 << w - 1, (1 << w) - 1
    values = [v & mask for v in lanes]
    low = min(values)
    if max(values) - low >= half:
        values = [v - (mask + 1) if v & half else v for v in values]
        low = min(values)
        if max(values) - low >= half:
            return None
    if low == max(values):
        return low & mask, ZEROS
    return low & mask, tuple(v - low for v in values)


def as_lanes(v: Known) -> Lanes:
    return (v,) * N if isinstance(v, int) else v


def collapse(lanes: Lanes) -> Known:
    """A single int if all lanes agree."""
    first = lanes[0]
    return first if all(v == first for v in lanes) else lanes


class Fact:
    """The facts about a register between blocks: constant, offsets, low zero bits, a bound, whether it is kept as a
    float, and the origin of an address. `finite`: one of several constants that are finite as floats. `pattern`:
    a guess at how lanes differ that have no offsets."""

    __slots__ = ("finite", "high", "known", "lanes", "origin", "pattern", "raw", "tz")

    def __init__(
        self, known: Known | None, lanes: Lanes | None, tz: int = 0, high: int = -1, raw: bool = False,
        origin: object = None, finite: bool = False, pattern: Pattern = VARYING,
    ) -> None:  # fmt: skip
        self.known, self.lanes, self.tz, self.high, self.raw, self.origin = known, lanes, tz, high, raw, origin
        self.finite = finite
        offsets = lanes if lanes is not None or known is None else as_lanes(known)
        self.pattern = pattern if offsets is None else ALIKE if offsets is ZEROS else pattern_of(offsets)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fact) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def key(self) -> tuple[object, ...]:
        return (self.known, self.lanes, self.tz, self.high, self.raw, self.origin, self.finite, self.pattern)

    def __repr__(self) -> str:
        return f"Fact{self.key()}"


def varying(raw: bool = False, origin: object = None, finite: bool = False, pattern: Pattern = VARYING) -> Fact:
    return Fact(None, None, 0, -1, raw, origin, finite, pattern)


def fact_of(v: V, w: int) -> Fact:
    """The facts about a value."""
    if isinstance(v, Value):
        return Fact(None, v.lanes, v.tz, v.high, bool(v.raw) and not v.name, v.origin, pattern=v.pattern)
    found = normal(as_lanes(v), w)
    finite = is_finite(v, w)
    if found is None:
        return Fact(v, None, finite=finite)
    return Fact(v, found[1], min(trailing_zeros(found[0]), w), found[0], finite=finite)


_EXPONENT = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF << 52}


def is_finite(known: V, w: int) -> bool:
    """Whether it is a constant that is finite as a float, which may be kept together with raw floats."""
    exponent = _EXPONENT.get(w, 0)
    return not isinstance(known, Value) and all(v & exponent != exponent for v in as_lanes(known))


def join(a: Fact, b: Fact, widen: bool) -> Fact:
    """The join: facts that hold for both. With `widen`, bounds that grew are dropped, so that loops converge."""
    if a.known is not None and a.known == b.known:
        return a
    raw = (a.raw and (b.raw or b.finite)) or (b.raw and a.finite)
    finite = a.finite and b.finite
    origin = a.origin if a.origin == b.origin else None
    if a.lanes is None or a.lanes != b.lanes:
        return varying(raw, origin, finite, common(a.pattern, b.pattern))
    tz = min(a.tz, b.tz)
    bounded = min(a.high, b.high) >= 0 and not (widen and b.high > a.high)
    return Fact(None, a.lanes, tz, max(a.high, b.high) if bounded else -1, raw, origin, finite)
