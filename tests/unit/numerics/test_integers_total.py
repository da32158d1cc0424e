"""Integer primitives on all lanes, compared with literals and Python's integers."""

from __future__ import annotations

import numpy as np
import pytest
from numeric_cases import codes

from openptx.numerics import Bits, S, U
from openptx.numerics.numpy_machine import NumpyMachine
from openptx.numerics.type_names import INTEGERS

x = NumpyMachine()
WIDTHS = (8, 16, 32, 64)


def signed(v: int, w: int) -> int:
    return v - (1 << w) if v >> w - 1 else v


def shift_right(v: int, n: int, w: int) -> int:
    return signed(v, w) >> min(n, w)


# The operators on Python integers of w bits; results are taken modulo 2^w.
MODEL = {
    "add": lambda a, b, w: a + b,
    "sub": lambda a, b, w: a - b,
    "mul": lambda a, b, w: a * b,
    "udiv": lambda a, b, w: a // b if b else -1,
    "urem": lambda a, b, w: a % b if b else a,
    "and": lambda a, b, w: a & b,
    "or": lambda a, b, w: a | b,
    "xor": lambda a, b, w: a ^ b,
    "shl": lambda a, b, w: a << b if b < w else 0,
    "shr": lambda a, b, w: a >> b if b < w else 0,
    "sar": lambda a, b, w: shift_right(a, b, w),
    "eq": lambda a, b, w: a == b,
    "ult": lambda a, b, w: a < b,
    "slt": lambda a, b, w: signed(a, w) < signed(b, w),
}


@pytest.mark.parametrize("w", WIDTHS)
@pytest.mark.parametrize("op", MODEL)
def test_core(op: str, w: int) -> None:
    a = codes(INTEGERS[f"u{w}"], 500)
    b = codes(INTEGERS[f"u{w}"], 500, 1)
    b[::3] = np.arange(b[::3].size) % (2 * w)  # shift amounts
    got = x.binary(op, x.lanes(a), x.lanes(b))
    assert got.width == (1 if op in ("eq", "ult", "slt") else w)
    expected = [MODEL[op](int(p), int(q), w) % (1 << got.width) for p, q in zip(a, b, strict=True)]
    assert [int(v) for v in got.v] == expected


@pytest.mark.parametrize("op", MODEL)
def test_core_of_one_bit(op: str) -> None:
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    got = x.binary(op, x.lanes(a), x.lanes(b))
    assert [int(v) for v in got.v] == [MODEL[op](int(p), int(q), 1) % 2 for p, q in zip(a, b, strict=True)]


@pytest.mark.parametrize("w", WIDTHS)
def test_division_is_total(w: int) -> None:
    least, ones = 1 << w - 1, (1 << w) - 1
    rows = [(7, 0, ones, ones), (ones - 6, 0, ones, ones), (least, ones, least, 0), (ones - 6, 2, ones - 2, ones)]
    a, b = (x.lanes(np.array([row[i] for row in rows], f"u{w // 8}")) for i in (0, 1))
    assert [int(v) for v in x.divide(S, a, b).v] == [row[2] for row in rows]
    assert [int(v) for v in x.remainder(S, a, b).v] == [row[3] for row in rows]
    zero = x.const(0, w)  # all ones of either kind, as on an H100
    assert [int(v) for v in x.divide(U, a, zero).v] == [int(v) for v in x.remainder(U, a, zero).v] == [ones] * 4


@pytest.mark.parametrize("w", WIDTHS)
def test_wide_results(w: int) -> None:
    a, b = codes(INTEGERS[f"u{w}"], 400), codes(INTEGERS[f"u{w}"], 400, 1)
    for t in (S, U):
        value = (lambda v: signed(v, w)) if t.signed else (lambda v: v)
        got = x.mulhi(t, x.lanes(a), x.lanes(b)).v
        assert [int(v) for v in got] == [
            value(int(p)) * value(int(q)) >> w & (1 << w) - 1 for p, q in zip(a, b, strict=True)
        ]
    assert [int(v) for v in x.clz(x.lanes(a)).v] == [w - int(p).bit_length() for p in a]
    assert [int(v) for v in x.popc(x.lanes(a)).v] == [int(p).bit_count() for p in a]
    assert [int(v) for v in x.reverse(x.lanes(a)).v] == [int(f"{int(p):0{w}b}"[::-1], 2) for p in a]


def test_shift_amounts_of_any_width() -> None:
    a = x.lanes(np.array([0x8001], np.uint16))
    for n, w in ((65536, 32), (16, 32), (1 << 40, 64), (255, 8)):
        amount = x.const(n, w)
        assert (a << amount).v == 0
        assert (a >> amount).v == 0
        assert x.shr(S, a, amount).v == 0xFFFF
    assert (a << x.const(1, 64)).v == 2
    assert (1 << x.lanes(np.array([3], np.uint16))).v == 8
    assert (a << 99).v == 0


def test_parts() -> None:
    a = x.lanes(np.array([0x0123456789ABCDEF], np.uint64))
    assert [v.v.item() for v in x.split(a, 16)] == [0xCDEF, 0x89AB, 0x4567, 0x0123]
    assert x.join(x.split(a, 8)).v == a.v
    assert x.concat(x.const(0x12, 8), x.const(0x34, 8)).v == 0x1234
    assert x.resize(x.const(0x80, 8), 32, signed=True).v == 0xFFFFFF80
    assert x.resize(x.const(1, 1), 16, signed=True).v == 0xFFFF


def test_lane_values_are_not_python_values() -> None:
    a = x.const(1, 32)
    with pytest.raises(TypeError, match="truth value"):
        bool(a == 1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)
    with pytest.raises(TypeError, match="32 and 16 bits"):
        a + x.const(1, 16)
    with pytest.raises(TypeError, match="not float"):
        a + 1.5  # type: ignore[operator]
    with pytest.raises(ValueError, match="does not fit"):
        x.const(256, 8)
    assert x.const(-1, 8).v == 255
    with pytest.raises(ValueError, match="read-only"):
        a.v[0] = 5


def test_operators_take_integers_on_both_sides() -> None:
    a = x.lanes(np.array([5], np.uint8))
    assert [v.v.item() for v in (3 + a, 3 - a, 3 * a, 3 & a, 3 | a, 3 ^ a, ~a, -a)] == [8, 254, 15, 1, 7, 6, 250, 251]
    assert [v.v.item() for v in (a == 5, a != 5, a < 6, a <= 5, a > 5, a >= 6)] == [
        True,
        False,
        True,
        True,
        False,
        False,
    ]
    assert isinstance(a + 1, Bits)
