"""Vectors of happens-before that nothing uses are collected; with too many in use a launch goes on without races."""

from __future__ import annotations

import numpy as np
import pytest
from test_defect_pairs import Row, module, rows

import openptx
from openptx.sanitize.races import views

TEXT = """.version 8.0
.target sm_80
.address_size 64
// Each thread adds to a sum and waits for all others; then it writes the sum to its place.
.visible .entry k(.param .u64 sum, .param .u64 count, .param .u64 out, .param .u32 n) {
    .reg .b64 %rd<9>; .reg .b32 %r<12>; .reg .pred %p;
    ld.param.u64 %rd1, [sum]; ld.param.u64 %rd2, [count]; ld.param.u64 %rd3, [out]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r2;
    atom.add.u32 %r6, [%rd1], %r5;
    atom.acq_rel.gpu.add.u32 %r6, [%rd2], 1;
A:  ld.acquire.gpu.u32 %r7, [%rd2];
    setp.lt.u32 %p, %r7, %r1;
    @%p bra A;
    ld.relaxed.gpu.u32 %r8, [%rd1];
    mul.wide.u32 %rd4, %r5, 4; add.u64 %rd5, %rd3, %rd4;
    ld.global.u32 %r9, [%rd5]; add.u32 %r8, %r8, %r9;
    st.global.u32 [%rd5], %r8;
    ret;
}
"""


@pytest.mark.parametrize("shape", [(8, 32), (2, 16)])
def test_the_kernel_is_not_stopped(
    shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """However few threads it has: each of them may synchronise any number of times."""
    monkeypatch.setattr(views, "LIMIT", 1 << 14)
    n = shape[0] * shape[1]
    total, count, out = np.zeros(1, np.uint32), np.zeros(1, np.uint32), np.arange(n, dtype=np.uint32)
    again = "atom.acq_rel.gpu.add.u32 %r6, [%rd2], 0;\n"
    text = TEXT.replace("    ret;", 8 * again + "    ret;")
    openptx.load(text)["k"](*shape, (total, count, out, n), sanitize="race,init", engine="interp")
    assert count[0] == n
    assert (out == n * (n - 1) // 2 + np.arange(n)).all()
    assert "races were not watched to the end: the order of its accesses takes more" in caplog.text


def test_what_was_found_until_then_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sum is stored, not added, by the first instruction of each thread."""
    monkeypatch.setattr(views, "LIMIT", 1 << 12)
    text = TEXT.replace("atom.add.u32 %r6, [%rd1], %r5;", "st.global.u32 [%rd1], %r5;")
    arrays = np.zeros(1, np.uint32), np.zeros(1, np.uint32), np.zeros(256, np.uint32)
    found = openptx.sanitize(openptx.load(text)["k"], 8, 32, (*arrays, 256), tools="race,init")
    assert "data-race" in {f.name for f in found}
    assert arrays[1][0] == 256


LOCKED = """.version 8.0
.target sm_80
.address_size 64
// A ticket lock, n times; then every block adds to the word behind it without the lock.
.visible .entry k(.param .u64 p, .param .u32 turns) {
    .reg .b64 a; .reg .b32 own, now, x, i, n; .reg .pred q;
    ld.param.u64 a, [p]; ld.param.u32 n, [turns]; mov.u32 i, 0;
A:  atom.relaxed.gpu.global.add.u32 own, [a], 1;
W:  ld.acquire.gpu.global.u32 now, [a + 4]; setp.ne.u32 q, now, own; @q bra W;
    ld.global.u32 x, [a + 8]; add.u32 x, x, 1; st.global.u32 [a + 8], x;
    add.u32 own, own, 1; st.release.gpu.global.u32 [a + 4], own;
    add.u32 i, i, 1; setp.lt.u32 q, i, n; @q bra A;
    ld.global.u32 x, [a + 12]; add.u32 x, x, 1; st.global.u32 [a + 12], x;
    ret;
}
"""


def test_long_waits_take_no_more_memory_than_short_ones(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The vectors of 8 blocks and 20 turns have more than LIMIT bytes in sum, those in use at once have less."""
    monkeypatch.setattr(views, "LIMIT", 1 << 14)
    a = np.zeros(4, np.uint32)
    collected = openptx.sanitize(openptx.load(LOCKED)["k"], 8, 1, (a, 20), tools="race", engine="interp")
    assert {(f.name, f.line) for f in collected} == {("data-race", 13)}
    assert a[:3].tolist() == [160, 160, 160]
    assert "not watched" not in caplog.text


SYNCHRONISED = ("g_chain", "v_cluster_fence", "dsm_mbar", "v_multicast", "arrive_pair", "cp_mbar", "g_two_locks")
"""Pairs that synchronise by fences, blocks of a cluster, mbarriers, named barriers and copies."""


@pytest.mark.parametrize(
    "row", [row for row in rows() if row.name.rpartition("_")[0] in SYNCHRONISED], ids=lambda r: r.name
)
def test_no_vector_in_use_is_collected(row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    collect = views.Views.collect

    def now(known: views.Views) -> None:
        known._collection_at = -1
        collect(known)

    def findings() -> list[str]:
        arrays = [np.arange(1024, dtype=np.int32), *(np.zeros(1024, np.int32) for _ in range(2))]
        grid, block = row.launch.get("grid", 1), row.launch.get("block", 64)
        kernel, cluster = module(row.file)[row.name], row.launch.get("cluster")
        return [str(f) for f in openptx.sanitize(kernel, grid, block, (*arrays, 1024), tools="race", cluster=cluster)]

    expected = findings()
    monkeypatch.setattr(views.Views, "collect", now)
    assert findings() == expected
