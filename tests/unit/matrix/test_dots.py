"""Sums of products on the NumPy machine compared with the definition, and both with a model in fractions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from openptx.numerics import FORMATS, Arithmetic, Bits
from openptx.numerics.codec import decode
from openptx.numerics.dot import Factors
from openptx.numerics.formats import F16, F32
from openptx.numerics.numpy_machine import UNSIGNED, NumpyMachine

X = NumpyMachine()
LANES = 96
NAMES = ("f16", "bf16", "tf32", "e4m3", "e5m2", "e2m3", "e3m2", "e2m1")


def codes(rng: np.random.Generator, w: int, n: int) -> Any:
    """Random codes, with edges among them."""
    v = rng.integers(0, 1 << w, n, dtype=np.uint64)
    edges = np.array([0, 1, (1 << w) - 1, 1 << w - 1, (1 << w - 1) - 1, (1 << w - 1) + 1], np.uint64)
    chosen = rng.random(n) < 0.05
    return np.where(chosen, edges[rng.integers(0, len(edges), n)], v).astype(UNSIGNED[w])


def tame(rng: np.random.Generator, name: str, n: int) -> Any:
    """Codes of numbers that aren't far from one: sums in which many terms count."""
    f = FORMATS[name]
    field = np.clip(rng.integers(f.bias - 6, f.bias + 6, n), 0, (1 << f.exp) - 2)
    code = field << f.man | rng.integers(0, 1 << f.man, n)
    code |= rng.integers(0, 2, n) << f.width - 1
    return (code << f.low).astype(UNSIGNED[f.storage])


def bits(v: Any) -> Bits:
    return Bits(X, 8 * v.itemsize if v.dtype != bool else 1, v)


def factors(name: str) -> Factors:
    f = FORMATS[name]
    return Factors(f.storage, f)


def draw(rng: np.random.Generator, name: str, wild: bool) -> Bits:
    f = FORMATS[name]
    return bits(codes(rng, f.storage, LANES) if wild else tame(rng, name, LANES))


@pytest.mark.parametrize("wild", [False, True])
@pytest.mark.parametrize("d", [F32, F16], ids=lambda f: f.name)
@pytest.mark.parametrize("name", NAMES)
def test_lanes_equal_definition(name: str, d: Any, wild: bool) -> None:
    rng = np.random.default_rng(len(name) + 2 * wild)
    f = factors(name)
    rows, columns = (tuple(tuple(draw(rng, name, wild) for _ in range(9)) for _ in range(2)) for _ in range(2))
    addends = tuple(tuple(draw(rng, d.name, wild) for _ in range(2)) for _ in range(2))
    fast = X.dots(f, f, rows, columns, addends, d, d)
    slow = Arithmetic.dots(X, f, f, rows, columns, addends, d, d)
    for i, j in itertools.product(range(2), repeat=2):
        np.testing.assert_array_equal(fast[i][j].v, slow[i][j].v)


@pytest.mark.parametrize("wild", [False, True])
def test_lanes_equal_definition_with_scales(wild: bool) -> None:
    rng = np.random.default_rng(5 + wild)
    f, g = Factors(8, FORMATS["e2m1"], low=2), factors("e4m3")
    rows, columns = (tuple(tuple(bits(codes(rng, 32, LANES)) for _ in range(2)) for _ in range(2)) for _ in range(2))
    addends = tuple(tuple(draw(rng, "f32", wild) for _ in range(2)) for _ in range(2))
    near = (lambda: codes(rng, 8, LANES)) if wild else (lambda: rng.integers(120, 134, LANES, dtype=np.uint8))
    scales = FORMATS["ue8m0"], *(tuple(bits(near()) for _ in range(2)) for _ in range(2))
    fast = X.dots(f, g, rows, columns, addends, F32, F32, scales)
    slow = Arithmetic.dots(X, f, g, rows, columns, addends, F32, F32, scales)
    for i, j in itertools.product(range(2), repeat=2):
        np.testing.assert_array_equal(fast[i][j].v, slow[i][j].v)


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("name", ["ue8m0", "ue4m3"])
def test_lanes_equal_definition_in_blocks(name: str, count: int) -> None:
    rng = np.random.default_rng(count)
    rows, columns = (tuple(tuple(bits(codes(rng, 32, LANES)) for _ in range(8)) for _ in range(2)) for _ in range(2))
    addends = tuple(tuple(draw(rng, "f32", False) for _ in range(2)) for _ in range(2))
    tiles = [tuple(tuple(bits(codes(rng, 8, LANES)) for _ in range(count)) for _ in range(2)) for _ in range(2)]
    fast = X.block_dots(rows, columns, addends, FORMATS[name], *tiles)
    slow = Arithmetic.block_dots(X, rows, columns, addends, FORMATS[name], *tiles)
    for i, j in itertools.product(range(2), repeat=2):
        np.testing.assert_array_equal(fast[i][j].v, slow[i][j].v)


@pytest.mark.parametrize(("w", "chunk"), [(8, 4), (16, 4), (32, 2)])
def test_units_are_picked(w: int, chunk: int) -> None:
    rng = np.random.default_rng(w)
    columns = tuple(tuple(bits(codes(rng, 32, LANES)) for _ in range(4)) for _ in range(3))
    count = 4 * 32 // w
    at = rng.integers(0, chunk, (count // 2, LANES), dtype=np.uint32)
    places = [bits(row) for row in at]
    fast, slow = X.picked(columns, w, places, chunk), Arithmetic.picked(X, columns, w, places, chunk)
    for column, one, other in zip(columns, fast, slow, strict=True):
        units = np.stack([r.v for r in column], -1).view(f"u{w // 8}")
        for k in range(count // 2):
            want = units[np.arange(LANES), k // (chunk // 2) * chunk + at[k]]
            np.testing.assert_array_equal(one[k].v, want)
            np.testing.assert_array_equal(other[k].v, want)


@pytest.mark.parametrize("satfinite", [False, True])
@pytest.mark.parametrize(("w", "a", "b"), [(8, True, False), (8, False, False), (4, True, True), (4, False, False)])
def test_integers(w: int, a: bool, b: bool, satfinite: bool) -> None:
    rng = np.random.default_rng(w)
    f, g = Factors(w, negative=a), Factors(w, negative=b)
    rows, columns = (((bits(codes(rng, 32, LANES)), bits(codes(rng, 32, LANES))),) for _ in range(2))
    addends = ((bits(codes(rng, 32, LANES)),),)
    fast = X.integer_dots(f, g, rows, columns, addends, satfinite)[0][0].v
    slow = Arithmetic.integer_dots(X, f, g, rows, columns, addends, satfinite)[0][0].v
    np.testing.assert_array_equal(fast, slow)

    def elements(words: list[int], signed: bool) -> list[int]:
        found = [q >> i & (1 << w) - 1 for q in words for i in range(0, 32, w)]
        return [e - (1 << w) if signed and e >> w - 1 else e for e in found]

    for lane in range(LANES):
        left, right = (elements([int(q.v[lane]) for q in t[0]], s) for t, s in ((rows, a), (columns, b)))
        c = int(addends[0][0].v.view(np.int32)[lane])
        total = c + sum(p * q for p, q in zip(left, right, strict=True))
        if satfinite:
            total = min(max(total, -(1 << 31)), (1 << 31) - 1)
        assert fast[lane] == total & 0xFFFFFFFF


# The model once more, in exact fractions, from the paper.


def significand(name: str, code: int) -> tuple[Fraction, int]:
    """The value as a fraction and the exponent that is counted for it."""
    f = FORMATS[name]
    value = decode(f, code).number
    if not value:
        return value, -126
    exponent = math.frexp(float(value))[1] - 1
    return value, max(exponent, f.emin)


def cut(v: Fraction) -> int:
    return math.trunc(v)


def expected(name: str, row: list[int], column: list[int], c: int) -> float:
    """A finite sum, as f32."""
    terms = []
    for a, b in zip(row, column, strict=True):
        (p, ep), (q, eq) = significand(name, a), significand(name, b)
        terms.append((p * q, ep + eq))
    terms.append(significand("f32", c))
    top = max(e for _, e in terms)
    unit = Fraction(2) ** (top - 25)
    total = sum(cut(v / unit) for v, _ in terms) * unit
    if not total:
        return 0.0
    exponent = max(math.frexp(float(abs(total)))[1] - 1, -126)
    ulp = Fraction(2) ** (exponent - 23)
    return float(cut(total / ulp) * ulp)


@pytest.mark.parametrize("name", ["f16", "bf16", "tf32", "e4m3"])
def test_model(name: str) -> None:
    rng = np.random.default_rng(7)
    row, column = (tuple(draw(rng, name, False) for _ in range(8)) for _ in range(2))
    c = draw(rng, "f32", False)
    f = factors(name)
    found = X.dots(f, f, (row,), (column,), ((c,),), F32, F32)[0][0].v.view(np.float32)
    for lane in range(LANES):
        left, right = ([int(q.v[lane]) for q in line] for line in (row, column))
        assert float(found[lane]) == expected(name, left, right, int(c.v[lane]))


def test_special_values() -> None:
    """Infinity, NaN, the sign of zero, overflow."""
    one, inf, nan, zero, minus = 0x3C00, 0x7C00, 0x7E00, 0x0000, 0x8000
    cases = [
        ((one, one), (inf, one), 0, 0x7F800000),
        ((one, one), (inf, 0xFC00), 0, 0x7FFFFFFF),
        ((zero, one), (inf, one), 0, 0x7FFFFFFF),
        ((one, nan), (one, one), 0, 0x7FFFFFFF),
        ((minus, minus), (one, one), 0x80000000, 0),  # -0 + -0 + -0
        ((one, one), (one, one), 0xFF800000, 0xFF800000),
        ((one, one), (one, one), 0x7F7FFFFF, 0x7F7FFFFF),  # lost below the largest number
        ((0x7BFF, 0x7BFF), (0x7BFF, 0x7BFF), 0, 0x4FFFC004),
    ]
    f = Factors(16, F16)
    columns = list(zip(*[(*a, *b, c, d) for a, b, c, d in cases], strict=True))
    a0, a1, b0, b1 = (bits(np.array(v, np.uint16)) for v in columns[:4])
    c, want = (np.array(v, np.uint32) for v in columns[4:])
    for machine in (NumpyMachine, Arithmetic):
        found = machine.dots(X, f, f, ((a0, a1),), ((b0, b1),), ((bits(c),),), F32, F32)[0][0]
        np.testing.assert_array_equal(found.v, want)


def test_overflow() -> None:
    """A sum past the largest number is infinite, though f32 results are cut towards zero."""
    f = Factors(16, FORMATS["bf16"])
    big = bits(np.array([0x7F7F], np.uint16))
    one = bits(np.array([0x3F80], np.uint16))
    c = bits(np.array([0x7F7FFFFF], np.uint32))
    for machine in (NumpyMachine, Arithmetic):
        assert machine.dots(X, f, f, ((big,),), ((one,),), ((c,),), F32, F32)[0][0].v[0] == 0x7F800000
