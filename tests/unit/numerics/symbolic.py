"""A machine whose values are z3 bit vectors, to prove properties of the definitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from openptx.numerics import Arithmetic, Bits


def total(op: Callable[[Any, Any], Any], otherwise: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: z3.If(b == 0, otherwise(a), op(a, b))


# SMT-LIB's shifts and divisions are total in the way of the protocol already.
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "udiv": z3.UDiv,
    "urem": z3.URem,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b,
    "shr": z3.LShR,
    "sar": lambda a, b: a >> b,
    "eq": lambda a, b: a == b,
    "ult": z3.ULT,
    "slt": lambda a, b: a < b,
}
COMPARISONS = ("eq", "ult", "slt")


class Symbolic(Arithmetic):
    """Predicates are bit vectors of width 1, like everything else."""

    def const(self, value: int, w: int) -> Bits:
        return Bits(self, w, z3.BitVecVal(value, w))

    def binary(self, op: str, a: Bits, b: Bits) -> Bits:
        assert a.width == b.width
        d = OPERATORS[op](a.v, b.v)
        if op in COMPARISONS:
            return Bits(self, 1, z3.If(d, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)))
        return Bits(self, a.width, d)

    def select(self, p: Bits, a: Bits, b: Bits) -> Bits:
        return Bits(self, a.width, z3.If(p.v == 1, a.v, b.v))

    def resize(self, a: Bits, w: int, signed: bool = False) -> Bits:
        if w <= a.width:
            return Bits(self, w, z3.Extract(w - 1, 0, a.v))
        return Bits(self, w, (z3.SignExt if signed else z3.ZeroExt)(w - a.width, a.v))


def counterexample(claim: Any, variable: Any, seconds: int = 120) -> int | None:
    """A value of `variable` for which `claim` is false; None where it is proved."""
    solver = z3.Solver()
    solver.set("timeout", 1000 * seconds)
    solver.add(z3.Not(claim))
    verdict = solver.check()
    assert verdict != z3.unknown, f"no answer in {seconds} s"
    return None if verdict == z3.unsat else solver.model().eval(variable, model_completion=True).as_long()
