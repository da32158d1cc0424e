"""`initcheck` finds reads of unwritten memory and names the lane that reads."""

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


SOURCES = """.version 8.3
.target sm_90
.address_size 64
.func (.reg .u32 d) same (.reg .u32 a) {{ mov.u32 d, a; ret; }}
.visible .entry k(.param .u64 out) {{
    .shared .align 16 .b8 x[64];
    .reg .u64 o, q, wide;
    .reg .u32 t, a, good, v, b;
    .reg .pred p, pu;
    .reg .b128 w;
    ld.param.u64 o, [out];
    mov.u32 t, %tid.x;
    mov.u32 good, 7;
    mov.u32 b, x;
    setp.lt.u32 p, t, 16;
    {statement}
    ret;
}}
"""

# fmt: off
UNWRITTEN = {  # statements, and the uninitialized operand that they read: a register, or shared memory
    "atom.global.add.u32 good, [o], a;":                            "a",
    "red.global.add.u32 [o], a;":                                   "a",
    "atom.global.cas.b32 good, [o], a, good;":                      "a",
    "atom.global.cas.b32 good, [o], good, a;":                      "a",
    "atom.shared.add.u32 good, [x], 1;":                            "shared",
    "red.shared.add.u32 [x], 1;":                                   "shared",
    "atom.shared.cas.b32 good, [x], 0, 1;":                         "shared",
    "mbarrier.arrive.shared.b64 wide, [x];":                        "shared",
    "cp.async.ca.shared.global [x], [wide], 16;":                   "wide",
    "cp.async.ca.shared.global [x], [o], 16, a;":                   "a",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {v}, [b];":           "shared",
    "st.global.v2.u32 [o], {good, a};":                             "a",
    "st.shared.v4.u32 [x], {good, good, good, a};":                 "a",
    "st.global.b128 [o], w;":                                       "w",
    "ld.global.u32 good, [wide];":                                  "wide",
    "call (good), same, (a);":                                      "a",
    "@pu exit;":                                                    "pu",
    "setp.eq.and.u32 p, t, t, pu;":                                 "pu",
    "selp.u32 good, 1, 2, pu;":                                     "pu",
    "mov.b64 q, {good, a};":                                        "a",
    "@p mov.u32 a, 1; shfl.sync.idx.b32 good, a, 0, 31, -1;":       "a",
    "vote.sync.any.pred p, pu, -1;":                                "pu",
    "bar.red.popc.u32 good, 0, pu;":                                "pu",
    "bfi.b32 good, a, good, 0, 8;":                                 "a",
}
WRITTEN = (
    "st.shared.u32 [x], 0; bar.sync 0; atom.shared.add.u32 good, [x], 1;",
    "atom.shared.exch.b32 good, [x], 1; ld.shared.u32 good, [x];",
    "mbarrier.init.shared.b64 [x], 32; bar.sync 0; mbarrier.arrive.shared.b64 wide, [x];",
    "cp.async.ca.shared.global [x], [o], 16; cp.async.wait_all; ld.shared.u32 good, [x];",
    "cp.async.ca.shared.global [x], [o], 16, 4; cp.async.wait_all; ld.shared.u32 good, [x+12];",
    "@p mov.u32 a, 1; @p mov.u32 good, a;",
    "mov.b64 q, 5; mov.b64 {good, _}, q;",
)
# fmt: on


@pytest.mark.parametrize("statement", UNWRITTEN)
def test_every_kind_of_source_is_looked_at(statement: str) -> None:
    with pytest.raises(Fault) as info:
        load(SOURCES.format(statement=statement))["k"](1, 32, (np.zeros(64, np.uint32),), initcheck=True)
    name = UNWRITTEN[statement]
    words = "bytes of shared memory are read" if name == "shared" else f"register `{name}` is read"
    assert (info.value.name, words in str(info.value)) == ("uninitialized-read", True)


@pytest.mark.parametrize("statement", WRITTEN)
def test_what_was_written_is_no_finding(statement: str) -> None:
    load(SOURCES.format(statement=statement))["k"](1, 32, (np.zeros(64, np.uint32),), initcheck=True)


def test_a_clean_kernel_is_clean() -> None:
    load(TEXT)["clean"](1, 8, (), initcheck=True)


def test_fidelity_lists_what_a_kernel_uses() -> None:
    used = load(TEXT).fidelity("clean")
    assert {u.fidelity.kind for u in used} == {"exact"}
    assert "st.shared.u32" in {u.opcode for u in used}
