"""Kernels compiled by nvcc with and without optimisation: equal, and different if a constant is changed.

tests/data/prove: nvcc 13 -std=c++17 -arch=sm_80 -ptx -Xcicc -O0 (and -O3) elementwise.cu, kernels.cu
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("z3", reason="proofs need z3-solver")

import openptx
from openptx.runtime import Kernel

DATA = Path(__file__).parents[2] / "data" / "prove"
QUICK = {"saxpy", "clampi", "poly", "gray", "halved"}
"""What `make test` runs: arithmetic, branches, a loop, calls of calls. `make sweep` runs the others."""

# fmt: off
NAMES = (
    "saxpy", "clampi", "poly", "relu", "leaky", "affine", "horner", "reciprocal", "rounded", "sign", "gray", "swapped",
    "hashed", "bits", "average", "widened", "doubled", "halved", "shifted", "power",
)
CHANGED = (
    ("saxpy",      "fma.rn.f32 	%f4",   "fma.rm.f32 	%f4"),
    ("clampi",     "%r6, 255",          "%r6, 254"),
    ("poly",       "%f4, 0f3FC00000",   "%f4, 0f3FC00001"),
    ("relu",       "%f1, 0f00000000",   "%f1, 0f00000001"),
    ("leaky",      "0f3C23D70A",        "0f3C23D70B"),
    ("affine",     "0fBF800000",        "0fBF800001"),
    ("affine",     "fma.rn.f32",        "fma.rz.f32"),
    ("horner",     "0f3E800000",        "0f3E800001"),
    ("horner",     "fma.rn.f32 	%f3",   "fma.rm.f32 	%f3"),
    ("reciprocal", "rcp.rn",            "rcp.rz"),
    ("rounded",    "cvt.rmi",           "cvt.rpi"),
    ("sign",       "%r6, 31",           "%r6, 30"),
    ("gray",       "%r6, 1",            "%r6, 2"),
    ("swapped",    "65280",             "65281"),
    ("hashed",     "73244475",          "73244477"),
    ("bits",       "%r8, 6",            "%r8, 7"),
    ("average",    "78",                "79"),
    ("widened",    "32767",             "32766"),
    ("doubled",    "fma.rn.f64",        "fma.rp.f64"),
    ("halved",     "0f3F000000",        "0f3F002000"),
    ("shifted",    "%rd6, 7",           "%rd6, 8"),
    ("power",      "fma.rn.f32 	%f5",   "fma.rz.f32 	%f5"),
)
"""One constant or one rounding of the optimised code, and what stands there instead."""
# fmt: on


def quick_first(name: str, *rest: str) -> object:
    return pytest.param(name, *rest, marks=() if name in QUICK else pytest.mark.sweep)


@cache
def text(name: str, level: int) -> str:
    file = "elementwise" if name in ("saxpy", "clampi", "poly") else "kernels"
    return (DATA / f"{file}_O{level}.ptx").read_text("utf-8")


def kernel(name: str, level: int, old: str = "", new: str = "") -> Kernel:
    """The kernel, with the first `old` after its entry replaced."""
    before, entry, after = text(name, level).partition(f".visible .entry {name}(")
    assert old in after.partition(".entry")[0]
    return openptx.load(before + entry + (after.replace(old, new, 1) if old else after))[name]


@pytest.mark.parametrize("name", [quick_first(name) for name in NAMES])
def test_optimised_code_is_equal(name: str) -> None:
    found = openptx.prove(kernel(name, 0), kernel(name, 3))
    assert found.verdict == "equal", str(found)


@pytest.mark.parametrize(("name", "old", "new"), [quick_first(*change) for change in CHANGED])
def test_one_change_is_told(name: str, old: str, new: str) -> None:
    found = openptx.prove(kernel(name, 0), kernel(name, 3, old, new))
    assert found.verdict == "different", str(found)
    assert found.counterexample is not None
