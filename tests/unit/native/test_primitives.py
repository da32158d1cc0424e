"""Every primitive with a faster implementation in the emitter gives the bits of its definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from lanes import Bench, differences, without

from openptx.engines.native.analysis.lattice import Value
from openptx.llvm.host import CPU, host
from openptx.numerics import FORMATS, Bits, S, U
from openptx.numerics.bits import Core

F32, F64, F16, BF16 = (FORMATS[name] for name in ("f32", "f64", "f16", "bf16"))
RN_RZ = ("rn", "rz")


@pytest.mark.parametrize("w", [1, 8, 16, 32, 64])
def test_operators_are_total(w: int) -> None:
    for op in Core.OPERATORS:
        assert differences(lambda x, a, b, op=op: x.binary(op, a, b), [w, w], n=512) == 0, f"{op} of {w} bits"


@pytest.mark.parametrize("w", [8, 32, 64])
@pytest.mark.parametrize("c", [0, 1, 5, 31, 32, 127])
def test_operators_with_known_numbers(w: int, c: int) -> None:
    def every(x: Any, a: Any) -> tuple[Any, ...]:
        return tuple(x.binary(op, a, x.const(c % (1 << w), w)) for op in Core.OPERATORS)

    assert differences(every, [w], n=512) == 0


@pytest.mark.parametrize("w", [32, 64])
def test_integer_primitives(w: int) -> None:
    def every(x: Any, a: Any, b: Any) -> tuple[Any, ...]:
        signed = [f(t, a, b) for t in (S, U) for f in (x.divide, x.remainder, x.mulhi, x.min, x.max, x.less)]
        return (*signed, x.clz(a), x.popc(a), x.reverse(a), x.abs(a))

    assert differences(every, [w, w]) == 0


ARITHMETIC = [("fadd", 2), ("fsub", 2), ("fsubr", 2), ("fmul", 2), ("fdiv", 2), ("fma", 3), ("fsqrt", 1)]


@pytest.mark.parametrize("rnd", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize("ftz", [False, True])
def test_f32_arithmetic(rnd: str, ftz: bool) -> None:
    for op, count in ARITHMETIC:

        def act(x: Any, *a: Any, op: str = op) -> Any:
            return getattr(x, op)(F32, *a, rnd, ftz)

        for cpu in {host(), without("avx512", "fp16")} if rnd == "rn" else {host()}:
            assert differences(act, [32] * count, [F32] * count, cpu=cpu) == 0, op


@pytest.mark.parametrize("rnd", ["rn", "rm"])
def test_f64_arithmetic_and_its_payloads(rnd: str) -> None:
    for op, count in ARITHMETIC:

        def act(x: Any, *a: Any, op: str = op) -> Any:
            return getattr(x, op)(F64, *a, rnd)

        assert differences(act, [64] * count, [F64] * count, n=1024) == 0, op


@pytest.mark.parametrize("f", [F32, F64, F16], ids=repr)
def test_signs_limits_and_extremes(f: Any) -> None:
    """Of operands as bits, and of results that nobody has looked at; their bits are looked at in the end."""

    def every(x: Any, a: Any, b: Any, c: Any) -> Any:
        s = x.fadd(f, a, b) if f is not F64 else b  # payloads of f64 sums are tested elsewhere
        found = [x.saturate(f, a), x.saturate(f, s), x.fneg(f, s), x.fabs(f, s), x.fneg(f, a, True), x.fabs(f, a)]
        for nan in (False, True):
            for xorsign in (False, True):
                found += [g(f, s, c, nan=nan, xorsign=xorsign) for g in (x.fmin, x.fmax)]
            found += [x.fmax(f, a, s, c, nan=nan), x.fmin(f, a, x.fneg(f, s), nan=nan)]
        found += [x.fmul(f, x.fneg(f, s), c), x.fadd(f, x.fabs(f, s), c)] if f is not F64 else []
        return tuple(found)

    assert differences(every, [f.storage] * 3, [f] * 3, n=1 << 14) == 0


@pytest.mark.parametrize("f", [F32, F16], ids=repr)
def test_results_are_flushed_once(f: Any) -> None:
    """What is no subnormal number by now need not be made zero again; everything else must be."""

    def every(x: Any, a: Any, b: Any, c: Any) -> Any:
        p, q, large = x.fmul(f, a, b, "rn", True), x.fmul(f, a, b), x.const(f.largest, f.storage)
        found = [x.fma(f, p, c, a, "rn", True), x.fadd(f, x.fneg(f, p), x.fabs(f, q), "rn", True), p, q]
        found += [x.fmul(f, x.fmax(f, p, q), large, "rn", True), x.fmul(f, x.saturate(f, q), c, "rn", True)]
        found += [x.fadd(f, x.select(x.less(U, a, b), p, q), c, "rn", True), x.flush(f, q), x.flush(f, x.fneg(f, q))]
        found += [x.fmul(f, x.convert(f, F16 if f is F32 else F32, x.resize(a, 16 if f is F32 else 32)), c, "rn", True)]
        return tuple(found)

    assert differences(every, [f.storage] * 3, [f] * 3, n=1 << 14) == 0


def test_numbers_known_to_be_none_stay_numbers() -> None:
    """What is at most 1 is no NaN, and neither are its sums with known numbers; but with unknown ones they may be."""

    def every(x: Any, a: Any, b: Any) -> Any:
        s = x.saturate(F32, a)
        one, large = x.const(0x3F800000, 32), x.const(0x7F7FFFFF, 32)
        sum = x.fma(F32, s, x.const(0x437C0000, 32), one, "rm")
        found = (sum, x.fmul(F32, s, b), x.fadd(F32, s, b), x.fmul(F32, s, x.const(0x7F800000, 32)), x.fneg(F32, sum))
        return (*found, x.fma(F32, s, large, large), x.fadd(F32, x.fma(F32, s, large, large), x.const(0xFF800000, 32)))

    assert differences(every, [32] * 2, [F32] * 2, n=1 << 13) == 0


def test_a_nan_that_was_looked_at_is_canonical_when_it_becomes_f64() -> None:
    def act(x: Any, a: Any, b: Any) -> Any:
        s = x.fadd(F32, a, b)
        return s ^ 1, x.convert(F64, F32, s), x.convert(F64, F32, x.fneg(F32, s))

    assert differences(act, [32] * 2, [F32] * 2, n=1 << 13) == 0


PAIRS = [(F32, F16), (F16, F32), (F32, BF16), (BF16, F32), (F32, F64), (F64, F32), (F32, FORMATS["e4m3"])]


@pytest.mark.parametrize(("s", "d"), PAIRS, ids=repr)
def test_conversions(s: Any, d: Any) -> None:
    assert differences(lambda x, a: x.convert(d, s, a), [s.storage], [s], n=1 << 14) == 0


@pytest.mark.parametrize("f", [F32, F64, F16], ids=repr)
@pytest.mark.parametrize("rnd", ["rni", "rzi", "rmi", "rpi"])
def test_floats_to_integers(f: Any, rnd: str) -> None:
    def every(x: Any, a: Any) -> tuple[Any, ...]:
        whole = (x.integral(f, a, rnd),) if f is not F16 else ()
        return whole + tuple(x.to_int(t, f, a, rnd, w=w) for t in (S, U) for w in (8, 16, 32, 64))

    assert differences(every, [f.storage], [f]) == 0


@pytest.mark.parametrize("w", [8, 16, 32, 64])
def test_integers_to_floats(w: int) -> None:
    def every(x: Any, a: Any) -> tuple[Any, ...]:
        return tuple(x.from_int(f, t, a, rnd) for f in (F32, F64) for t in (S, U) for rnd in RN_RZ)

    def halves(x: Any, a: Any) -> tuple[Any, ...]:
        small = x.resize(a, 32) & (1 << min(w, 17)) - 1  # most wider numbers become infinite
        return tuple(x.from_int(f, t, b, rnd) for f in (F16, BF16) for t in (S, U) for b in (a, small) for rnd in RN_RZ)

    assert differences(every, [w], n=512) == 0
    assert differences(halves, [w], n=1 << 12) == 0


def test_a_wrong_claim_is_noticed() -> None:
    wrong: Callable[..., Any] = lambda x, a, b: x.fadd(F32, a, b) if hasattr(x, "ir") else x.fsub(F32, a, b)  # noqa: E731
    assert differences(wrong, [32, 32], [F32, F32]) > 0


@pytest.mark.parametrize("cpu", [host(), without("fp16"), without("avx512", "fp16")], ids=["host", "words", "avx2"])
def test_conversions_to_integers_are_not_lane_by_lane(cpu: CPU) -> None:
    """LLVM makes 32 scalar conversions of a saturating one of a vector."""
    for f in (F32, F64, F16) if cpu.x86 else ():
        x = Bench(cpu)
        lanes = Bits(x, f.storage, Value("%a", None))
        for t in (S, U):
            x.to_int(t, f, lanes, "rzi", w=32)
        assert not any(".sat." in line for line in x.ir.lines)


@pytest.mark.parametrize("w", [8, 16])
def test_signed_parts_of_words(w: int) -> None:
    def parts(x: Any, a: Any) -> tuple[Any, ...]:
        found = tuple(x.resize(x.resize(a >> n, w), 32, True) for n in (0, 3, 32 - w))
        if isinstance(x, Bench):  # two shifts, where LLVM would move the parts together and apart
            assert not any("sext" in line for line in x.ir.lines)
        return found

    assert differences(parts, [32], n=512) == 0


def test_integers_become_halves_by_the_processor() -> None:
    for f, w in ((F16, 64), (F16, 32), (F16, 8), (BF16, 16), (BF16, 8)) if host().f16c else ():
        x = Bench(host())
        x.from_int(f, S, Bits(x, w, Value("%a", None)), "rn")
        assert not x.functions, (f, w)
