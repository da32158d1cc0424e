"""Berkeley SoftFloat agrees on arithmetic and conversions of f16, f32 and f64 in every direction."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

softfloat = pytest.importorskip("softfloatpy", reason="Berkeley SoftFloat is not there: pip install softfloatpy")

sys.path.insert(0, str(Path(__file__).parents[2] / "unit" / "numerics"))

from numeric_cases import codes, spread  # noqa: E402

from openptx.numerics import FORMATS  # noqa: E402
from openptx.numerics.numpy_machine import NumpyMachine  # noqa: E402
from openptx.numerics.type_names import ELEMENTS  # noqa: E402

COUNT = 1500
MODES = {
    "rn": softfloat.RoundingMode.NEAR_EVEN,
    "rz": softfloat.RoundingMode.MIN_MAG,
    "rm": softfloat.RoundingMode.MIN,
    "rp": softfloat.RoundingMode.MAX,
    "rna": softfloat.RoundingMode.NEAR_MAX_MAG,
}
CLASSES = {"f16": "Float16", "bf16": "BFloat16", "f32": "Float32", "f64": "Float64"}
CLASSES |= {"s32": "Int32", "s64": "Int64", "u32": "UInt32", "u64": "UInt64"}
OPERATIONS = {
    "add": ("fadd", 2),
    "sub": ("fsub", 2),
    "mul": ("fmul", 2),
    "div": ("fdiv", 2),
    "mul_add": ("fma", 3),
    "sqrt": ("fsqrt", 1),
}
x = NumpyMachine()


def apply(function: str, rnd: str, names: list[str], arrays: list[np.ndarray], dtype: Any) -> np.ndarray:
    """The library's function, operand by operand; codes travel as big-endian bytes."""
    softfloat.set_rounding_mode(MODES[rnd])
    f = getattr(softfloat, function)
    makers = [getattr(softfloat, CLASSES[name]).from_bytes for name in names]
    rows = zip(*arrays, strict=True)
    sizes = [a.itemsize for a in arrays]
    found = b""
    for row in rows:
        values = (make(int(v).to_bytes(n, "big")) for make, v, n in zip(makers, row, sizes, strict=True))
        found += f(*values).to_bytes()
    softfloat.set_rounding_mode(MODES["rn"])
    return np.frombuffer(found, np.dtype(dtype).newbyteorder(">")).astype(dtype)


def compare(name: str, got: np.ndarray, expected: np.ndarray, *operands: np.ndarray) -> None:
    """NaN of any kind are the same: SoftFloat has its own."""
    f = FORMATS[name]
    both = x.isnan(f, x.lanes(got)).v & x.isnan(f, x.lanes(expected)).v
    wrong = np.flatnonzero((got != expected) & ~both)
    assert not wrong.size, (wrong.size, [hex(int(a[wrong[0]])) for a in (*operands, got, expected)])


@pytest.mark.parametrize("rnd", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize("name", ["f16", "f32", "f64"])
def test_arithmetic(name: str, op: str, rnd: str) -> None:
    method, count = OPERATIONS[op]
    arrays = [codes(FORMATS[name], COUNT, seed) for seed in range(count)]
    got = getattr(x, method)(FORMATS[name], *map(x.lanes, arrays), rnd).v
    compare(name, got, apply(f"{name}_{op}", rnd, [name] * count, arrays, got.dtype), *arrays)


@pytest.mark.parametrize("rnd", MODES)
@pytest.mark.parametrize(
    ("d", "s"),
    [("f16", "f32"), ("f16", "f64"), ("f32", "f64"), ("f32", "f16"), ("f64", "f16"), ("f64", "f32"), ("bf16", "f32")],
)
def test_conversion(d: str, s: str, rnd: str) -> None:
    if d == "bf16" and rnd == "rna":
        pytest.skip("not compared: the library's bf16 follows its current mode in four directions")
    a = codes(FORMATS[s], COUNT)
    got = x.convert(FORMATS[d], FORMATS[s], x.lanes(a), rnd).v
    compare(d, got, apply(f"{s}_to_{d}", rnd, [s], [a], got.dtype), a)


@pytest.mark.parametrize("rnd", ["rn", "rz", "rm", "rp"])
@pytest.mark.parametrize("s", ["s32", "s64", "u32", "u64"])
@pytest.mark.parametrize("d", ["f16", "f32", "f64"])
def test_integers(d: str, s: str, rnd: str) -> None:
    a = codes(ELEMENTS[s], COUNT)
    got = x.from_int(FORMATS[d], ELEMENTS[s], x.lanes(a), rnd)
    name = f"{'ui' if s[0] == 'u' else 'i'}{s[1:]}_to_{d}"
    expected = apply(name, rnd, [s], [a], f"u{FORMATS[d].storage // 8}")
    compare(d, spread(got, a.shape), expected, a)
