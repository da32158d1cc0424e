"""Elementwise kernels compiled by Triton for sm_80 and sm_90, with vectors and predicated accesses."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("z3", reason="proofs need z3-solver")

import openptx
from openptx.runtime import Kernel

DATA = Path(__file__).parents[2] / "data" / "prove"

EQUAL = (
    "add", "saxpy", "relu", "clamp", "sigmoid", "gelu", "polynomial", "root", "quotient", "widen", "narrow", "doubles",
    "integers", "masked", "hashed", "counted", "fallback", "strided", "iterated", "shapes",
)  # fmt: skip
ROUNDED_TWICE = ("halves", "brains")
"""x * y + 1: for sm_80 Triton writes a product of packed halves and a sum of single ones, which are not contracted."""

# fmt: off
CHANGED = (
    ("saxpy",      "fma.rn.f32",  "fma.rz.f32"),
    ("polynomial", "0f3F000000",  "0f3F000001"),
    ("quotient",   "div.rn",      "div.rz"),
    ("doubles",    "fma.rn.f64",  "fma.rm.f64"),
    ("narrow",     "cvt.rn",      "cvt.rz"),
    ("clamp",      "min.f32",     "max.f32"),
    ("hashed",     "73244475",    "73244477"),
    ("counted",    "mul.f32",     "add.f32"),
    ("strided",    "add.f32",     "sub.f32"),
    ("shapes",     "sub.f32",     "add.f32"),
    ("iterated",   "0f3F000000",  "0f3F000001"),
    ("add",        "v4.b32 [ %rd3 + 0 ], { %r9, %r10", "v4.b32 [ %rd3 + 0 ], { %r10, %r9"),
)
# fmt: on


@cache
def text(target: str) -> str:
    return (DATA / f"triton_{target}.ptx").read_text("utf-8")


def kernel(name: str, target: str, old: str = "", new: str = "") -> Kernel:
    """The kernel, with the first `old` after its entry replaced."""
    before, entry, after = text(target).partition(f".visible .entry {name}(")
    assert old in after.partition(".entry")[0]
    return openptx.load(before + entry + (after.replace(old, new, 1) if old else after))[name]


@pytest.mark.parametrize("name", EQUAL)
def test_both_targets_are_equal(name: str) -> None:
    found = openptx.prove(kernel(name, "sm_80"), kernel(name, "sm_90"))
    assert found.verdict == "equal", str(found)


@pytest.mark.sweep
@pytest.mark.parametrize("name", ROUNDED_TWICE)
def test_two_roundings_are_told_from_one(name: str) -> None:
    found = openptx.prove(kernel(name, "sm_80"), kernel(name, "sm_90"))
    assert found.verdict == "different", str(found)


@pytest.mark.parametrize(("name", "old", "new"), [
    pytest.param(*change, marks=() if change[0] == "add" else pytest.mark.sweep) for change in CHANGED
])  # fmt: skip
def test_one_change_is_told(name: str, old: str, new: str) -> None:
    found = openptx.prove(kernel(name, "sm_80"), kernel(name, "sm_90", old, new), timeout=180.0)
    assert found.verdict == "different", str(found)
    assert found.counterexample is not None
