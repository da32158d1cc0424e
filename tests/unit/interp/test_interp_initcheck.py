"""`initcheck` finds reads of what nobody has written, by the lane that reads."""

import numpy as np
import pytest

from openptx.errors import Fault
from openptx.runtime import load

TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry half(.param .u64 out) {
    .reg .u64 o;
    .reg .u32 t, a, b;
    .reg .pred p;
    ld.param.u64 o, [out];
    mov.u32 t, %tid.x;
    setp.lt.u32 p, t, 5;
    @p mov.u32 a, 1;
    @p add.u32 b, a, 1;
    add.u32 b, a, 1;
    ret;
}
.visible .entry shared() {
    .shared .u32 x[8];
    .reg .u32 t, v;
    .reg .pred p;
    mov.u32 t, %tid.x;
    shl.b32 t, t, 2;
    mov.u32 v, x;
    add.u32 t, t, v;
    setp.ne.u32 p, t, 8;
    @p st.shared.u32 [t], 1;
    bar.sync 0;
    ld.shared.v2.u32 {v, t}, [x+8];
    ret;
}
.visible .entry guard() { .reg .pred p; .reg .u32 a; @p mov.u32 a, 1; ret; }
.func (.reg .u32 d) same (.reg .u32 a) { mov.u32 d, a; ret; }
.visible .entry clean() {
    .shared .u32 x;
    .reg .u32 a;
    mov.u32 a, 1;
    call (a), same, (a);
    st.shared.u32 [x], a;
    ld.shared.u32 a, [x];
    ret;
}
"""


@pytest.mark.parametrize(
    ("kernel", "thread", "words"),
    [
        ("half", 5, "register `a` is read before anything is written to it"),
        ("shared", 0, "8 bytes of shared memory are read before anything is written to them"),
        ("guard", 0, "register `p` is read"),
    ],
)
def test_uninitialised_reads(kernel: str, thread: int, words: str) -> None:
    arguments = (np.zeros(8, np.uint32),) if kernel == "half" else ()
    module = load(TEXT)
    module[kernel](1, 8, arguments, engine="interp")
    with pytest.raises(Fault) as found:
        module[kernel](1, 8, arguments, initcheck=True)
    assert found.value.name == "uninitialized-read"
    assert found.value.thread == (thread, 0, 0)
    assert words in str(found.value)


def test_a_clean_kernel_is_clean() -> None:
    load(TEXT)["clean"](1, 8, (), initcheck=True)


def test_fidelity_lists_what_a_kernel_uses() -> None:
    used = load(TEXT).fidelity("clean")
    assert {u.fidelity.kind for u in used} == {"exact"}
    assert "st.shared.u32" in {u.opcode for u in used}
