"""Update functions of atomics: what replaces the old word. Engines may recognise these functions by identity and
implement them faster."""

from __future__ import annotations

from functools import cache

from openptx.numerics import S, U

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine, Update, Word
    from openptx.numerics import Bits, Format


# fmt: off
def add(x: Machine, old: Bits, b: Bits) -> Bits: return old + b
def exchange(x: Machine, old: Word, b: Word) -> Word: return b
def bit_and(x: Machine, old: Bits, b: Bits) -> Bits: return old & b
def bit_or(x: Machine, old: Bits, b: Bits) -> Bits: return old | b
def bit_xor(x: Machine, old: Bits, b: Bits) -> Bits: return old ^ b
def min_signed(x: Machine, old: Bits, b: Bits) -> Bits: return x.min(S, old, b)
def max_signed(x: Machine, old: Bits, b: Bits) -> Bits: return x.max(S, old, b)
def min_unsigned(x: Machine, old: Bits, b: Bits) -> Bits: return x.min(U, old, b)
def max_unsigned(x: Machine, old: Bits, b: Bits) -> Bits: return x.max(U, old, b)
# fmt: on


def increment(x: Machine, old: Bits, b: Bits) -> Bits:
    """Counts up to `b`, then restarts at 0."""
    return x.pick(old >= b, 0, old + 1)


def decrement(x: Machine, old: Bits, b: Bits) -> Bits:
    """Counts down to 0, then restarts at `b`; also restarts if above `b`."""
    return x.select((old == 0) | (old > b), b, old - 1)


def compare_and_swap(x: Machine, old: Word, b: Word, c: Word) -> Word:
    """`c` if the old word equals `b`."""
    if isinstance(old, tuple):
        assert isinstance(b, tuple)
        assert isinstance(c, tuple)
        same = (old[0] == b[0]) & (old[1] == b[1])
        return x.select(same, c[0], old[0]), x.select(same, c[1], old[1])
    assert not isinstance(b, tuple)
    assert not isinstance(c, tuple)
    return x.select(old == b, c, old)


# fmt: off
_UPDATES: dict[str, Update] = {
    "and":  bit_and,    "or":  bit_or,            "xor": bit_xor,
    "exch": exchange,   "cas": compare_and_swap,  "add": add,
    "inc":  increment,  "dec": decrement,
}
# fmt: on
"""The updates of integers, by `.op`, whose meaning does not depend on a sign."""

_EXTREMES: dict[tuple[str, bool], Update] = {
    ("min", True): min_signed,
    ("min", False): min_unsigned,
    ("max", True): max_signed,
    ("max", False): max_unsigned,
}
"""The others, by `.op` and whether the type is signed."""


def integer_update(op: str, signed: bool) -> Update:
    """The update of integers."""
    return _EXTREMES[op, signed] if op in ("min", "max") else _UPDATES[op]


FLOAT_SUMS: dict[Update, Format] = {}
"""The formats of the updates that `float_sum` made, so that engines may implement them faster as well."""

IDEMPOTENT = frozenset(("cas", "exch", "and", "or", "min", "max"))
"""The `.op` of atomics that change nothing if they are executed again with the same operands."""

KEPT_BY_ZERO: frozenset[Update] = frozenset((add, bit_or, bit_xor))
"""Updates that change nothing if the operand is 0, by which programs read."""

ORDERED: set[Update] = {compare_and_swap}
"""Updates whose final value in memory depends on their order: sums of floats, which round one by one, and
compare-and-swap, which builds such sums on targets without an atomic for the type."""


@cache
def float_sum(f: Format) -> Update:
    """Rounded to nearest even. If a further operand is present and 0, subnormal numbers are flushed."""

    def update(x: Machine, old: Bits, b: Bits, keep: Bits | None = None) -> Bits:
        exact = x.fadd(f, old, b)
        return exact if keep is None else x.select(keep != 0, exact, x.fadd(f, old, b, ftz=True))

    FLOAT_SUMS[update] = f
    ORDERED.add(update)
    return update


@cache
def each(update: Update, w: int) -> Update:
    """The update applied to every `w`-bit part of a packed word."""

    def halves(x: Machine, old: Bits, b: Bits) -> Bits:
        parts = [update(x, p, q) for p, q in zip(x.split(old, w), x.split(b, w), strict=True)]
        return x.join([part for part in parts if not isinstance(part, tuple)])

    if update in ORDERED:
        ORDERED.add(halves)
    return halves


@cache
def float_extreme(f: Format, largest: bool) -> Update:
    """The smaller or the larger; a NaN loses against a number."""

    def update(x: Machine, old: Bits, b: Bits) -> Bits:
        return x.fmax(f, old, b) if largest else x.fmin(f, old, b)

    return update
