"""Cases of mathematics.cu: Python's math with a tolerance, exact rationals where rounding is promised."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case

DOUBLES = [
    math.exp,
    lambda x: math.log(abs(x)),
    lambda x: abs(x) ** 1.7,
    math.sin,
    math.cos,
    math.tan,
    lambda x: math.atan2(x, 3),
    lambda x: math.sqrt(abs(x)),
    math.cbrt,
    math.erf,
    math.tanh,
    lambda x: math.log1p(abs(x)),
    math.expm1,
    math.exp2,
    lambda x: math.log10(abs(x)),
    lambda x: math.hypot(x, 7),
    lambda x: math.fmod(x, 0.7),
    lambda x: math.lgamma(abs(x) + 0.5),
    lambda x: math.asin(x / 41),
    lambda x: x / 3 + 1 / (abs(x) + 1),
]


@case("mathematics.cu", "doubles", grid=20, block=48, builds=("sm_80", "sm_75 -lineinfo", "sm_90a"))
def doubles(r: Generator):
    x = np.concatenate([r.normal(size=36) * 8, np.geomspace(1e-9, 40, 6), [-1.0, 1.0, 0.5, -0.25, 2.0, -40.0]])
    return x, Out(np.array([[f(v) for v in x.tolist()] for f in DOUBLES]), rtol=3e-14, atol=1e-15)


SINGLES = [
    math.exp,
    lambda x: math.log(abs(x)),
    lambda x: abs(x) ** float(np.float32(1.7)),
    lambda x: math.sin(float(np.float32(x) * np.float32(100))),
    math.cos,
    math.tan,
    math.atan,
    lambda x: math.sqrt(abs(x)),
    math.cbrt,
    lambda x: math.erfc(x / 8),
    math.tanh,
    lambda x: math.log2(abs(x)),
    math.exp2,
    lambda x: abs(x) ** -0.5,
    lambda x: x / 3,
    lambda x: math.sinh(x / 4),
]


@case("mathematics.cu", "singles", grid=16, block=40, builds=("sm_80", "sm_75", "sm_80 -G"))
def singles(r: Generator):
    x = np.concatenate([r.normal(size=34) * 6, [1e-6, -1e-3, 1.0, -1.0, 30.0, 12.5]]).astype(np.float32)
    out = np.array([[f(v) for v in x.tolist()] for f in SINGLES]).astype(np.float32)
    return x, Out(out, rtol=1e-6, atol=1e-6)


@case("mathematics.cu", "intrinsics", block=40, builds=("sm_80", "sm_90a", "sm_120"))
def intrinsics(r: Generator):
    """Bounds as the manual gives them: 2**-21 absolute for sine on [-pi, pi]; loose for what is composed."""
    a = r.uniform(0.1, 3, 40).astype(np.float32)
    x = a.astype(float)
    rows = [
        np.sin(x),
        np.cos(x),
        np.exp(x),
        np.log(x),
        np.log2(x),
        x**1.5,
        x / 3,
        x**-0.5,
        np.tan(x),
        10 ** (x / 4),
        np.clip(a - np.float32(1), 0, 1),
        1 / x,
    ]
    return a, Out(np.array(rows, np.float32), rtol=5e-5, atol=2e-6)


def _round(v: Fraction, mode: str, t: type[np.floating]) -> float:
    """The exact value rounded to `t` with the mode n z d u; normal results only, so nearest neighbours decide."""
    if v == 0:  # two opposite numbers: -0 when rounding down alone
        return -0.0 if mode == "d" else 0.0
    near = t(float(v)) if t is np.float64 else t(v.numerator / v.denominator)
    low, high = near, near
    while Fraction(float(low)) > v:
        low = np.nextafter(low, t(-np.inf))
    while Fraction(float(high)) < v:
        high = np.nextafter(high, t(np.inf))
    below, above = Fraction(float(low)), Fraction(float(high))
    if below == above:
        return float(low)
    if mode == "n":
        even = int(low.view(f"u{low.dtype.itemsize}")) % 2 == 0
        nearer_low = v - below < above - v or (v - below == above - v and even)
        return float(low if nearer_low else high)
    down = mode == "d" or (mode == "z" and v > 0)
    return float(low if down else high)


def _roundings(r: Generator, t: type[np.floating], last: list[tuple[str, int]]):
    a, b, c = (np.ldexp(r.normal(size=40), r.integers(-20, 20, 40)).astype(t) for _ in "abc")
    c[:20] = -(a[:20] * b[:20])  # cancellation: what the product's rounding threw away remains
    a[-3:], b[-3:] = [1, 1, 3], [t(2) ** -30, -(t(2) ** -30), 3]
    columns = []
    for x, y, z in zip(*([Fraction(float(v)) for v in w] for w in (a, b, c)), strict=True):
        values = [v for v in (x + y, x * y, x / y, x * y + z) for _ in range(4)]
        modes = list("nzdu" * 4)
        row = [_round(v, m, t) for v, m in zip(values, modes, strict=True)]
        ends = {"sub": x - y, "reciprocal": 1 / y}
        row += [_round(ends[name], mode, t) if name in ends else math.sqrt(abs(x)) for name, mode in last]
        columns.append(row)
    return a, b, c, Out(np.array(columns).T.astype(t).copy())


@case("mathematics.cu", "roundings", block=40, builds=("sm_80", "sm_75", "sm_90a"))
def roundings(r: Generator):
    return _roundings(r, np.float32, [("sub", "d"), ("reciprocal", "u")])


@case("mathematics.cu", "double_roundings", block=40, builds=("sm_80", "sm_80 -G"))
def double_roundings(r: Generator):
    return _roundings(r, np.float64, [("root", "n"), ("reciprocal", "n")])


def _integer(v: float, how: Callable[[float], int], low: int, high: int) -> int:
    """As the manual's page of cvt has it: beyond the ends is the end; NaN is 0 in 32 bits, only the top bit in 64."""
    if math.isnan(v):
        return 2**63 if high > 2**32 else 0
    return max(low, min(high, how(v) if math.isfinite(v) else int(math.copysign(2**80, v))))


def _single(v: int, mode: str) -> float:
    return _round(Fraction(v), mode, np.float32)


@case("mathematics.cu", "conversions", block=40, builds=("sm_80", "sm_90a", "sm_75 -G"), host=False)
def conversions(r: Generator):
    x = np.ldexp(r.normal(size=40), r.integers(-3, 20, 40)).astype(np.float32)
    x[:12] = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3e9, -3e9, np.nan, np.inf, -np.inf, -0.0]
    v = r.integers(-(2**63), 2**63, 40) >> r.integers(0, 63, 40)
    v[:4] = [2**24 + 1, -(2**24) - 3, 2**63 - 1, -(2**63)]
    i32, u32, i64, u64 = (-(2**31), 2**31 - 1), (0, 2**32 - 1), (-(2**63), 2**63 - 1), (0, 2**64 - 1)
    to32, to64, single, wide = [], [], [], []
    for f, n in zip(x.tolist(), v.tolist(), strict=True):
        nearest = _integer(f, round, *i32)
        to32.append(
            [
                nearest,
                _integer(f, math.trunc, *i32),
                _integer(f, math.floor, *i32),
                _integer(f, math.ceil, *i32),
                _integer(f, math.trunc, *u32),
                _integer(f, math.floor, *i32),
                (nearest + 128) % 256 - 128,
            ]
        )
        millions = float(np.float64(f) * 1e6)
        to64.append(
            [
                _integer(f, round, *i64),
                _integer(millions, math.floor, *i64),
                _integer(f, math.ceil, *u64),
                _integer(f, round, *i64),
            ]
        )
        low = (n + 2**31) % 2**32 - 2**31
        away = math.copysign(math.floor(abs(f) + 0.5), f) if math.isfinite(f) else f
        f32 = np.float32(f)
        single.append(
            [
                _single(n, "n"),
                _single(n, "z"),
                _single(n % 2**64, "u"),
                _single(low, "d"),
                np.trunc(f32),
                np.rint(f32),
                np.ceil(f32),
                away,
            ]
        )
        wide.append([float(n), _round(Fraction(n % 2**64), "d", np.float64), f, np.rint(float(n) * 0.25)])
    nan = np.uint32(0x7FFFFFFF)  # PTX's only NaN of a rounding instruction
    singles = np.array(single).T.astype(np.float32).copy()
    raw = singles.view(np.uint32)
    raw[np.isnan(singles)] = nan
    unsigned = np.array([[value % 2**64 for value in row] for row in to64], np.uint64).T.copy().view(np.int64)
    words = np.array([[value % 2**32 for value in row] for row in to32], np.uint32).T.copy().view(np.int32)
    # NaN payloads of copies are not what this is about: compared as values
    return x, v, Out(words), Out(unsigned), Out(singles, atol=1e-300), Out(np.array(wide).T.copy(), atol=1e-300)


@case("mathematics.cu", "classification", block=81, builds=("sm_80", "sm_75", "sm_80 -G"))
def classification(_: Generator):
    edges = np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 1e-45, -3e-39], np.float32)
    a, b = (g.ravel() for g in np.meshgrid(edges, edges))
    rows = []
    for x, y in zip(a, b, strict=True):
        tests = [
            x < y,
            x <= y,
            x == y,
            x != y,
            x > y,
            x >= y,
            not x < y,
            not x >= y,
            x != x,
            np.isinf(x),
            np.signbit(x),
        ]
        ends = [(y if np.isnan(x) else x if np.isnan(y) else f(x, y)) for f in (min, max)]
        coded = [0 if np.isnan(v) else 1 if v == 0 else int(v.view(np.uint32)) for v in ends]
        bits = [np.copysign(x, y), -abs(x), np.float32(x * np.float32(0.5))]
        plain = [0 if np.isnan(v) else int(v.view(np.uint32)) for v in bits]
        rows.append([sum(bool(t) << i for i, t in enumerate(tests)), *coded, *plain])
    return a, b, Out(np.array(rows, np.uint32).T.copy())
