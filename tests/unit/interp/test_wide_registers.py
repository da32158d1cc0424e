"""Registers that are wider or narrower than the instruction's type (Tables 27 and 28), up to 128 bits, and lists of one
or four elements, with the same result on both engines."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

KERNEL = """.version 9.0
.target sm_100a
.address_size 64
.global .b8 table[64];
.visible .entry k(.param .u64 p) {{
.reg .b64 at, a, b; .reg .b128 w; .reg .b32 r, s; .reg .f16x2 h0, h1, h2, h3; .reg .v2 .b32 y;
ld.param.u64 at, [p]; mov.b32 r, -5; mov.b64 a, 0; mov.b64 b, 0;
{body}
st.global.v2.b64 [at], {{a, b}}; ret; }}"""
LAST = 0xFFFFFFFFFFFFFFF5
ONES = (1 << 64) - 1
SPLIT = " mov.b128 {a, b}, w;"


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize(("body", "low", "high"), [
    ("ld.global.s8 w, [at+16];" + SPLIT, LAST, ONES),
    ("ld.global.u32 w, [at+16];" + SPLIT, 0xFFFFFFF5, 0),
    ("ld.global.f64 w, [at+16];" + SPLIT, LAST, 0),
    ("cvt.s64.s32 w, r;" + SPLIT, ONES - 4, ONES),
    ("cvt.u64.u32 w, r;" + SPLIT, 0xFFFFFFFB, 0),
    ("cvt.rn.f32.s32 w, r;" + SPLIT, 0xC0A00000, 0),
    ("ld.global.v2.b64 {a, b}, [at+16]; mov.b128 w, {a, b}; st.global.b32 [at+24], w; ld.global.u64 b, [at+24];",
     LAST, 0xFFFFFFF5),
    ("ld.global.v2.b64 {a, b}, [at+16]; mov.b128 w, {a, b}; cvt.s64.s8 a, w; cvt.u64.u64 b, w;", LAST, LAST),
    ("mov.b32 {s}, r; cvt.u64.u32 a, s; mov.b64 b, {a};", 0xFFFFFFFB, 0xFFFFFFFB),
    ("mov.v2.b32 y, {_, r}; cvt.u64.u32 a, y.x; cvt.u64.u32 b, y.y;", 0, 0xFFFFFFFB),
    ("mov.b32 h0, 1; mov.b32 h1, 2; mov.b32 h2, 3; mov.b32 h3, 4; mov.b128 w, {h0, h1, h2, h3};" + SPLIT,
     2 << 32 | 1, 4 << 32 | 3),
    ("ld.global.v2.b64 {a, b}, [at+16]; mov.b128 w, {a, b}; mov.b128 {h0, h1, h2, h3}, w; mov.b64 a, {h3, h2};"
     " mov.b64 b, {h1, h0};", 9 << 32, 0xFFFFFFF5_FFFFFFFF),
    ("mov.b128 w, %ntid;" + SPLIT, 1 << 32 | 1, 1),
    ("mov.b128 w, table;" + SPLIT + " mov.u64 at, table; sub.u64 a, a, at; ld.param.u64 at, [p];", 0, 0),
])  # fmt: skip
def test_registers_of_other_widths(body: str, low: int, high: int, engine: str) -> None:
    memory = np.array([1, 2, LAST, 9], np.uint64)
    openptx.load(KERNEL.format(body=body))["k"](1, 1, (memory,), engine=engine)
    assert [hex(word) for word in memory[:2]] == [hex(low), hex(high)]


def test_special_registers_are_not_written_to() -> None:
    with pytest.raises(openptx.Unsupported, match=r"`%tid.x` cannot be written to"):
        openptx.load(KERNEL.format(body="ld.global.v2.b32 {r, %tid.x}, [at];"))["k"]
