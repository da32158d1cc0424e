"""Lanes at a known distance from each other load whole vector registers and take their elements from them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import openptx
from openptx.engines.native import pipeline, settings
from openptx.engines.native.settings import Options
from openptx.llvm.host import host


def text(width: int, stride: int, skipped: int) -> str:
    size = width // 8
    return f""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pfrom, .param .u64 pto) {{
.reg .b64 %from, %to; .reg .b32 %t; .reg .b{width} %r;
ld.param.u64 %from, [pfrom]; ld.param.u64 %to, [pto]; mov.u32 %t, %tid.x;
mad.wide.u32 %from, %t, {stride * size}, %from; mad.wide.u32 %to, %t, {size}, %to;
ld.global.b{width} %r, [%from+{skipped * size}]; st.global.b{width} [%to], %r; ret; }}"""


@pytest.mark.parametrize("avx512", [True, False])
@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("stride", [2, 3, 4, 5, 7])
def test_each_lane_has_its_element(width: int, stride: int, avx512: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), avx512=avx512 and host().avx512))
    source = np.random.default_rng(stride).integers(0, 1 << 62, 64 * stride, np.uint64).astype(f"u{width // 8}")
    found = np.zeros(64, source.dtype)
    with settings.cache_at(None):
        openptx.load(text(width, stride, 1))["k"](1, 64, (source, found), engine="native", workers=1)
    np.testing.assert_array_equal(found, source[1::stride])


def test_no_piece_is_an_odd_number_of_elements() -> None:
    module = openptx.load(text(8, 3, 0))
    made = pipeline.lower_kernel(module.program, module["k"].function, module.image, Options((64, 1, 1), False))
    assert set(re.findall(r"load <(\d+) x i8>", made.text)) == {"64"}
