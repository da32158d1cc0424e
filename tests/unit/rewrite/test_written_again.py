"""Registers that are written again, and values kept by a guard: hand-written programs, as ptxas 13.0 compiles them."""

from __future__ import annotations

import pytest
from straight_line import rewritten

import openptx

Z = "st.global.f32 [o], z;"
# fmt: off
FUSED = [
    "mul.f32 x, a, b; max.f32 z, x, c; add.f32 z, x, c; {}",             # what is written again was not needed
    "mul.f32 x, a, b; max.f32 z, x, c; max.f32 z, z, c; add.f32 z, x, c; {}",
    "mul.f32 x, a, b; @p mov.f32 x, x; add.f32 z, x, c; {}",             # a copy to itself
    "mul.f32 x, a, a; abs.f32 y, x; add.f32 z, y, c; {}",                # the sign of a square is known
    "mul.f32 x, a, a; abs.f32 y, x; sub.f32 z, y, c; {}",
    "mul.f32 x, a, a; abs.f32 y, x; neg.f32 w, y; sub.f32 z, c, w; {}",
    "mul.f32 x, a, b; add.f32 x, x, c; mov.f32 z, x; {}",
    "mov.f32 z, a; mul.f32 x, a, b; @p add.f32 z, x, c; {}",
]
APART = [
    "mul.f32 x, a, a; abs.f32 y, x; sub.f32 z, c, y; {}",                # but not where it is subtracted
    "mul.f32 x, a, a; abs.f32 y, x; neg.f32 w, y; add.f32 z, c, w; {}",
    "mul.f32 x, a, b; @p add.f32 x, x, c; mov.f32 z, x; {}",             # the product stays where p is false
    "mul.f32 x, a, b; @p max.f32 y, x, c; st.global.f32 [o + 8], y; add.f32 z, x, c; {}",
    "mul.f32 x, a, b; abs.f32 y, x; add.f32 z, y, c; {}",
    "mul.f32 x, a, a; abs.f32 y, x; st.global.f32 [o + 4], y; add.f32 z, x, c; {}",
]
# fmt: on


@pytest.mark.parametrize("text", FUSED)
def test_contracted(text: str) -> None:
    assert any("fma" in line for line in rewritten(text.format(Z)))


@pytest.mark.parametrize("text", APART)
def test_left_apart(text: str) -> None:
    assert not any("fma" in line for line in rewritten(text.format(Z)))


def test_a_kernel_of_which_nothing_is_left() -> None:
    head = ".version 8.0\n.target sm_80\n.address_size 64\n"
    kernel = openptx.load(head + ".visible .entry k() { .reg .f32 f, g; mul.f32 f, g, g; add.f32 g, f, f; }\n")["k"]
    kernel(1, 32, [])
    assert not kernel.function.code
