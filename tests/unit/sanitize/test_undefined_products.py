"""Undefined bits propagate through matrix products, also if routines multiply the defined fragments."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.interp import tensor_cores

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{{
    .reg .b32 t, a, b; .reg .b64 at, off; .reg .f32 z, d<4>;
    ld.param.u64 at, [p]; mov.u32 t, %tid.x; mul.wide.u32 off, t, 4; add.s64 at, at, off;
    {first} mov.b32 b, 0x3c003c00; mov.f32 z, 0f00000000;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{d0, d1, d2, d3}}, {{a, a, a, a}}, {{b, b}}, {{z, z, z, z}};
    st.global.f32 [at], d0;
    ret;
}}
"""


@pytest.mark.parametrize(("first", "found"), [("", ["undefined-value"]), ("mov.b32 a, 0x3c003c00;", [])])
def test_products_of_undefined_fragments(monkeypatch: pytest.MonkeyPatch, first: str, found: list[str]) -> None:
    monkeypatch.setattr(tensor_cores, "WORTH_LINKING", 0)
    monkeypatch.setattr(tensor_cores, "WORTH_MAKING", 0)
    kernel, x = openptx.load(KERNEL.format(first=first))["k"], np.zeros(32, np.float32)
    assert [each.name for each in openptx.sanitize(kernel, 1, 32, (x,), tools=("init",), engine="interp")] == found
    if first:
        assert (x == 16).all()


PRODUCTS = [
    (
        "f16",
        "m16n8k16.row.col.f32.f16.f16.f32 {{d0, d1, d2, d3}}, {{one, {0}, one, {0}}}, {{one, one}}, {{z, z, z, z}}",
    ),
    ("s8", "m16n8k16.row.col.s32.s8.s8.s32 {{d0, d1, d2, d3}}, {{one, {0}}}, {{one}}, {{z, z, z, z}}"),
]


@pytest.mark.parametrize("product", [each[1] for each in PRODUCTS], ids=[each[0] for each in PRODUCTS])
@pytest.mark.parametrize(("stored", "found"), [("d0, d1", []), ("d2, d3", ["undefined-value"])])
def test_a_row_that_was_never_written_leaves_the_others_defined(product: str, stored: str, found: list[str]) -> None:
    """As in Marlin's tiles of 16 rows with fewer of the matrix: it does not store the others."""
    text = f"""{KERNEL.partition(".visible")[0]}.visible .entry k(.param .u64 p) {{
        .reg .b32 t, one, none, z, d<4>; .reg .b64 at;
        ld.param.u64 at, [p]; mov.u32 t, %tid.x; mad.wide.u32 at, t, 8, at;
        mov.b32 one, 0x3c003c00; mov.b32 z, 0;
        mma.sync.aligned.{product.format("none")};
        st.global.v2.b32 [at], {{{stored}}};
        ret;
    }}"""
    kernel, x = openptx.load(text)["k"], np.zeros(64, np.uint32)
    assert [each.name for each in openptx.sanitize(kernel, 1, 32, (x,), tools=("init",), engine="interp")] == found
