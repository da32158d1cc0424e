"""CUDA's headers, compiled for the host, agree on conversions and half arithmetic."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "unit" / "numerics"))

from numeric_cases import Array, codes, spread

from openptx.numerics import FORMATS
from openptx.numerics.cvt import cvt
from openptx.numerics.numpy_machine import NumpyMachine
from openptx.numerics.type_names import ELEMENTS

COUNT = 200_000
SOURCE = Path(__file__).with_name("headers.cpp")
DIFFERENT_NAN = {
    "f16_rn_f64": "the headers give the canonical NaN; an H100 keeps the sign and the upper bits of the payload",
    "bf16_rn_f64": "as f16",
    "e4m3_rn_f64": "there is no such cvt; the headers keep a NaN's sign, though they drop it from f32, as cvt does",
    "e5m2_rn_f64": "as e4m3",
}
SMALL = ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")

# What the library calls and what it is in PTX: destination, source, rounding, flags.
CONVERSIONS: dict[str, tuple[str, str, str | None, dict[str, bool]]] = {
    **{f"{d}_{rnd}_f32": (d, "f32", rnd, {}) for d in ("f16", "bf16") for rnd in ("rn", "rz", "rm", "rp")},
    **{f"{d}_rn_f64": (d, "f64", "rn", {}) for d in ("f16", "bf16")},
    "f32_f16": ("f32", "f16", None, {}),
    "f32_bf16": ("f32", "bf16", None, {}),
    **{f"{d}_rn_{s}": (d, s, "rn", {}) for d in SMALL for s in ("f32", "f64", "f16", "bf16")},
    **{f"ue8m0_{rnd}_{s}": ("ue8m0", s, rnd, {}) for rnd in ("rz", "rp") for s in ("f32", "bf16")},
    **{f"ue8m0_{rnd}_satfinite_f32": ("ue8m0", "f32", rnd, {"satfinite": True}) for rnd in ("rz", "rp")},
    **{f"f16_rn_{s}": ("f16", s, "rn", {}) for s in SMALL},
    "bf16_rn_ue8m0": ("bf16", "ue8m0", "rn", {}),
    **{f"{k}{w}_rzi_{s}": (f"{k}{w}", s, "rzi", {}) for k in "su" for w in (8, 16, 32, 64) for s in ("f16", "bf16")},
    **{
        f"f16_{r}_{k}{w}": ("f16", f"{k}{w}", r, {})
        for r in ("rn", "rz", "rm", "rp")
        for k in "su"
        for w in (16, 32, 64)
    },
    **{f"bf16_rn_{k}{w}": ("bf16", f"{k}{w}", "rn", {}) for k in "su" for w in (16, 32, 64)},
}
OPERATIONS = ("add", "sub", "mul", "min", "max", "min_nan", "max_nan", "less", "equal")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no g++ to compile CUDA's headers with")
    spec = importlib.util.find_spec("nvidia")
    places = [Path(p) for p in (spec.submodule_search_locations or [])] if spec else []
    found = [p.parent for place in places for p in place.glob("*/include/cuda_fp4.h")]
    if not found:
        pytest.skip("CUDA's headers are not there: pip install nvidia-cuda-runtime")
    built = tmp_path_factory.mktemp("headers") / "headers.so"
    command = [compiler, "-O1", "-shared", "-fPIC", "-ffp-contract=off", f"-I{found[0]}", str(SOURCE), "-o", str(built)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return ctypes.CDLL(str(built))


def run(library: ctypes.CDLL, name: str, dtype: Any, *operands: Array) -> Array:
    d = np.empty(operands[0].size, dtype)
    pointers = [operands[0].ctypes.data, operands[-1].ctypes.data, d.ctypes.data]
    getattr(library, name)(*map(ctypes.c_void_p, pointers), ctypes.c_size_t(d.size))
    return d


def operands(name: str) -> Array:
    """All codes of narrow types, many of the others; bits above a code of 4 or 6 bits are zero."""
    t = ELEMENTS[name]
    if t.width <= 16:
        return np.arange(1 << t.width, dtype=np.uint64).astype(f"u{t.storage // 8}")
    return codes(t, COUNT)


@pytest.mark.parametrize("name", CONVERSIONS)
def test_conversion(name: str, library: ctypes.CDLL, record_property: Any) -> None:
    d, s, rnd, flags = CONVERSIONS[name]
    x, a = NumpyMachine(), operands(s)
    got = spread(cvt(x, d, s, x.lanes(a), rnd=rnd, **flags), a.shape)
    expected = run(library, name, got.dtype, a)
    if name in DIFFERENT_NAN:
        f = FORMATS[d]
        both = x.isnan(f, x.lanes(expected)).v & x.isnan(f, x.lanes(got)).v
        expected = np.where(both, got, expected)
    wrong = np.flatnonzero(got != expected)
    record_property("compared", int(a.size))
    assert not wrong.size, (
        f"{wrong.size} of {a.size}, first {a[wrong[0]]:#x}: {got[wrong[0]]:#x}, not {expected[wrong[0]]:#x}"
    )


@pytest.mark.parametrize("name", ["f16", "bf16"])
@pytest.mark.parametrize("op", [*OPERATIONS, "add_sat", "mul_sat"])
def test_arithmetic(op: str, name: str, library: ctypes.CDLL, record_property: Any) -> None:
    if op.endswith("_sat") and name == "bf16":
        pytest.skip("bf16 has no .sat")
    x, f = NumpyMachine(), FORMATS[name]
    p, q = codes(f, COUNT), codes(f, COUNT, 1)
    a, b = x.lanes(p), x.lanes(q)
    got = {
        "add": lambda: x.fadd(f, a, b),
        "sub": lambda: x.fsub(f, a, b),
        "mul": lambda: x.fmul(f, a, b),
        "min": lambda: x.fmin(f, a, b),
        "max": lambda: x.fmax(f, a, b),
        "min_nan": lambda: x.fmin(f, a, b, nan=True),
        "max_nan": lambda: x.fmax(f, a, b, nan=True),
        "less": lambda: x.resize(x.fless(f, a, b), 8),
        "equal": lambda: x.resize(x.fequal(f, a, b), 8),
        "add_sat": lambda: x.saturate(f, x.fadd(f, a, b)),
        "mul_sat": lambda: x.saturate(f, x.fmul(f, a, b)),
    }[op]().v
    expected = run(library, f"{op}_{name}", got.dtype, p, q)
    wrong = np.flatnonzero(got != expected)
    record_property("compared", int(p.size))
    assert not wrong.size, f"{wrong.size} of {p.size}, first {p[wrong[0]]:#x}, {q[wrong[0]]:#x}: {got[wrong[0]]:#x}"
