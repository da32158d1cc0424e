"""2.9 million expected results, compared with the lanes, the definitions and the exact scalar model."""

from __future__ import annotations

import numpy as np
import pytest
from numeric_cases import Array, Definition, differing, spread, vectors

from openptx.numerics import FORMATS, Arithmetic, Bits
from openptx.numerics.arrays import convert
from openptx.numerics.cvt import cvt
from openptx.numerics.cvt_spec import CvtSpec
from openptx.numerics.dtypes import unsigned
from openptx.numerics.model import convert as model
from openptx.numerics.numpy_machine import NumpyMachine
from openptx.numerics.type_names import find_format

CONVERSIONS = ("src16_exhaustive", "widen_exhaustive", "src_f32", "src_f64", "src_int")
FLAGS = ("sat", "satfinite", "relu", "ftz")


def any_nan(key: str) -> bool:
    """Where the collection leaves NaN bits open: sources disagree, or the manual does not say."""
    d, s = key.split(".")[-2:]
    return {d, s} in ({"f64", "f16"}, {"f64", "bf16"}) or key == "cvt.f32.bf16" or key.startswith("cvt.rna.")


def inputs(file: str, data: object, key: str) -> Array:
    if file == "src16_exhaustive":
        return np.arange(1 << 16, dtype=np.uint16)
    if file == "widen_exhaustive":
        return np.arange(data[key].size, dtype=np.uint8)
    return data["x." + key.split(".")[-1]] if file == "src_int" else data["x"]


def parts(key: str) -> tuple[str, str, str | None, dict[str, bool]]:
    _, *modifiers, d, s = key.split(".")
    rounding = [m for m in modifiers if m not in FLAGS]
    return d, s, rounding[0] if rounding else None, {m: True for m in modifiers if m in FLAGS}


def forgive(key: str, got: Array, expected: Array) -> Array:
    """`got`, with its NaN made the expected NaN where any will do."""
    if not any_nan(key):
        return got
    f, x = FORMATS[key.split(".")[-2]], NumpyMachine()
    both = x.isnan(f, x.lanes(got)).v & x.isnan(f, x.lanes(expected)).v
    return np.where(both, expected, got)


@pytest.mark.parametrize("file", CONVERSIONS)
@pytest.mark.parametrize("machine", [NumpyMachine, Definition])
def test_conversions(file: str, machine: type[Arithmetic]) -> None:
    data, x, checked = vectors(file), machine(), 0
    for key in (k for k in data.files if k.startswith("cvt.")):
        a, expected = inputs(file, data, key), data[key]
        d, s, rnd, flags = parts(key)
        got = cvt(x, d, s, Bits(x, 8 * a.itemsize, a), rnd=rnd, **flags)
        wrong = differing(forgive(key, spread(got, a.shape), expected), expected, a)
        assert not wrong, f"{key}: {wrong}"
        checked += a.size
    assert checked > 1000


@pytest.mark.parametrize("file", CONVERSIONS)
def test_arrays(file: str) -> None:
    data = vectors(file)
    for key in (k for k in data.files if k.startswith("cvt.")):
        a, expected = inputs(file, data, key), data[key]
        d, s, rnd, flags = parts(key)
        got = convert(a, d, source=s, rounding=rnd, **flags).view(unsigned(find_format(d)))
        wrong = differing(forgive(key, got, expected), expected, a)
        assert not wrong, f"{key}: {wrong}"


@pytest.mark.parametrize("file", CONVERSIONS)
def test_model(file: str) -> None:
    data = vectors(file)
    for key in (k for k in data.files if k.startswith("cvt.")):
        a, expected = inputs(file, data, key), data[key]
        some = np.random.default_rng(0).permutation(a.size)[:120]
        d, s, rnd, flags = parts(key)
        form = CvtSpec(d, s, rnd, **flags)
        got = np.array([model(form, [int(code)]) for code in a[some]], np.uint64).astype(expected.dtype)
        wrong = differing(forgive(key, got, expected[some]), expected[some], a[some])
        assert not wrong, f"{key}: {wrong}"


def test_stochastic() -> None:
    data, x = vectors("rs_x4"), NumpyMachine()
    operands = [x.lanes(np.ascontiguousarray(data["abef"][:, i])) for i in range(4)]
    for key in (k for k in data.files if k.startswith("cvt.")):
        d, s, rnd, flags = parts(key)
        lanes = cvt(x, d, s, *operands, rnd=rnd, rbits=x.lanes(data["rbits"]), **flags)
        assert not differing(lanes.v, data[key], data["rbits"]), key
        array = convert(data["abef"], d, source=s, rounding=rnd, rbits=data["rbits"], **flags)
        assert not differing(array, data[key], data["rbits"]), key
        form = CvtSpec(d, s, rnd, **flags)
        for row in range(0, 1024, 16):
            one = model(form, [int(v) for v in data["abef"][row]], int(data["rbits"][row]))
            assert one == int(data[key][row]), (key, row)


def arithmetic(x: Arithmetic, key: str, a: Bits, b: Bits, c: Bits) -> Bits:
    op, rnd, *flags, name = key.split(".")
    f = FORMATS[name]
    one = x.const(f.bias << f.man, f.storage)
    d = {
        "add": lambda: x.fadd(f, a, b, rnd),
        "sub": lambda: x.fsub(f, a, b, rnd),
        "mul": lambda: x.fmul(f, a, b, rnd),
        "fma": lambda: x.fma(f, a, b, c, rnd),
        "div": lambda: x.fdiv(f, a, b, rnd),
        "rcp": lambda: x.fdiv(f, one, a, rnd),
        "sqrt": lambda: x.fsqrt(f, a, rnd),
    }[op]()
    return x.relu(f, d) if "relu" in flags else d


@pytest.mark.parametrize("file", ["arith_f32", "arith_half"])
@pytest.mark.parametrize("machine", [NumpyMachine, Definition])
def test_arithmetic(file: str, machine: type[Arithmetic]) -> None:
    data, x = vectors(file), machine()
    for key in (k for k in data.files if len(k.split(".")) > 2):
        prefix = "" if file == "arith_f32" else key.split(".")[-1] + "."
        a, b, c = (data[prefix + name] for name in "abc")
        got = arithmetic(x, key, *(Bits(x, 8 * v.itemsize, v) for v in (a, b, c)))
        wrong = differing(spread(got, a.shape), data[key], a, b, c)
        assert not wrong, f"{key}: {wrong}"
