"""Launches of unusual shape: many tiny blocks, much memory in each, partial warps, three dimensions, clusters."""

import numpy as np
import pytest

from openptx.errors import Fault
from openptx.runtime import load

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"

TINY = (
    HEAD
    + """
.visible .entry big(.param .u64 out) {
    .shared .align 4 .b8 s[40000];
    .local .align 4 .b8 l[100000];
    .reg .u64 o, at;
    .reg .u32 b, v;
    ld.param.u64 o, [out];
    mov.u32 b, %ctaid.x;
    st.shared.u32 [s+39996], b;
    ld.shared.u32 v, [s+39996];
    st.local.u32 [l+99996], v;
    ld.local.u32 v, [l+99996];
    mul.wide.u32 at, b, 4;
    add.u64 at, o, at;
    st.global.u32 [at], v;
    ret;
}
"""
)


def test_many_blocks_with_much_memory_each() -> None:
    out = np.zeros(5000, np.uint32)
    load(TINY)["big"](5000, 1, (out,), engine="interp")
    assert (out == np.arange(5000)).all()


WHERE = (
    HEAD
    + """
.visible .entry place(.param .u64 out, .param .u32 w) {
    .reg .u64 o, at;
    .reg .u32 i, n, t, word, r<8>;
    ld.param.u64 o, [out];
    ld.param.u32 word, [w];
    // the number of the thread in the grid, x first, block after block
    mov.u32 r0, %ctaid.z;
    mov.u32 r1, %nctaid.y;
    mov.u32 r2, %ctaid.y;
    mad.lo.u32 r0, r0, r1, r2;
    mov.u32 r1, %nctaid.x;
    mov.u32 r2, %ctaid.x;
    mad.lo.u32 r0, r0, r1, r2;
    mov.u32 r3, %tid.z;
    mov.u32 r4, %ntid.y;
    mov.u32 r5, %tid.y;
    mad.lo.u32 r3, r3, r4, r5;
    mov.u32 r4, %ntid.x;
    mov.u32 r5, %tid.x;
    mad.lo.u32 r3, r3, r4, r5;
    mov.u32 r6, %ntid.z;
    mov.u32 r7, %ntid.y;
    mul.lo.u32 r6, r6, r7;
    mul.lo.u32 r6, r6, r4;
    mad.lo.u32 i, r0, r6, r3;
    mul.wide.u32 at, i, 4;
    add.u64 at, o, at;
    st.global.u32 [at], i;
    ret;
}
"""
)


@pytest.mark.parametrize(("grid", "block"), [((2, 3, 4), (5, 6, 7)), ((1, 1, 9), (33, 1, 1)), (3, (1, 31)), (1, 1024)])
def test_every_thread_knows_its_place(grid: object, block: object) -> None:
    shape = [np.prod(v) for v in (grid, block)]
    out = np.full(int(shape[0] * shape[1]), -1, np.int32)
    load(WHERE)["place"](grid, block, (out, 0), engine="interp")
    assert (out == np.arange(out.size)).all()


CLUSTER = (
    HEAD
    + """
.visible .entry ranks(.param .u64 out) {
    .shared .u32 x;
    .reg .u64 o, at;
    .reg .u32 rank, size, peer, v, b, there;
    ld.param.u64 o, [out];
    mov.u32 rank, %cluster_ctarank;
    mov.u32 size, %cluster_nctarank;
    mov.u32 b, %ctaid.x;
    st.shared.u32 [x], b;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    add.u32 peer, rank, 1;
    rem.u32 peer, peer, size;
    mov.u32 there, x;
    mapa.shared::cluster.u32 there, there, peer;
    ld.shared::cluster.u32 v, [there];
    getctarank.shared::cluster.u32 peer, there;
    mad.lo.u32 v, v, 100, peer;
    mul.wide.u32 at, b, 4;
    add.u64 at, o, at;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    st.global.u32 [at], v;
    ret;
}
"""
)


def test_blocks_of_a_cluster_read_each_other() -> None:
    out = np.zeros(8, np.uint32)
    load(CLUSTER)["ranks"](8, 1, (out,), cluster=4, engine="interp")
    assert out.tolist() == [101, 202, 303, 0, 501, 602, 703, 400]


def test_without_a_cluster_a_block_is_its_own() -> None:
    out = np.zeros(3, np.uint32)
    load(CLUSTER)["ranks"](3, 1, (out,), engine="interp")
    assert out.tolist() == [0, 100, 200]


NARROW = """.version 7.0
.target sm_50
.address_size 32
.visible .entry add(.param .u32 p) {
    .shared .u32 s;
    .reg .u32 a, g, v;
    ld.param.u32 a, [p];
    ld.global.u32 v, [a+4];
    st.shared.u32 [s], v;
    mov.u32 g, s;
    cvta.shared.u32 g, g;
    ld.u32 v, [g];
    add.u32 v, v, 1;
    st.global.u32 [a], v;
    ret;
}
"""


def test_addresses_of_32_bits() -> None:
    data = np.array([0, 41], np.uint32)
    load(NARROW)["add"](1, 1, (data,), engine="interp")
    assert data.tolist() == [42, 41]


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_a_thread_has_half_a_mebibyte_of_local_memory(engine: str) -> None:
    """CUDA's limit; what is larger does not fit."""
    body = """
.visible .entry k(.param .u64 p) {{
    .local .align 4 .b8 own[{size}];
    .reg .b64 a;
    .reg .b32 x;
    ld.param.u64 a, [p];
    mov.u32 x, 7;
    st.local.u32 [own+{last}], x;
    ld.local.u32 x, [own+{last}];
    st.global.u32 [a], x;
    ret;
}}
"""
    out = np.zeros(1, np.uint32)
    load(HEAD + body.format(size=512 << 10, last=(512 << 10) - 4))["k"](1, 32, (out,), engine=engine)
    assert out[0] == 7
    with pytest.raises(Fault, match="stack"):
        load(HEAD + body.format(size=(512 << 10) + 16, last=0))["k"](1, 32, (out,), engine=engine)
