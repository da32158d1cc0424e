"""Floating-point operations of the symbolic machine: first uninterpreted, then exact.

An uninterpreted operation is a function of which only is known that equal operands give equal results. That is enough
if both kernels do the same operations on the same values, and costs the solver nothing. An exact operation is z3's IEEE
754 if the format and `.ftz` allow, else the definition in `numerics` on bits. `.approx` has no exact meaning here.
Integer arithmetic on codes (comparisons, negation, minimum, saturation) is always exact.
"""

from __future__ import annotations

from typing import Any

import z3

from openptx.numerics import Bits, Format, Signedness
from openptx.numerics.conversion import TO_INTEGER
from openptx.numerics.rounding import RandomBits
from openptx.prove.terms import Terms, vector

MODES = {"rn": z3.RNE(), "rz": z3.RTZ(), "rm": z3.RTN(), "rp": z3.RTP(), "rna": z3.RNA()}
IEEE = ("f16", "bf16", "f32", "f64")


def sort(f: Format) -> z3.SortRef:
    return z3.FPSort(f.exp, f.man + 1)


class SymbolicFloats(Terms):
    exact = False

    def __init__(self) -> None:
        self.uninterpreted = 0
        """The number of applications of uninterpreted functions."""

    def apply(self, name: str, w: int, *operands: Bits, commutes: bool = False) -> Bits:
        """An uninterpreted function of some values."""
        self.uninterpreted += 1
        terms = [vector(a.v, a.width) for a in operands]
        if commutes and structural(terms[0]) > structural(terms[1]):
            terms[:2] = terms[1], terms[0]
        sorts = [z3.BitVecSort(a.width) for a in operands]
        return Bits(self, w, z3.Function(name, *sorts, z3.BitVecSort(w))(*terms))

    def fadd(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.arithmetic("fadd", f, (a, b), rnd, ftz)

    def fmul(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.arithmetic("fmul", f, (a, b), rnd, ftz)

    def fma(self, f: Format, a: Bits, b: Bits, c: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.arithmetic("fma", f, (a, b, c), rnd, ftz)

    def fdiv(self, f: Format, a: Bits, b: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.arithmetic("fdiv", f, (a, b), rnd, ftz)

    def fsqrt(self, f: Format, a: Bits, rnd: str = "rn", ftz: bool = False) -> Bits:
        return self.arithmetic("fsqrt", f, (a,), rnd, ftz)

    def arithmetic(self, op: str, f: Format, operands: tuple[Bits, ...], rnd: str, ftz: bool) -> Bits:
        """One operation, rounded once; a NaN operand of f64 is propagated."""
        if all(isinstance(a.v, int) for a in operands) or (self.exact and (ftz or f.name not in IEEE)):
            return getattr(super(), op)(f, *operands, rnd, ftz)
        if self.exact:
            d = self.code(f, FUNCTIONS[op](MODES[rnd], *[z3.fpBVToFP(vector(a.v, a.width), sort(f)) for a in operands]))
        else:
            name = f"{op}.{rnd}{'.ftz' if ftz else ''}.{f.name}"
            d = self.apply(name, f.storage, *operands, commutes=op in ("fadd", "fmul", "fma"))
        return self.payload(f, d, op, *operands)

    def code(self, f: Format, value: z3.FPRef) -> Bits:
        """A float of z3's as its code; NaN canonical."""
        nan = z3.BitVecVal(f.nan or 0, f.storage)
        return Bits(self, f.storage, z3.If(z3.fpIsNaN(value), nan, z3.fpToIEEEBV(value)))

    def convert(
        self, d: Format, s: Format, a: Bits, rnd: str = "rn", *, ftz: bool = False, satfinite: bool = False,
        rbits: RandomBits | None = None,
    ) -> Bits:  # fmt: skip
        if self.exact or d is s or isinstance(a.v, int) or rbits is not None:
            return super().convert(d, s, a, rnd, ftz=ftz, satfinite=satfinite, rbits=rbits)
        flags = f"{'.ftz' if ftz else ''}{'.satfinite' if satfinite else ''}"
        return self.apply(f"convert.{rnd}{flags}.{d.name}.{s.name}", d.storage, a)

    def from_int(
        self, f: Format, t: Signedness, a: Bits, rnd: str = "rn", *, ftz: bool = False, satfinite: bool = False
    ) -> Bits:
        if isinstance(a.v, int):
            return super().from_int(f, t, a, rnd, ftz=ftz, satfinite=satfinite)
        if not self.exact:
            name = f"from_int.{rnd}{'.ftz' if ftz else ''}{'.satfinite' if satfinite else ''}.{f.name}"
            return self.apply(f"{name}.{'s' if t.signed else 'u'}{a.width}", f.storage, a)
        if f.name not in IEEE or ftz or satfinite:
            return super().from_int(f, t, a, rnd, ftz=ftz, satfinite=satfinite)
        return self.code(f, (z3.fpSignedToFP if t.signed else z3.fpUnsignedToFP)(MODES[rnd], a.v, sort(f)))

    def to_int(self, t: Signedness, f: Format, a: Bits, rnd: str, *, w: int, ftz: bool = False) -> Bits:
        if self.exact or isinstance(a.v, int):
            return super().to_int(t, f, a, rnd, w=w, ftz=ftz)
        rnd = TO_INTEGER.get(rnd, rnd)
        return self.apply(f"to_int.{rnd}{'.ftz' if ftz else ''}.{f.name}.{'s' if t.signed else 'u'}{w}", w, a)

    def integral(self, f: Format, a: Bits, rnd: str, ftz: bool = False) -> Bits:
        if self.exact or isinstance(a.v, int):
            return super().integral(f, a, rnd, ftz)
        return self.apply(f"integral.{TO_INTEGER.get(rnd, rnd)}{'.ftz' if ftz else ''}.{f.name}", f.storage, a)

    # Always uninterpreted: their definitions are tables.

    def mufu(self, op: str, a: Bits) -> Bits:
        return super().mufu(op, a) if isinstance(a.v, int) else self.apply(f"mufu.{op}", 32, a)

    def approx_upper(self, op: str, a: Bits) -> Bits:
        return super().approx_upper(op, a) if isinstance(a.v, int) else self.apply(f"upper.{op}", 64, a)


FUNCTIONS: dict[str, Any] = {
    "fadd": z3.fpAdd,
    "fmul": z3.fpMul,
    "fma": z3.fpFMA,
    "fdiv": z3.fpDiv,
    "fsqrt": z3.fpSqrt,
}


def structural(term: z3.BitVecRef) -> int:
    """A number shared by equal terms, even if one of them is created again later, unlike an object's identity."""
    return term.hash()
