"""Approximate functions: the manual's tables of special operands, and its error bounds."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numeric_cases import codes

from openptx.numerics import FORMATS
from openptx.numerics.numpy_machine import NumpyMachine

x = NumpyMachine()
F32, F64 = FORMATS["f32"], FORMATS["f64"]
INF, NAN, ONE = 0x7F800000, 0x7FFFFFFF, 0x3F800000
MINUS = 1 << 31

# fmt: off
#           -inf          -1             -0            +0    +inf   NaN          the manual's tables
SPECIAL = {
    "ex2":   (0,            0x3F000000,  ONE,          ONE,  INF,   NAN),
    "lg2":   (NAN,          NAN,         MINUS | INF,  MINUS | INF, INF, NAN),
    "rcp":   (MINUS,        MINUS | ONE, MINUS | INF,  INF,  0,     NAN),
    "rsqrt": (NAN,          NAN,         MINUS | INF,  INF,  0,     NAN),
    "sqrt":  (NAN,          NAN,         MINUS,        0,    INF,   NAN),
    "sin":   (NAN,          0xBF576AA3,  MINUS,        0,    NAN,   NAN),
    "cos":   (NAN,          0x3F0A5141,  ONE,          ONE,  NAN,   NAN),
    "tanh":  (MINUS | ONE,  0xBF42F848,  MINUS,        0,    ONE,   NAN),
}
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "ex2": lambda a: 2.0**a,
    "lg2": math.log2,
    "rcp": lambda a: 1 / a,
    "rsqrt": lambda a: 1 / math.sqrt(a),
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tanh": math.tanh,
}
# fmt: on
POSITIVE = ("lg2", "rsqrt", "sqrt")


@pytest.mark.parametrize("op", SPECIAL)
def test_special_operands(op: str) -> None:
    a = np.array([MINUS | INF, MINUS | ONE, MINUS, 0, INF, 0xFFC00001], np.uint32)
    assert [int(v) for v in x.approx(op, F32, x.lanes(a)).v] == list(SPECIAL[op])


def operands(op: str) -> np.ndarray:
    a = codes(F32, 4000)
    v = a.view(np.float32)
    keep = np.isfinite(v) & (v != 0)
    keep &= (v > 0) if op in POSITIVE else True
    keep &= (np.abs(v) < 120) if op == "ex2" else True
    keep &= (np.abs(v) > 1e-38) if op == "rcp" else True
    return a[keep]


def allowed(op: str, v: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """The error that the manual allows; angles beyond 100 pi have none."""
    ulp = np.spacing(np.abs(exact).astype(np.float32)).astype(float)
    if op in ("sin", "cos"):
        return np.select([np.abs(v) <= 2 * np.pi, np.abs(v) <= 100 * np.pi], [2**-20.5, 2**-14.7], np.inf)
    if op == "lg2":
        return np.where((v > 0.5) & (v < 2), 2.0**-22, 2.0**-22 * np.abs(exact))
    relative = {"rsqrt": 2**-22.9, "sqrt": 2.0**-23, "tanh": 2.0**-11}
    return relative[op] * np.abs(exact) if op in relative else {"ex2": 2, "rcp": 1}[op] * ulp


@pytest.mark.parametrize("op", FUNCTIONS)
def test_bounds(op: str) -> None:
    """An H100's results, which these are, stay within the manual's bounds."""
    a = operands(op)
    v = a.view(np.float32).astype(float)
    exact = np.array([FUNCTIONS[op](e) for e in v])
    got = x.approx(op, F32, x.lanes(a)).v.view(np.float32).astype(float)
    tiny = np.abs(exact) < 2.0**-126  # results that are subnormal are rounded once more
    assert np.all(
        (np.abs(got - exact) <= allowed(op, v, exact) + tiny * 2.0**-149)[~tiny | (op not in ("sin", "tanh"))]
    )


@pytest.mark.parametrize(("op", "name", "relative", "absolute"), [
    ("ex2", "f16", 2**-9.9, 2.0**-24),  # beside the bound, the smallest subnormal: results are cut
    ("ex2", "bf16", 2.0**-7, 0.0),
    ("tanh", "f16", 0.0, 2**-10.987),
    ("tanh", "bf16", 0.0, 2.0**-8 + 2.0**-11),  # cut as well; an H100 is that much beyond the bound
])  # fmt: skip
def test_bounds_of_halves(op: str, name: str, relative: float, absolute: float) -> None:
    f = FORMATS[name]
    a = np.arange(1 << 16, dtype=np.uint16)
    v = x.convert(F64, f, x.lanes(a)).v.view(np.float64)
    a, v = a[np.isfinite(v)], v[np.isfinite(v)]
    got = x.convert(F64, f, x.approx(op, f, x.lanes(a), ftz=name == "bf16" and op == "ex2")).v.view(np.float64)
    largest = 65504.0 if name == "f16" else 3.3e38
    inside = (np.abs(v) < 126) & (v < math.log2(largest)) if op == "ex2" else np.full(v.shape, True)
    exact = np.array([FUNCTIONS[op](float(e)) for e in v[inside]])
    assert np.all(np.abs(got[inside] - exact) <= relative * np.abs(exact) + absolute)


def test_large_angles() -> None:
    """The angle in turns is an f32: from 2^26 on it is a whole number."""
    a = x.lanes(np.array([0x7F7FFFFF, 0x6F000001, 0x5A5A5A5A, 0xCF000000], np.uint32))
    assert x.approx("sin", F32, a).v.tolist() == [0, 0, 0, MINUS]
    assert x.approx("cos", F32, a).v.tolist() == [ONE] * 4


def test_flushing() -> None:
    a = np.array([1, MINUS | 1, 0x007FFFFF, 0x7F000001], np.uint32)
    assert [int(v) for v in x.approx("rcp", F32, x.lanes(a), ftz=True).v] == [INF, MINUS | INF, INF, 0]
    assert [int(v) for v in x.approx("sqrt", F32, x.lanes(a[:3]), ftz=True).v] == [0, MINUS, 0]
    assert [int(v) for v in x.approx("sin", F32, x.lanes(a[:2]), ftz=True).v] == [0, MINUS]
    assert x.approx("ex2", F32, x.const(0xC2FF0000, 32), ftz=True).v == 0  # 2^-127.5
    assert x.approx("ex2", F32, x.const(0xC2FF0000, 32)).v != 0


def test_division() -> None:
    one, huge, infinity = x.const(ONE, 32), x.const(0x7F000001, 32), x.const(INF, 32)
    assert x.approx_div(F32, one, huge).v == 0
    assert x.approx_div(F32, x.const(MINUS | ONE, 32), huge).v == MINUS
    assert x.approx_div(F32, infinity, huge).v == NAN
    assert x.approx_div(F32, one, infinity).v == 0
    assert x.approx_div(F32, one, x.const(0, 32)).v == INF
    full = x.approx_div(F32, huge, huge, full=True)
    assert full.v == ONE
    a, b = codes(F32, 4000, 1), codes(F32, 4000, 2)
    with np.errstate(all="ignore"):
        exact = a.view(np.float32).astype(float) / b.view(np.float32).astype(float)
        got = x.approx_div(F32, x.lanes(a), x.lanes(b), full=True).v.view(np.float32)
        keep = np.isfinite(exact) & (np.abs(exact) > 2.0**-120) & (np.abs(exact) < 2.0**127)
        errors = np.abs(got[keep].astype(float) - exact[keep]) / np.spacing(np.abs(exact[keep].astype(np.float32)))
    assert keep.sum() > 1000
    assert errors.max() <= 2


def test_upper_halves_of_f64() -> None:
    """rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: the manual's tables; the lower half of operands does not matter."""
    rows = {
        0xFFF0000000000000: (1 << 63, 0x7FFFFFFF00000000),
        0x8000000000000001: (0xFFF0000000000000, 0xFFF0000000000000),
        0x8000000000000000: (0xFFF0000000000000, 0xFFF0000000000000),
        0x0000000000000000: (0x7FF0000000000000, 0x7FF0000000000000),
        0x000FFFFF00000000: (0x7FF0000000000000, 0x7FF0000000000000),
        0x7FF0000000000000: (0, 0),
        0x7FF8000000000001: (0x7FFFFFFF00000000, 0x7FFFFFFF00000000),
        0x4008000012345678: (0x3FD5555500000000, 0x3FE279A700000000),
        0x7FE8000000000000: (0, 0x1FF279A700000000),
    }
    a = x.lanes(np.array(list(rows), np.uint64))
    for i, op in enumerate(("rcp", "rsqrt")):
        assert [hex(int(v)) for v in x.approx_upper(op, a).v] == [hex(row[i]) for row in rows.values()], op


def test_unknown_function() -> None:
    with pytest.raises(ValueError, match="no approximate function is called `exp`"):
        x.approx("exp", F32, x.const(0, 32))
