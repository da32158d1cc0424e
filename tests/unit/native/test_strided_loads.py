"""Lanes at a known distance from each other access whole vector registers, of which each has its elements."""

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
    assert set(re.findall(r"load <(\d+) x i8>", made.text)) == {"32"}


def vectors(width: int, count: int, stride: int) -> str:
    """Loads vectors that are `stride` of them apart, and stores each element on its own, as far apart."""
    size, registers = width // 8, [f"%r{i}" for i in range(count)]
    stores = " ".join(f"@%p st.global.b{width} [%to+{i * size}], {r};" for i, r in enumerate(registers))
    return f""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pfrom, .param .u64 pto, .param .u32 pn) {{
.reg .b64 %from, %to; .reg .b32 %t, %n; .reg .pred %p; .reg .b{max(width, 16)} {", ".join(registers)};
ld.param.u64 %from, [pfrom]; ld.param.u64 %to, [pto]; ld.param.u32 %n, [pn]; mov.u32 %t, %tid.x;
setp.lt.u32 %p, %t, %n; mad.wide.u32 %to, %t, {stride * count * size}, %to;
mad.wide.u32 %from, %t, {stride * count * size}, %from;
ld.global.v{count}.b{width} {{{", ".join(registers)}}}, [%from]; {stores} ret; }}"""


@pytest.mark.parametrize("avx512", [True, False])
@pytest.mark.parametrize(("width", "count"), [(8, 2), (8, 4), (16, 2), (16, 4), (32, 2), (64, 2)])
@pytest.mark.parametrize("stride", [1, 3, 5])
def test_vectors_of_each_lane(
    width: int, count: int, stride: int, avx512: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), avx512=avx512 and host().avx512))
    source = np.random.default_rng(width).integers(0, 1 << 62, 64 * stride * count, np.uint64).astype(f"u{width // 8}")
    kernel = openptx.load(vectors(width, count, stride))["k"]
    with settings.cache_at(None):
        for n in (64, 41):
            found, expected = np.zeros(source.shape, source.dtype), np.zeros(source.shape, source.dtype)
            kernel(1, 64, (source, found, n), engine="native", workers=1)
            expected.reshape(64, stride, count)[:n, 0] = source.reshape(64, stride, count)[:n, 0]
            np.testing.assert_array_equal(found, expected)
