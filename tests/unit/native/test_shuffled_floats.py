"""A float that goes from lane to lane stays a float: its NaN becomes the canonical one when its bits are needed."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import openptx
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.settings import Options

SUM = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<8>;
    .reg .f32 %f<8>;
    .reg .pred %p<3>;
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p2, %r1, 24;
    ld.param.u64 %rd1, [p];
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    ld.global.f32 %f1, [%rd2];
    ld.global.u32 %r2, [%rd2];
    add.f32 %f2, %f1, %f1;
    {SHUFFLE}
    {AFTER}
    st.global.f32 [%rd2], %f4;
    ret;
}
"""
SHUFFLES = (
    "shfl.sync.bfly.b32 %f3, %f2, 16, 31, -1;",
    "shfl.sync.idx.b32 %f3|%p1, %f2, 9, 31, -1;",  # one for all
    "shfl.sync.idx.b32 %f3, %f2, %r2, 31, -1;",
    "shfl.sync.idx.b32 %f3, %f2, %r2, 6175, -1;",
    "mov.f32 %f3, %f2; @%p2 shfl.sync.down.b32 %f3, %f2, 3, 31, 0xFFFFFF;",
)
AFTERS = ("mov.f32 %f4, %f3;", "add.f32 %f4, %f3, %f2;", "max.f32 %f4, %f3, %f2;")


@pytest.mark.parametrize(("shuffle", "after"), [*product(SHUFFLES, AFTERS)])
def test_bits_are_those_of_the_reference_engine(shuffle: str, after: str) -> None:
    kernel = openptx.load(SUM.replace("{SHUFFLE}", shuffle).replace("{AFTER}", after))["k"]
    words = np.random.default_rng(5).integers(0, 1 << 32, 32, np.uint32)
    words[::3] = (
        0x7FC12345,
        0xFFC00001,
        0x7F800001,
        0xFF812345,
        0xFF800000,
        0x7F800000,
        0,
        1,
        9,
        0x80000000,
        0xFFFFFFFF,
    )
    native, interp = words.copy(), words.copy()
    kernel(1, 32, (native,), engine="native")
    kernel(1, 32, (interp,), engine="interp")
    assert native.tolist() == interp.tolist()
    assert 0x7FFFFFFF in native or after.startswith("max")


def test_a_sum_over_a_warp_tests_for_nans_once() -> None:
    steps = "\n".join(
        f"shfl.sync.bfly.b32 %f3, %f2, {offset}, 31, -1;\nadd.f32 %f2, %f2, %f3;" for offset in (16, 8, 4, 2, 1)
    )
    module = openptx.load(SUM.replace("{SHUFFLE}", steps).replace("{AFTER}", "mov.f32 %f4, %f2;"))
    text = lower_kernel(module.program, module["k"].function, module.image, Options((32, 1, 1), False)).text
    assert text.count("fcmp uno") == 1
