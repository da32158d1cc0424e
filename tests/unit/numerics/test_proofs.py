"""Proofs by z3 for all operands: the definitions are those of IEEE 754, of integers, and of the manual."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

z3 = pytest.importorskip("z3", reason="proofs need z3-solver")

from symbolic import Symbolic, counterexample  # noqa: E402

from openptx.isa.instructions import extended_precision  # noqa: E402
from openptx.numerics import FORMATS, Arithmetic, Bits, S, U  # noqa: E402
from openptx.numerics.numpy_machine import NumpyMachine  # noqa: E402

MODES = {"rn": z3.RNE(), "rna": z3.RNA(), "rz": z3.RTZ(), "rm": z3.RTN(), "rp": z3.RTP()}
x = Symbolic()


def sort(name: str) -> Any:
    f = FORMATS[name]
    return z3.FPSort(f.exp, f.man + 1)


def code(v: Any, name: str) -> Any:
    """The code of a z3 float as it stands in a register; NaN canonical."""
    f = FORMATS[name]
    return z3.If(z3.fpIsNaN(v), z3.BitVecVal(f.nan or 0, f.storage), z3.fpToIEEEBV(v))


def narrowed(a: Any, d: str) -> Any:
    """What a NaN of f64 becomes: its sign and the upper bits of its payload, and it is quiet (H100)."""
    f = FORMATS[d]
    sign, payload = z3.Extract(63, 63, a), z3.Extract(50, 52 - f.man, a)
    return z3.Concat(sign, z3.BitVecVal((1 << f.exp + 1) - 1, f.exp + 1), payload)


def operand(name: str, letter: str = "a") -> tuple[Bits, Any]:
    f = FORMATS[name]
    v = z3.BitVec(letter, f.storage)
    return Bits(x, f.storage, v), z3.fpBVToFP(v, sort(name))


@pytest.mark.parametrize("rnd", MODES)
@pytest.mark.parametrize("d", ["f16", "bf16", "e5m2"])
def test_f32_narrows_as_ieee(d: str, rnd: str) -> None:
    """All 2^32 operands, every direction."""
    a, v = operand("f32")
    got = x.convert(FORMATS[d], FORMATS["f32"], a, rnd)
    assert counterexample(got.v == code(z3.fpFPToFP(MODES[rnd], v, sort(d)), d), a.v) is None


@pytest.mark.parametrize("rnd", ["rn", "rp"])
@pytest.mark.parametrize("d", ["f16", "bf16"])
def test_f64_narrows_as_ieee(d: str, rnd: str) -> None:
    """All 2^64 operands."""
    a, v = operand("f64")
    got = x.convert(FORMATS[d], FORMATS["f64"], a, rnd)
    number = z3.fpToIEEEBV(z3.fpFPToFP(MODES[rnd], v, sort(d)))
    assert counterexample(got.v == z3.If(z3.fpIsNaN(v), narrowed(a.v, d), number), a.v) is None


@pytest.mark.parametrize("s", ["f16", "bf16"])
def test_nan_of_halves_is_widened_and_back(s: str) -> None:
    """Sign and payload go to f64 and come back, quieted (H100)."""
    a, v = operand(s)
    back = x.convert(FORMATS[s], FORMATS["f64"], x.convert(FORMATS["f64"], FORMATS[s], a))
    assert counterexample(back.v == z3.If(z3.fpIsNaN(v), a.v | FORMATS[s].hidden >> 1, a.v), a.v) is None


@pytest.mark.parametrize(("d", "s"), [("f32", "f16"), ("f32", "bf16"), ("f64", "f32")])
def test_widening_is_exact(d: str, s: str) -> None:
    a, v = operand(s)
    got = x.convert(FORMATS[d], FORMATS[s], a)
    wide = z3.fpFPToFP(z3.RNE(), v, sort(d))
    number = z3.Not(z3.fpIsNaN(v))
    assert counterexample(z3.Implies(number, got.v == z3.fpToIEEEBV(wide)), a.v) is None


@pytest.mark.parametrize("rnd", ["rn", "rz"])
def test_integers_become_floats_as_ieee(rnd: str) -> None:
    a = z3.BitVec("a", 16)
    for t, to_fp in ((S, z3.fpSignedToFP), (U, z3.fpUnsignedToFP)):
        got = x.from_int(FORMATS["f16"], t, Bits(x, 16, a), rnd)
        assert counterexample(got.v == z3.fpToIEEEBV(to_fp(MODES[rnd], a, sort("f16"))), a) is None


@pytest.mark.parametrize("d", ["e4m3", "e2m3", "e3m2", "e2m1"])
@pytest.mark.parametrize("rnd", ["rn", "rz"])
def test_the_lower_half_of_f32_is_sticky(d: str, rnd: str) -> None:
    """What lanes look up in 65,536 entries: of the lower 16 bits only matters whether they are zero."""
    a, _ = operand("f32")
    f32 = FORMATS["f32"]
    jammed = (a & 0xFFFF0000) | (x.resize((a & 0xFFFF) != 0, 32) << 16)
    table = (jammed & 0xFFFF0000) | ((jammed >> 16) & 1)  # what the entry of an odd index was made from
    full = x.convert(FORMATS[d], f32, a, rnd, satfinite=True)
    assert counterexample(full.v == x.convert(FORMATS[d], f32, table, rnd, satfinite=True).v, a.v) is None


def test_integer_primitives() -> None:
    a, b = z3.BitVec("a", 16), z3.BitVec("b", 16)
    p, q = Bits(x, 16, a), Bits(x, 16, b)
    ones = z3.Sum([z3.ZeroExt(31, z3.Extract(i, i, a)) for i in range(16)])
    first = z3.BitVecVal(16, 32)
    for i in range(16):
        first = z3.If(z3.Extract(i, i, a) == 1, z3.BitVecVal(15 - i, 32), first)
    high = z3.Extract(31, 16, z3.SignExt(16, a) * z3.SignExt(16, b))
    mirrored = z3.Concat(*[z3.Extract(i, i, a) for i in range(16)])
    assert counterexample(x.popc(p).v == ones, a) is None
    assert counterexample(x.clz(p).v == first, a) is None
    assert counterexample(x.reverse(p).v == mirrored, a) is None
    assert counterexample(x.mulhi(S, p, q).v == high, a) is None
    assert counterexample(x.join(x.split(p, 8)).v == a, a) is None


@pytest.mark.parametrize("name", ["f16", "bf16", "f32", "f64"])
def test_comparisons(name: str) -> None:
    a, v = operand(name)
    b, w = operand(name, "b")
    f = FORMATS[name]
    assert counterexample((x.fless(f, a, b).v == 1) == z3.fpLT(v, w), a.v) is None
    assert counterexample((x.fequal(f, a, b).v == 1) == z3.fpEQ(v, w), a.v) is None
    assert counterexample((x.isnan(f, a).v == 1) == z3.fpIsNaN(v), a.v) is None
    tests = {
        "finite": z3.Not(z3.Or(z3.fpIsInf(v), z3.fpIsNaN(v))),
        "infinite": z3.fpIsInf(v),
        "notanumber": z3.fpIsNaN(v),
    }
    tests |= {
        "normal": z3.Or(z3.fpIsNormal(v), z3.fpIsZero(v)),
        "subnormal": z3.fpIsSubnormal(v),
        "number": z3.Not(z3.fpIsNaN(v)),
    }
    for op, expected in tests.items():
        assert counterexample((x.testp(f, op, a).v == 1) == expected, a.v) is None, op


def test_carries_join_halves() -> None:
    """Chains of sums and of differences are those of twice the width, and mixed ones see the carry of a + ~b + 1."""
    a, b = z3.BitVec("a", 32), z3.BitVec("b", 32)
    m: Any = SimpleNamespace(cc=True)
    low = [Bits(x, 16, z3.Extract(15, 0, v)) for v in (a, b)]
    high = [Bits(x, 16, z3.Extract(31, 16, v)) for v in (a, b)]
    forms: Any = extended_precision
    for first, then, d, carry in (
        (forms.add_cc, forms.addc, a + b, z3.Not(z3.BVAddNoOverflow(a, b, False))),
        (forms.sub_cc, forms.subc, a - b, z3.UGE(a, b)),
    ):
        d0, c0 = first.meaning(x, m, *low)
        d1, c1 = then.meaning(x, m, *high, c0)
        assert counterexample(z3.Concat(d1.v, d0.v) == d, a) is None
        assert counterexample((c1.v == 1) == carry, a) is None


def test_a_false_claim_is_refuted() -> None:
    """The proofs can fail: truncation is not rounding, and the counterexample is one."""
    a, v = operand("f32")
    f16, f32 = FORMATS["f16"], FORMATS["f32"]
    found = counterexample(x.convert(f16, f32, a, "rz").v == code(z3.fpFPToFP(z3.RNE(), v, sort("f16")), "f16"), a.v)
    assert found is not None
    y = NumpyMachine()
    lanes = y.lanes(np.array([found], np.uint32))
    assert y.convert(f16, f32, lanes, "rz").v != y.convert(f16, f32, lanes, "rn").v


def test_a_lost_sticky_bit_is_refuted() -> None:
    class Forgetful(Symbolic):
        """Rounds half up wherever the half bit is set and the rest is not looked at."""

        def up(self, sign: Bits, sig: Any, n: Bits, kept: Any, rnd: str, rbits: Any = None) -> Bits:
            return Arithmetic.up(self, sign, sig & (kept << n | (1 << n - 1)), n, kept, rnd, rbits)

    y = Forgetful()
    v = z3.BitVec("a", 32)
    f16, f32 = FORMATS["f16"], FORMATS["f32"]
    right = code(z3.fpFPToFP(z3.RNE(), z3.fpBVToFP(v, sort("f32")), sort("f16")), "f16")
    assert counterexample(y.convert(f16, f32, Bits(y, 32, v)).v == right, v) is not None


@pytest.mark.sweep
@pytest.mark.parametrize("rnd", ["rn", "rp"])
def test_half_addition(rnd: str) -> None:
    """All 2^32 pairs of f16."""
    a, v = operand("f16")
    b, w = operand("f16", "b")
    got = x.fadd(FORMATS["f16"], a, b, rnd)
    assert counterexample(got.v == code(z3.fpAdd(MODES[rnd], v, w), "f16"), a.v, 900) is None
