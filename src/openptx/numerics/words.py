"""Words that hold significands: a lane value, or for the 106-bit products of f64 a pair of 64-bit limbs."""

from __future__ import annotations

from openptx.numerics.bits import Bits
from openptx.numerics.integers import Integers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Word(Protocol):
        """Bits or Wide; the two never mix in one operation."""

        @property
        def width(self) -> int: ...
        def __add__(self, b: Any) -> Any: ...
        def __sub__(self, b: Any) -> Any: ...
        def __or__(self, b: Any) -> Any: ...
        def __lt__(self, b: Any) -> Bits: ...
        def __lshift__(self, n: Bits | int) -> Any: ...
        def __rshift__(self, n: Bits | int) -> Any: ...


class Wide:
    """A 128-bit word: the few operations that rounding and exact sums need."""

    __slots__ = ("high", "low", "width", "x")

    def __init__(self, x: Integers, low: Bits, high: Bits) -> None:
        self.x, self.low, self.high, self.width = x, low, high, 128

    def __add__(self, b: Wide) -> Wide:
        low = self.low + b.low
        return Wide(self.x, low, self.high + b.high + self.x.resize(low < b.low, 64))

    def __sub__(self, b: Wide) -> Wide:
        return Wide(self.x, self.low - b.low, self.high - b.high - self.x.resize(self.low < b.low, 64))

    def __or__(self, b: Wide) -> Wide:
        return Wide(self.x, self.low | b.low, self.high | b.high)

    def __lt__(self, b: Wide) -> Bits:
        return (self.high < b.high) | ((self.high == b.high) & (self.low < b.low))

    # Total shifts make these branch-free: at most one of the two terms is nonzero, or they do not overlap.
    def __lshift__(self, n: Bits | int) -> Wide:
        n = self.x.operand(n, 32)
        return Wide(self.x, self.low << n, (self.high << n) | (self.low << (n - 64)) | (self.low >> (64 - n)))

    def __rshift__(self, n: Bits | int) -> Wide:
        n = self.x.operand(n, 32)
        return Wide(self.x, (self.low >> n) | (self.high >> (n - 64)) | (self.high << (64 - n)), self.high >> n)

    def leading_zeros(self) -> Bits:
        clear = self.high == 0
        return self.x.clz(self.x.select(clear, self.low, self.high)) + self.x.pick(clear, self.x.const(64, 32), 0)


def widen(x: Integers, a: Bits, w: int) -> Word:
    """`a` left-aligned in a word of `w` bits."""
    if w == 128:
        return Wide(x, x.const(0, 64), aligned(x, a, 64))
    return aligned(x, a, w)


def aligned(x: Integers, a: Bits, w: int) -> Bits:
    """`a` left-aligned in `w` bits."""
    return a if a.width == w else x.resize(a, w) << w - a.width


def lowest(a: Word) -> Bits:
    """The lane value that holds the lowest bits."""
    if isinstance(a, Wide):
        return a.low
    assert isinstance(a, Bits)
    return a


def highest(a: Word) -> Bits:
    if isinstance(a, Wide):
        return a.high
    assert isinstance(a, Bits)
    return a


def narrow(x: Integers, a: Word, w: int) -> Bits:
    """The low `w` bits, or all of `a` extended to them."""
    return x.resize(lowest(a), w)


def choose(x: Integers, p: Bits, a: Word, b: Word) -> Word:
    if isinstance(a, Wide) and isinstance(b, Wide):
        return Wide(x, x.select(p, a.low, b.low), x.select(p, a.high, b.high))
    return x.select(p, lowest(a), lowest(b))


def is_zero(a: Word) -> Bits:
    return ((a.low | a.high) if isinstance(a, Wide) else lowest(a)) == 0


def odd(x: Integers, a: Word) -> Bits:
    """The lowest bit, as width 1."""
    return x.resize(lowest(a), 1)


def top(x: Integers, a: Word) -> Bits:
    """The highest bit, as width 1."""
    return x.negative(highest(a))


def leading_zeros(x: Integers, a: Word) -> Bits:
    return a.leading_zeros() if isinstance(a, Wide) else x.clz(lowest(a))


def shift_jam(x: Integers, a: Word, n: Bits) -> Word:
    """`a >> n` with the lowest bit set if a set bit was shifted out."""
    kept = a >> n
    lost = x.invert(is_zero(a - (kept << n)))
    if isinstance(kept, Wide):
        return Wide(x, kept.low | x.resize(lost, 64), kept.high)
    return kept | x.resize(lost, a.width)
