"""Every primitive that the emitter has a faster way for gives the bits of its definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from lanes import differences

from openptx.numerics import FORMATS, S, U
from openptx.numerics.bits import Core

F32, F64, F16, BF16 = (FORMATS[name] for name in ("f32", "f64", "f16", "bf16"))


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


ARITHMETIC = [("fadd", 2), ("fsub", 2), ("fmul", 2), ("fdiv", 2), ("fma", 3), ("fsqrt", 1)]


@pytest.mark.parametrize("rnd", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize("ftz", [False, True])
def test_f32_arithmetic(rnd: str, ftz: bool) -> None:
    for op, count in ARITHMETIC:

        def act(x: Any, *a: Any, op: str = op) -> Any:
            return getattr(x, op)(F32, *a, rnd, ftz)

        assert differences(act, [32] * count, [F32] * count) == 0, op


@pytest.mark.parametrize("rnd", ["rn", "rm"])
def test_f64_arithmetic_and_its_payloads(rnd: str) -> None:
    for op, count in ARITHMETIC:

        def act(x: Any, *a: Any, op: str = op) -> Any:
            return getattr(x, op)(F64, *a, rnd)

        assert differences(act, [64] * count, [F64] * count, n=1024) == 0, op


PAIRS = [(F32, F16), (F16, F32), (F32, BF16), (BF16, F32), (F32, F64), (F64, F32), (F32, FORMATS["e4m3"])]


@pytest.mark.parametrize(("s", "d"), PAIRS, ids=repr)
def test_conversions(s: Any, d: Any) -> None:
    assert differences(lambda x, a: x.convert(d, s, a), [s.storage], [s], n=1 << 14) == 0


@pytest.mark.parametrize("f", [F32, F64], ids=repr)
@pytest.mark.parametrize("rnd", ["rni", "rzi", "rmi", "rpi"])
def test_floats_to_integers(f: Any, rnd: str) -> None:
    def every(x: Any, a: Any) -> tuple[Any, ...]:
        whole = (x.integral(f, a, rnd),)
        return whole + tuple(x.to_int(t, f, a, rnd, w=w) for t in (S, U) for w in (8, 16, 32, 64))

    assert differences(every, [f.storage], [f]) == 0


@pytest.mark.parametrize("w", [8, 16, 32, 64])
def test_integers_to_floats(w: int) -> None:
    def every(x: Any, a: Any) -> tuple[Any, ...]:
        return tuple(x.from_int(f, t, a, rnd) for f in (F32, F64) for t in (S, U) for rnd in ("rn", "rz"))

    assert differences(every, [w], n=512) == 0


def test_a_wrong_claim_is_noticed() -> None:
    wrong: Callable[..., Any] = lambda x, a, b: x.fadd(F32, a, b) if hasattr(x, "out") else x.fsub(F32, a, b)  # noqa: E731
    assert differences(wrong, [32, 32], [F32, F32]) > 0
