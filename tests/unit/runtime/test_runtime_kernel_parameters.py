"""A function reaches the kernel's parameters by their generic addresses, as a debug build's `__isGridConstant` does."""

import numpy as np
import pytest

from openptx.runtime import load

TEXT = """.version 8.5
.target sm_80
.address_size 64
.func (.param .b32 result) look(.param .b64 where) {
    .reg .pred p;
    .reg .b64 a, c;
    .reg .b32 v, w;
    ld.param.b64 a, [where];
    isspacep.param p, a;
    mov.b32 v, 0;
    @!p bra done;
    cvta.to.param.u64 c, a;
    ld.param::entry.b32 v, [c];
done:
    st.param.b32 [result], v;
    ret;
}
.visible .entry take(.param .u64 out, .param .align 4 .b8 s[8]) {
    .reg .b64 o, a;
    .reg .b32 r;
    .param .b64 where;
    .param .b32 result;
    ld.param.u64 o, [out];
    mov.b64 a, s;
    cvta.param.u64 a, a;
    add.u64 a, a, 4;
    st.param.b64 [where], a;
    call (result), look, (where);
    ld.param.b32 r, [result];
    st.global.b32 [o], r;
    st.param.b64 [where], o;
    call (result), look, (where);
    ld.param.b32 r, [result];
    st.global.b32 [o+4], r;
    ret;
}
"""


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_functions_read_parameters_of_the_kernel(engine: str) -> None:
    out = np.full(2, 99, np.uint32)
    load(TEXT)["take"](1, 1, (out, np.array([5, 6], np.uint32)), engine=engine)
    assert out.tolist() == [6, 0]
