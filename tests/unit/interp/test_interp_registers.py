"""Registers may share an array until a part of one is written."""

import gc
import weakref

import numpy as np

from openptx.runtime import load

TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry alias(.param .u64 out) {
    .reg .u64 o, at;
    .reg .u32 t, a, b, c;
    .reg .pred p;
    ld.param.u64 o, [out];
    mov.u32 t, %tid.x;
    mov.u32 a, t;
    mov.u32 b, a;
    setp.lt.u32 p, t, 4;
    @p mov.u32 a, 100;
    mov.u32 c, a;
    @p mov.u32 a, 200;
    mad.lo.u32 b, b, 1000000, c;
    mul.wide.u32 at, t, 8;
    add.u64 at, o, at;
    st.global.v2.u32 [at], {a, b};
    ret;
}
"""


def test_copies_keep_what_they_were() -> None:
    out = np.zeros((8, 2), np.uint32)
    load(TEXT)["alias"](1, 8, (out,), engine="interp")
    a = [200] * 4 + [4, 5, 6, 7]
    c = [100] * 4 + [4, 5, 6, 7]
    assert out[:, 0].tolist() == a
    assert out[:, 1].tolist() == [t * 1000000 + c[t] for t in range(8)]


def test_a_launch_keeps_no_array_alive() -> None:
    kernel = load(TEXT)["alias"]
    gone = []
    gc.disable()
    try:
        for _ in range(3):
            out = np.zeros((8, 2), np.uint32)
            weakref.finalize(out, gone.append, True)
            kernel(1, 8, (out,), engine="interp")
            del out
    finally:
        gc.enable()
    assert len(gone) == 3
