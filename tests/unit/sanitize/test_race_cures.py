"""The help of a race is sufficient for all threads that race there, not only for the first two."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.interp import launch

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


STRIDE = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
    .reg .b64 p; .reg .b32 i, n, v;
    ld.param.u64 p, [out];
    mov.u32 v, %ctaid.x; mov.u32 i, %tid.x; mov.u32 n, %ctaid.x; mad.lo.u32 i, n, 16, i;
    mad.wide.u32 p, i, 4, p;
    st.global.u32 [p], v;
    ret;
}
"""


@pytest.mark.parametrize(
    ("text", "help"),
    [
        (STRIDE, "blocks overlap: two of them compute the same address from `%ctaid`"),
        (STRIDE.replace("mov.u32 n, %ctaid.x", "mov.u32 n, %laneid"), "blocks that differ in `%ctaid.x` store to"),
        (STRIDE.replace("n, %ctaid.x", "n, %ctaid.y"), "blocks that differ in `%ctaid.x` store to one address"),
        (STRIDE.replace("mov.u32 n, %ctaid.x", "ld.global.u32 n, [p+400]"), ("publish by", "let one thread")),
        (STRIDE.replace("mov.u32 n, %ctaid.x", "mov.u32 n, %smid"), ("publish by", "let one thread")),
    ],
    ids=("stride", "no block", "another axis", "data", "multiprocessor"),
)
@pytest.mark.parametrize("lanes", [32, 1 << 15])
def test_blocks_that_store_to_the_same_elements_need_another_index(
    text: str, help: str | tuple[str, ...], lanes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether they run together or one after the other. The index is to blame only if nothing but the text makes it."""
    monkeypatch.setattr(launch, "LANES", lanes)
    found = openptx.sanitize(openptx.load(text)["k"], 3, 32, (np.zeros(2048, np.uint32),), tools="race")
    (finding,) = [each for each in found if each.name == "data-race" and each.other is not None]
    assert finding.other is not None
    assert finding.site.text == finding.other.text
    assert (finding.help or "").startswith(help)


ROLES = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k() {{
    .reg .b32 t, v; .reg .pred q; .shared .b32 s;
    mov.u32 t, %tid.x; setp.ge.u32 q, t, 32;
    @q bra READ;
    bar.arrive 1, {count}; setp.eq.u32 q, t, 0; @q st.shared.u32 [s], 42;
    ret;
READ:
    bar.sync 1, {count}; ld.shared.u32 v, [s];
    ret;
}}
"""


def test_warps_of_different_roles_need_their_barrier() -> None:
    late = ROLES.replace("bar.arrive 1, {count};", "").replace("bar.sync 1", "bar.sync 2").format(count=32)
    (found,) = openptx.sanitize(openptx.load(late)["k"], 1, 64, tools="race")
    assert "a `bar.sync 0` between lines 8 and 11" in (found.help or "")
    assert "arrives after its access" in (found.help or "")
    assert "arrives after its access" not in (race(96).help or "")


def test_a_warp_that_arrives_before_its_access_arrives_too_early() -> None:
    (found,) = openptx.sanitize(openptx.load(ROLES.format(count=64))["k"], 1, 64, tools="race")
    assert (found.help or "").startswith("let the thread arrive after its access")


ADD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 y) {
    .reg .b64 p; .reg .b32 i, t, n; .reg .f32 v;
    ld.param.u64 p, [y]; mov.u32 t, %tid.x; mov.u32 n, %ctaid.x; mad.lo.u32 i, n, 16, t;
    mad.wide.u32 p, i, 4, p; ld.global.f32 v, [p]; add.f32 v, v, 0f3F800000; st.global.f32 [p], v;
    ret;
}
"""


def test_threads_that_update_one_element_by_a_wrong_index_need_another_one() -> None:
    """Not so if the index depends on data, as of a histogram."""
    y = np.zeros(256, np.float32)
    found = openptx.sanitize(openptx.load(ADD)["k"], 2, 32, (y,), tools="race")[0]
    assert (found.help or "").startswith("two threads compute one address from `%tid.x` and `%ctaid.x`: correct the")
    assert "one atomic operation" in (found.help or "")
    histogram = ADD.replace("mov.u32 n, %ctaid.x;", "ld.global.u32 n, [p+512];")
    found = openptx.sanitize(openptx.load(histogram)["k"], 2, 32, (y,), tools="race")[0]
    assert (found.help or "").startswith("read, change and write it by one atomic operation")


PARTS = """.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 4 .b8 dynamic[];
.visible .entry k() {
    .reg .b32 a, t;
    mov.u32 t, %tid.x; mov.u32 a, dynamic; mad.lo.u32 a, t, 4, a;
    st.shared.u32 [a], t; st.shared.u32 [a+64], t;
    ret;
}
"""


def test_parts_of_dynamic_shared_memory_may_overlap() -> None:
    (found,) = openptx.sanitize(openptx.load(PARTS)["k"], 1, 64, shared_mem=512, tools="race")
    assert "their parts of dynamic shared memory overlap" in (found.help or "")


PEEK = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
    .reg .b64 p; .reg .b32 n, v; .reg .pred q;
    ld.param.u64 p, [out]; mov.u32 n, %ctaid.x;
    ld.global.u32 v, [p]; setp.ge.u32 q, v, n;
    @!q red.global.max.u32 [p], n;
    ret;
}
"""


def test_a_look_at_what_other_blocks_update_needs_a_strong_load() -> None:
    (found,) = openptx.sanitize(openptx.load(PEEK)["k"], 3, 1, (np.zeros(1, np.uint32),), tools="race")
    assert (found.help or "").startswith("read it by `ld.relaxed.gpu` (`cuda::atomic_ref`) if any value will do; ")


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
    assert found.help == "give both the scope `.gpu`, which includes both threads"
    assert (found.lines, len(found.related)) == ({9, 10, 13, 15}, 1)


HALVES = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
    .reg .b64 p, v; .reg .b32 n; .reg .pred q;
    ld.param.u64 p, [out];
    mov.u32 n, %ctaid.x; setp.ne.u32 q, n, 0;
    @q ld.relaxed.gpu.global.b64 v, [p];
    @!q st.relaxed.gpu.global.b32 [p], n;
    ret;
}
"""


def test_strong_accesses_of_different_sizes_are_the_cause() -> None:
    (found,) = openptx.sanitize(openptx.load(HALVES)["k"], 2, 1, (np.zeros(64, np.uint32),), tools="race")
    assert "why: strong accesses are ordered only if they overlap completely: of 4 and 8 bytes" in found.notes
    assert (found.help or "").startswith("give both one size")


def one_writer(hoisted: bool) -> list[openptx.Finding]:
    """The findings of a kernel in which thread 0 alone stores a sum that the others read, by a load of their own or by
    one that the compiler has hoisted above the store."""
    mine, others = ("", "") if hoisted else ("@!q ", "ld.shared.u32 v, [w];")
    text = f""".version 8.0
.target sm_80
.address_size 64
.shared .b32 w[2];
.visible .entry k(.param .u64 out) {{
    .reg .b64 p; .reg .b32 t, v, a, b; .reg .pred q;
    ld.param.u64 p, [out];
    mov.u32 t, %tid.x; mad.wide.u32 p, t, 4, p; setp.ne.u32 q, t, 0;
    @!q st.shared.u32 [w], t; @!q st.shared.u32 [w+4], t;
    bar.sync 0;
    {mine}ld.shared.u32 v, [w];
    @q bra READ;
    ld.shared.u32 b, [w+4]; add.u32 a, v, b;
    st.shared.u32 [w], a;
READ: {others}
    st.global.u32 [p], v;
    ret;
}}
"""
    return openptx.sanitize(openptx.load(text)["k"], 1, 64, (np.zeros(64, np.uint32),), tools="race")


@pytest.mark.parametrize("hoisted", [False, True])
def test_an_atomic_operation_is_no_help_if_one_thread_stores(hoisted: bool) -> None:
    (found,) = one_writer(hoisted)
    assert (found.help or "").startswith("a `bar.sync 0`")


SUM_BY_LAST = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 parts, .param .u64 count) {
    .reg .b32 b, n, v; .reg .b64 p, c, at; .reg .pred q;
    ld.param.u64 p, [parts];
    ld.param.u64 c, [count];
    mov.u32 b, %ctaid.x;
    mad.wide.u32 at, b, 4, p;
    st.global.u32 [at], b;
    fence.acq_rel.gpu;
    atom.global.add.u32 n, [c], 1;
    fence.acq_rel.gpu;
    mov.u32 v, %nctaid.x;
    sub.u32 v, v, 1;
    setp.ne.u32 q, n, v;
    @q ret;
    ld.global.u32 v, [p];
    ld.global.u32 v, [p+200];
    ret;
}
"""


@pytest.mark.parametrize(
    ("kept", "lines"), [((".gpu", ".gpu"), set[int]()), ((".cta", ".gpu"), {11, 19, 20}), ((".gpu", ".cta"), {11, 20})]
)
def test_a_counter_of_many_blocks_orders_them_all(kept: tuple[str, str], lines: set[int]) -> None:
    """A record keeps apart what the last few blocks have released, and the scope of fences on both sides counts."""
    first, second = kept
    text = SUM_BY_LAST.replace("fence.acq_rel.gpu", f"fence.acq_rel{first}", 1)
    head, middle, tail = text.rpartition("fence.acq_rel.gpu")
    text = f"{head}fence.acq_rel{second}{tail}" if middle else text
    found = openptx.sanitize(
        openptx.load(text)["k"], 60, 1, (np.zeros(60, np.uint32), np.zeros(1, np.uint32)), tools="race", strict=True
    )
    assert {line for each in found for line in each.lines} == lines


HANDOVER = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 data, .param .u64 flag) {
    .reg .b32 t, b, v; .reg .b64 d, f, at; .reg .pred q, first;
    ld.param.u64 d, [data];
    ld.param.u64 f, [flag];
    mov.u32 t, %tid.x; mov.u32 b, %ctaid.x;
    mad.wide.u32 at, t, 4, d;
    setp.eq.u32 first, t, 0;
    setp.ne.u32 q, b, 0;
    @q bra READ;
    st.global.u32 [at], t;
    bar.sync 0;
    @first st.release.gpu.global.u32 [f], 1;
    ret;
    READ: @!first bra MEET;
    WAIT: ld.acquire.gpu.global.u32 v, [f];
    setp.eq.u32 q, v, 0;
    @q bra WAIT;
    MEET: bar.sync 0;
    ld.global.u32 v, [d+124];
    ret;
}
"""


def test_a_flag_needs_barriers_of_the_blocks_on_both_sides() -> None:
    def race(text: str) -> list[str]:
        arguments = np.zeros(32, np.uint32), np.zeros(1, np.uint32)
        return [each.help or "" for each in openptx.sanitize(openptx.load(text)["k"], 2, 32, arguments, tools="race")]

    assert not race(HANDOVER)
    (writer,) = race(HANDOVER.replace("    bar.sync 0;\n    @first", "    @first"))
    assert writer.startswith("`__syncthreads()` (`bar.sync 0`) after the write, before another thread of its block")
    (reader,) = race(HANDOVER.replace("MEET: bar.sync 0;", "MEET:"))
    assert "a reader that needs the new value must wait" in reader or "another thread of this block" in reader
