"""The combining of words in scattered stores does not count as arithmetic of the kernel."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
.reg .b64 i, o, a; .reg .b32 t, u, r<4>;
ld.param.u64 i, [in]; ld.param.u64 o, [out];
mov.u32 t, %tid.x; ld.global.u32 u, [i];
add.u32 r0, u, t; mad.lo.u32 r1, t, 3, u; add.u32 r2, r0, 7; mad.lo.u32 r3, t, 5, u;
mul.lo.u32 u, t, t; and.b32 u, u, 31; xor.b32 u, u, t;
mul.wide.u32 a, t, 48; add.u64 o, o, a; and.b32 u, u, 1; mul.wide.u32 a, u, 16; add.u64 o, o, a;
STORE
ret; }
"""


@pytest.mark.parametrize("first", [5, 2**32 - 10, 2**31 - 4])
@pytest.mark.parametrize("store", ["st.global.v4.u32 [o], {r0, r1, r2, r3};", "st.global.v2.u32 [o+8], {r0, r1};"])
def test_words_that_wrap_are_stored(store: str, first: int) -> None:
    results: list[bytes] = []
    for engine in ("interp", "native"):
        kernel = openptx.load(KERNEL.replace("STORE", store))["k"]
        out = np.zeros(32 * 12 + 8, np.uint32)
        kernel(1, 32, [np.array([first], np.uint32), out], engine=engine)
        results.append(out.tobytes())
    assert results[0] == results[1]
