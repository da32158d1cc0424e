"""Comparisons of consecutive numbers, one per lane, with a constant, at and beyond the limits of the type."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import openptx

COMPARISONS = "lt", "le", "gt", "ge"


def kernel(kind: str, step: int) -> openptx.LoadedModule:
    """Lane i of block b has b * step + i; comparisons with a parameter, either way around, are bits of a word."""
    w = kind[1:]
    pieces: list[str] = []
    for i, (comparison, operands) in enumerate(product(COMPARISONS, ("%i, %n", "%n, %i"))):
        pieces.append(f"setp.{comparison}.{kind} %p, {operands}; selp.u32 %bit, {1 << i}, 0, %p; or.b32 %d, %d, %bit;")
    widen = "mov.b32 %i, %t;" if w == "32" else f"cvt.{kind}.{kind[0]}32 %i, %t;"
    return openptx.load(f"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .{kind} n, .param .u64 out) {{
    .reg .pred %p;
    .reg .b32 %t, %b, %lane, %bit, %d;
    .reg .b{w} %i, %n;
    .reg .b64 %at, %place;
    ld.param.b{w} %n, [n];
    ld.param.u64 %at, [out];
    mov.u32 %b, %ctaid.x;
    mov.u32 %lane, %tid.x;
    mad.lo.s32 %t, %b, {step}, %lane;
    {widen}
    mov.b32 %d, 0;
    {" ".join(pieces)}
    mul.wide.u32 %place, %lane, 4;
    add.u64 %at, %at, %place;
    st.global.u32 [%at], %d;
    ret;
}}
""")


@pytest.mark.parametrize("kind", ["s32", "u32", "s64", "u64"])
def test_first_lanes(kind: str) -> None:
    unsigned, width = kind[0] == "u", int(kind[1:])
    module, out = kernel(kind, 64), np.zeros(32, np.uint32)
    least, most = (0, (1 << width) - 1) if unsigned else (-(1 << width - 1), (1 << width - 1) - 1)
    for block in (0, 1, (1 << 25) - 1, 1 << 25, (1 << 26) - 1):
        begin = block * 64
        if not unsigned and begin >= 1 << 31:
            begin -= 1 << 32
        ends = {begin + k for k in (-33, -1, 0, 1, 17, 31, 32, 33)} | {least, least + 1, most - 1, most, 0}
        lanes = np.arange(begin, begin + 32)
        for n in sorted(e for e in ends if least <= e <= most):
            module["k"](1 << 26, 32, (n, out), engine="native", workers=1, blocks=(block, block + 1))
            i, end = lanes.tolist(), n
            wanted = [
                sum(
                    bool(test) << bit
                    for bit, test in enumerate(
                        (a < end, end < a, a <= end, end <= a, a > end, end > a, a >= end, end >= a)
                    )
                )
                for a in i
            ]
            assert out.tolist() == wanted, (kind, block, n)


def test_numbers_that_are_no_row_of_32() -> None:
    """Blocks of 16 numbers: the second half of a warp's lanes may be beyond the type's edge."""
    module, found, wanted = kernel("s32", 16), np.zeros(32, np.uint32), np.zeros(32, np.uint32)
    for block in (3, (1 << 27) - 1, 1 << 27):
        for n in (0, block * 16 + 8, (1 << 31) - 1, -(1 << 31)):
            given = (n + (1 << 31)) % (1 << 32) - (1 << 31)
            for engine, out in (("native", found), ("interp", wanted)):
                module["k"](1 << 28, 32, (given, out), engine=engine, blocks=(block, block + 1))
            assert found.tolist() == wanted.tolist(), (block, n)
