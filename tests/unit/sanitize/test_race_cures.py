"""The help of a race is sufficient for all threads that race there, not only for the first two."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

SUM_BY_ONE = """
.version 8.0
.target sm_80
.address_size 64
.shared .b32 s[96];
.visible .entry k(.param .u64 out) {
    .reg .b32 t, a, v, sum, i; .reg .b64 p; .reg .pred q;
    mov.u32 t, %tid.x;
    shl.b32 a, t, 2;
    mov.u32 i, s;
    add.u32 a, a, i;
    st.shared.u32 [a], t;
    setp.ne.u32 q, t, 0;
    @q ret;
    mov.u32 sum, 0;
    mov.u32 i, 0;
    NEXT: ld.shared.u32 v, [a];
    add.u32 sum, sum, v;
    add.u32 a, a, 4;
    add.u32 i, i, 1;
    mov.u32 t, %ntid.x;
    setp.lt.u32 q, i, t;
    @q bra NEXT;
    ld.param.u64 p, [out];
    st.global.u32 [p], sum;
    ret;
}
"""


def race(block: int) -> openptx.Finding:
    kernel = openptx.load(SUM_BY_ONE)["k"]
    (found,) = openptx.sanitize(kernel, 1, block, (np.zeros(1, np.uint32),), tools="race")
    return found


def test_lanes_of_one_warp_need_a_barrier_of_the_warp() -> None:
    found = race(32)
    assert "`bar.warp.sync`" in (found.help or "")
    assert not [note for note in found.notes if note.startswith("also")]


def test_a_race_of_lanes_that_is_one_of_warps_too_needs_a_barrier_of_the_block() -> None:
    found = race(96)
    assert "`bar.sync 0`" in (found.help or "")
    (also,) = [note for note in found.notes if note.startswith("also")]
    assert (
        also
        == "also: threads of different warps: block (0, 0, 0), thread (0, 0, 0) and block (0, 0, 0), thread (32, 0, 0)"
    )


COUNT = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
    .reg .b32 v; .reg .b64 p;
    ld.param.u64 p, [out];
    ld.global.u32 v, [p];
    add.u32 v, v, 1;
    st.global.u32 [p], v;
    ret;
}
"""


@pytest.mark.parametrize(("grid", "block"), [(1, 32), (1, 96), (4, 1)])
def test_a_counter_of_several_threads_needs_an_atomic_operation(grid: int, block: int) -> None:
    found = openptx.sanitize(openptx.load(COUNT)["k"], grid, block, (np.zeros(1, np.uint32),), tools="race")
    helps = [each.help or "" for each in found if each.other is not None and each.other.text != each.site.text]
    assert helps
    assert all("`atom.global`" in text and "atomicAdd" in text for text in helps)


SHIFT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
    .reg .b64 p; .reg .b32 i, n, v;
    ld.param.u64 p, [out];
    mov.u32 i, %tid.x; mov.u32 n, %ctaid.x; mad.lo.u32 i, n, 32, i;
    mad.wide.u32 p, i, 4, p;
    ld.global.u32 v, [p+4];
    st.global.u32 [p], v;
    ret;
}
"""


def test_a_block_that_overwrites_what_another_reads_needs_other_memory() -> None:
    (found,) = openptx.sanitize(openptx.load(SHIFT)["k"], 2, 32, (np.arange(65, dtype=np.uint32),), tools="race")
    assert "write to other memory" in (found.help or "")


FLAG = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
    .reg .b64 p; .reg .b32 n, v; .reg .pred q;
    ld.param.u64 p, [out];
    mov.u32 n, %ctaid.x; setp.ne.u32 q, n, 0;
    @q bra READ;
    st.global.u32 [p], 42;
    st.release.cta.global.u32 [p+64], 1;
    ret;
READ:
    ld.acquire.cta.global.u32 v, [p+64]; setp.eq.u32 q, v, 0;
    @q bra READ;
    ld.global.u32 v, [p];
    st.global.u32 [p+128], v;
    ret;
}
"""


def test_a_scope_that_is_too_narrow_is_the_cause() -> None:
    (found,) = openptx.sanitize(openptx.load(FLAG)["k"], 2, 1, (np.zeros(64, np.uint32),), tools="race")
    assert found.help == "give both the scope `.gpu`, which includes both threads, and one size"
    assert (found.lines, len(found.related)) == ({9, 10, 13, 15}, 1)
