"""Faster implementations give the bits of the definitions: every primitive, format, direction and flag."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numeric_cases import Definition, codes, differing, spread

from openptx.numerics import FORMATS, Bits, S, U
from openptx.numerics.numpy_machine import NumpyMachine
from openptx.numerics.numpy_machine_integer import BLOCK
from openptx.numerics.type_names import INTEGERS

COUNT = 3000
ARITHMETIC = {"fadd": 2, "fsub": 2, "fsubr": 2, "fmul": 2, "fdiv": 2, "fma": 3, "fsqrt": 1}
FOUR = ("rn", "rz", "rm", "rp")
FLOATS = ("f16", "bf16", "f32", "f64")
x, y = NumpyMachine(), Definition()


def same(got: Bits, expected: Bits, *operands: np.ndarray) -> None:
    shape = operands[0].shape
    wrong = differing(spread(got, shape), spread(expected, shape), *operands)
    assert not wrong, wrong


def both(*arrays: np.ndarray) -> tuple[list[Bits], list[Bits]]:
    return [x.lanes(a) for a in arrays], [Bits(y, 8 * a.itemsize, a) for a in arrays]


@pytest.mark.parametrize("op", ARITHMETIC)
@pytest.mark.parametrize("name", FLOATS)
def test_arithmetic(name: str, op: str) -> None:
    f, wrong = FORMATS[name], dict[tuple[str, bool], object]()
    arrays = [codes(f, COUNT, seed) for seed in range(ARITHMETIC[op])]
    p, q = both(*arrays)
    for rnd, ftz in product(FOUR, (False, True)):
        got, expected = getattr(x, op)(f, *p, rnd, ftz), getattr(y, op)(f, *q, rnd, ftz)
        if found := differing(*(spread(d, arrays[0].shape) for d in (got, expected)), *arrays):
            wrong[rnd, ftz] = found
    assert not wrong


@pytest.mark.parametrize("name", FLOATS)
def test_sums_that_are_ties(name: str) -> None:
    """Sums whose exact value is a half unit from a number, or a hair from that: where double rounding shows."""
    f = FORMATS[name]
    rng = np.random.default_rng(7)
    big = codes(f, COUNT, 1) & ~np.array(f.sign, codes(f, 1).dtype)
    exponent = rng.integers(f.bias, f.bias + 3, COUNT).astype(big.dtype)
    big = exponent << f.man | big & (f.hidden - 1)
    half = (exponent - f.man - 1) << f.man
    hair = half + rng.integers(-1, 2, COUNT).astype(big.dtype)
    one = np.full(COUNT, f.bias << f.man, big.dtype)
    p, q = both(big, one, hair)
    same(x.fma(f, p[0], p[1], p[2]), y.fma(f, q[0], q[1], q[2]), big, one, hair)
    same(x.fadd(f, p[0], p[2]), y.fadd(f, q[0], q[2]), big, hair)


def test_sums_of_products_near_zero() -> None:
    """Sums that are subnormal, zero, or become the smallest normal number, and ties among them, in f32."""
    f, rng = FORMATS["f32"], np.random.default_rng(8)
    exponent = rng.integers(1, 60, COUNT)
    other = np.maximum(130 - exponent - rng.integers(0, 40, COUNT), 1)
    bits = rng.integers(0, 1 << 23, (3, COUNT)) & np.array([[0x7F8000], [0x7FF000], [0x7FFFFF]])
    a, b = ((e << 23 | low).astype(np.uint32) for e, low in zip((exponent, other), bits, strict=False))
    c = (rng.integers(0, 3, COUNT) << 23 | bits[2] & rng.choice([0, 0x7F0000, 0x7FFFFF], COUNT)).astype(np.uint32)
    c |= rng.integers(0, 2, COUNT).astype(np.uint32) << np.uint32(31)
    p, q = both(a, b, c)
    same(x.fma(f, *p), y.fma(f, *q), a, b, c)


@pytest.mark.parametrize("satfinite", [False, True])
@pytest.mark.parametrize("ftz", [False, True])
@pytest.mark.parametrize("name", FORMATS)
def test_conversion(name: str, ftz: bool, satfinite: bool) -> None:
    s = FORMATS[name]
    a = codes(s, COUNT)
    (p,), (q,) = both(a)
    for d in FORMATS.values():
        for rnd in (*FOUR, "rna"):
            kw = {"ftz": ftz, "satfinite": satfinite}
            same(x.convert(d, s, p, rnd, **kw), y.convert(d, s, q, rnd, **kw), a)


@pytest.mark.parametrize("name", FLOATS)
def test_integers_and_floats(name: str) -> None:
    f = FORMATS[name]
    a = codes(f, COUNT)
    (p,), (q,) = both(a)
    for rnd in ("rni", "rzi", "rmi", "rpi"):
        for ftz in (False, True):
            same(x.integral(f, p, rnd, ftz), y.integral(f, q, rnd, ftz), a)
            for t in INTEGERS.values():
                kw = {"w": t.width, "ftz": ftz}
                same(x.to_int(t, f, p, rnd, **kw), y.to_int(t, f, q, rnd, **kw), a)
    for t in INTEGERS.values():
        a = codes(t, COUNT)
        (p,), (q,) = both(a)
        for rnd in FOUR:
            same(x.from_int(f, t, p, rnd), y.from_int(f, t, q, rnd), a)


@pytest.mark.parametrize("name", FLOATS)
def test_comparisons_and_extremes(name: str) -> None:
    f = FORMATS[name]
    arrays = [codes(f, COUNT, seed) for seed in range(3)]
    (a, b, c), (d, e, g) = both(*arrays)
    same(x.isnan(f, a), y.isnan(f, d), arrays[0])
    same(x.fless(f, a, b), y.fless(f, d, e), *arrays)
    same(x.fequal(f, a, b), y.fequal(f, d, e), *arrays)
    for nan in (False, True):
        for xorsign in (False, True):
            kw = {"nan": nan, "xorsign": xorsign}
            same(x.fmin(f, a, b, **kw), y.fmin(f, d, e, **kw), *arrays)
            same(x.fmax(f, a, b, **kw), y.fmax(f, d, e, **kw), *arrays)
        same(x.fmin(f, a, b, c, nan=nan), y.fmin(f, d, e, g, nan=nan), *arrays)
        same(x.fmax(f, a, b, c, nan=nan), y.fmax(f, d, e, g, nan=nan), *arrays)


@pytest.mark.parametrize("w", [8, 16, 32, 64])
def test_integers(w: int) -> None:
    t = INTEGERS[f"u{w}"]
    arrays = [codes(t, COUNT, seed) for seed in range(2)]
    (a, b), (d, e) = both(*arrays)
    for op in ("clz", "popc", "negative", "abs", "reverse", "invert"):
        same(getattr(x, op)(a), getattr(y, op)(d), *arrays)
    for sign in (S, U):
        for op in ("divide", "remainder", "min", "max", "mulhi", "less", "shr"):
            same(getattr(x, op)(sign, a, b), getattr(y, op)(sign, d, e), *arrays)


@pytest.mark.parametrize("name", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("op", ["ex2", "lg2", "tanh", "sin", "cos", "rcp", "rsqrt", "sqrt"])
def test_approximate(op: str, name: str) -> None:
    f = FORMATS[name]
    if name != "f32" and op in ("sin", "cos"):
        pytest.skip("sin and cos are f32 in PTX")
    a = codes(f, 300)
    (p,), (q,) = both(a)
    for ftz in (False, True):
        same(x.approx(op, f, p, ftz), y.approx(op, f, q, ftz), a)


def test_many_lanes_go_in_blocks() -> None:
    """Blocks change nothing: sizes around their border, broadcast operands, more than one axis."""
    f = FORMATS["f32"]
    three = x.const(0x40400000, 32)
    for count in (BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5):
        a = codes(f, count)
        got, expected = (
            x.fma(f, x.lanes(a), three, three, "rz"),
            y.fma(f, Bits(y, 32, a), Bits(y, 32, three.v), Bits(y, 32, three.v), "rz"),
        )
        same(got, expected, a)
        same(x.to_int(S, f, x.lanes(a), "rni", w=32), y.to_int(S, f, Bits(y, 32, a), "rni", w=32), a)
    table = codes(f, 4 * BLOCK).reshape(4, BLOCK)
    got = x.fma(f, x.lanes(table), three, x.lanes(table[:1]), "rp")
    assert got.v.shape == table.shape
    row = x.fma(f, x.lanes(table[3]), three, x.lanes(table[0]), "rp")
    assert np.array_equal(got.v[3], row.v)


def test_quietly_changes_nothing() -> None:
    f = FORMATS["f32"]
    a = codes(f, COUNT)
    expected = x.fadd(f, x.lanes(a), x.lanes(a[::-1].copy()))
    with x.quietly():
        same(x.fadd(f, x.lanes(a), x.lanes(a[::-1].copy())), expected, a)
