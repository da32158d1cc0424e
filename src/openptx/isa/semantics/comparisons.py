"""Comparison operators of `set` and `setp` (9.7.6, 9.7.7), and the operators that combine their results."""

from __future__ import annotations

from openptx.numerics import FORMATS, Bits, Signedness, U

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.machine import Machine
    from openptx.isa.types import Type

UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def compare(x: Machine, op: str, t: Type, a: Bits, b: Bits, ftz: bool = False) -> Bits:
    """Whether `a op b`, in width 1. Ordered float comparisons are false with a NaN, those ending in `u` true."""
    if t.format is None:
        return integers(x, UNSIGNED.get(op, op), U if op in UNSIGNED else t, a, b)
    f = FORMATS[t.format]
    a, b = x.flush(f, a, ftz), x.flush(f, b, ftz)
    if op == "num":
        return ~x.unordered(f, a, b)
    if op == "nan":
        return x.unordered(f, a, b)
    unordered = op.endswith("u")
    ordered = {
        "eq": lambda: x.fequal(f, a, b),
        "ne": lambda: ~x.fequal(f, a, b) & ~x.unordered(f, a, b),
        "lt": lambda: x.fless(f, a, b),
        "le": lambda: x.fless(f, a, b) | x.fequal(f, a, b),
        "gt": lambda: x.fless(f, b, a),
        "ge": lambda: x.fless(f, b, a) | x.fequal(f, a, b),
    }[op.removesuffix("u")]()
    return ordered | x.unordered(f, a, b) if unordered else ordered


def integers(x: Machine, op: str, t: Signedness, a: Bits, b: Bits) -> Bits:
    """Whether `a op b` of integers of the type's signedness."""
    if op == "eq":
        return a == b
    if op == "ne":
        return a != b
    if op in ("gt", "le"):
        a, b = b, a
    less = x.less(t, a, b)
    return ~less if op in ("ge", "le") else less


def combine(op: str | None, p: Bits, c: Bits | None) -> Bits:
    """`BoolOp(p, c)`; `p` alone without an operator."""
    if op is None or c is None:
        return p
    return {"and": p & c, "or": p | c, "xor": p ^ c}[op]
