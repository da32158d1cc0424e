"""The core of the symbolic machine: known values are Python integers, others are z3 terms.

Predicates (width 1) are z3 Booleans, everything else bit vectors. Known values are folded: loops with a fixed count,
frames at fixed offsets and immediate operands never reach the solver.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from openptx.engines.native.analysis.affine import FOLD
from openptx.isa.machine import Machine
from openptx.numerics import Bits
from openptx.numerics.bits import wrapped

Term = Any
"""An int, or a term of z3: BoolRef of width 1, BitVecRef otherwise."""

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "udiv": z3.UDiv,  # SMT-LIB's divisions and shifts are total as the protocol's are
    "urem": z3.URem,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b,
    "shr": z3.LShR,
    "sar": lambda a, b: a >> b,
}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda a, b: a == b,
    "ult": z3.ULT,
    "slt": lambda a, b: a < b,
}
LOGIC: dict[str, Callable[[Any, Any], Any]] = {
    "and": z3.And,
    "or": z3.Or,
    "xor": z3.Xor,
    "eq": lambda a, b: z3.Not(z3.Xor(a, b)),
}


def vector(v: Term, w: int) -> z3.BitVecRef:
    """A value of width `w` as a bit vector."""
    if isinstance(v, int):
        return z3.BitVecVal(v, w)
    return z3.If(v, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)) if w == 1 else v


def truth(v: Term) -> z3.BoolRef:
    """A value of width 1 as a z3 Boolean."""
    return z3.BoolVal(bool(v)) if isinstance(v, int) else v


def simplify(v: Term) -> Term:
    """The value simplified; an int if that makes it known."""
    if isinstance(v, int):
        return v
    v = z3.simplify(v)
    if z3.is_bv_value(v):
        return v.as_long()
    return 1 if z3.is_true(v) else 0 if z3.is_false(v) else v


def same(a: Term, b: Term) -> bool:
    """Whether two values are one and the same term."""
    if isinstance(a, int) or isinstance(b, int):
        return isinstance(a, int) and isinstance(b, int) and a == b
    return a.get_id() == b.get_id()


class Terms(Machine):
    """`const binary select resize`, and operations that z3 expresses better than the definitions."""

    def const(self, value: int, w: int) -> Bits:
        return Bits(self, w, wrapped(value, w))

    def binary(self, op: str, a: Bits, b: Bits) -> Bits:
        w, p, q = a.width, a.v, b.v
        if isinstance(p, int) and isinstance(q, int):
            d = 1 if op in COMPARISONS else w
            return Bits(self, d, FOLD[op](p, q, w) & (1 << d) - 1)
        if (easy := neutral(op, p, q, w)) is not None:
            return Bits(self, w, easy)
        if w == 1 and op in LOGIC:
            return Bits(self, 1, LOGIC[op](truth(p), truth(q)))
        if op == "shl" and isinstance(q, int):  # one canonical form of scaled addresses
            op, q = "mul", 1 << q if q < w else 0
        p, q = vector(p, w), vector(q, w)
        if op in COMPARISONS:
            return Bits(self, 1, COMPARISONS[op](p, q))
        d = ARITHMETIC[op](p, q)
        return Bits(self, w, d == 1 if w == 1 else d)

    def select(self, p: Bits, a: Bits, b: Bits) -> Bits:
        if isinstance(p.v, int):
            return a if p.v else b
        if same(a.v, b.v):
            return a
        if a.width == 1:
            if isinstance(a.v, int) and isinstance(b.v, int):
                return p if a.v else self.invert(p)
            return Bits(self, 1, z3.If(p.v, truth(a.v), truth(b.v)))
        return Bits(self, a.width, z3.If(p.v, vector(a.v, a.width), vector(b.v, a.width)))

    def resize(self, a: Bits, w: int, signed: bool = False) -> Bits:
        if w == a.width:
            return a
        if isinstance(a.v, int):
            v = a.v - (1 << a.width) if signed and a.v >> a.width - 1 else a.v
            return Bits(self, w, v & (1 << w) - 1)
        if a.width == 1:
            return Bits(self, w, z3.If(a.v, z3.BitVecVal(-1 if signed else 1, w), z3.BitVecVal(0, w)))
        if w < a.width:
            part = z3.Extract(w - 1, 0, a.v)
            return Bits(self, w, part == 1 if w == 1 else part)
        return Bits(self, w, (z3.SignExt if signed else z3.ZeroExt)(w - a.width, a.v))

    def invert(self, a: Bits) -> Bits:
        if isinstance(a.v, int):
            return Bits(self, a.width, a.v ^ (1 << a.width) - 1)
        return Bits(self, a.width, z3.Not(a.v) if a.width == 1 else ~a.v)

    def multiply(self, a: Bits, b: Bits) -> tuple[Bits, Bits]:
        if isinstance(a.v, int) and isinstance(b.v, int):
            product = a.v * b.v
            return self.const(product & (1 << 64) - 1, 64), self.const(product >> 64, 64)
        whole = z3.ZeroExt(64, vector(a.v, 64)) * z3.ZeroExt(64, vector(b.v, 64))
        return Bits(self, 64, z3.Extract(63, 0, whole)), Bits(self, 64, z3.Extract(127, 64, whole))


def neutral(op: str, a: Term, b: Term, w: int) -> Term | None:
    """The result if an operand is known and decides it: `a + 0`, `a & 0`, `a * 1`; None otherwise."""
    ones = (1 << w) - 1
    if isinstance(b, int):
        if (b == 0 and op in ("add", "sub", "or", "xor", "shl", "shr", "sar")) or (b == ones and op == "and"):
            return a
        if b == 0 and op in ("and", "mul"):
            return 0
        if b == 1 and op in ("mul", "udiv"):
            return a
        if b == ones and op == "or":
            return ones
    if isinstance(a, int) and op in ("add", "or", "xor", "and", "mul"):
        return neutral(op, b, a, w)
    return None
