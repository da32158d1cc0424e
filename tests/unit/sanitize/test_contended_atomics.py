"""Atomics are tracked one thread after the other: many threads that retry must stay affordable."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.array_types import Array
from openptx.device.shared_layout import SharedLayout
from openptx.engines.interp.geometry import Shape
from openptx.sanitize.races import releases
from openptx.sanitize.races.clocks import Clocks
from openptx.sanitize.races.releases import Record, Releases
from openptx.sanitize.races.teams import Teams

CONTENDED = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) {
    .reg .b64 a; .reg .b32 v, w, x; .reg .pred q;
    ld.param.u64 a, [p];
    ld.relaxed.gpu.global.u32 v, [a];
    AGAIN: mad.lo.u32 w, v, 3, 1;
    atom.acq_rel.gpu.global.cas.b32 x, [a], v, w;
    setp.ne.u32 q, x, v;
    mov.u32 v, x;
    @q bra AGAIN;
    ret;
}
"""


@pytest.mark.parametrize("threads", [1, 45, 64, 65])
def test_what_one_thread_knows_is_what_it_knows_among_others(threads: int) -> None:
    layout = SharedLayout({}, 0, 0, False)
    clocks = Clocks(Teams(Shape((3, 1, 1), (threads, 1, 1), (1, 1, 1), False, layout, 0, 0, 0)))
    clocks.meet_ctas(np.array([1]))
    clocks.tick()
    clocks.meet_warps(np.array([0, clocks.teams.warps]))
    now = clocks.tick()
    all_threads = np.arange(clocks.teams.count)
    for thread in all_threads.tolist():
        one = clocks.knowledge(np.array([thread]), np.array([now]))
        twice = clocks.knowledge(np.array([thread, thread]), np.array([now, now]))
        for time in range(1, now + 1):
            times = np.full(all_threads.shape, time)
            expected = clocks.views.knows(twice, all_threads, times)
            assert (clocks.views.knows(one, all_threads, times) == expected).all()


def test_compare_and_swap_by_many_threads_is_clean() -> None:
    a = np.zeros(1, np.uint32)
    assert openptx.sanitize(openptx.load(CONTENDED)["k"], 2, 32, (a,), tools=["race"], engine="interp") == []
    expected = 0
    for _ in range(64):
        expected = (expected * 3 + 1) & 0xFFFFFFFF
    assert a[0] == expected


SPIN = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) {
    .reg .b64 a; .reg .b32 v; .reg .pred q;
    ld.param.u64 a, [p];
    AGAIN: atom.relaxed.gpu.global.cas.b32 v, [a], 0, 1;
    setp.ne.u32 q, v, 0;
    @q bra AGAIN;
    fence.sc.gpu;
    ld.global.u32 v, [a+4]; add.u32 v, v, 1; st.global.u32 [a+4], v;
    fence.sc.gpu;
    st.relaxed.gpu.global.u32 [a], 0;
    ret;
}
"""


def test_blocks_that_spin_on_a_lock_observe_each_release_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those alone of which the record keeps a part observe it one by one."""
    """Attempts to take it in vain add nothing to what the lock publishes, and the next ones learn nothing new."""
    calls, observe = [0], Releases.observe

    def counted(self: Releases, record: Record, threads: Array, scope: int, acquires: bool, counts: bool) -> None:
        calls[0] += 1
        observe(self, record, threads, scope, acquires, counts)

    monkeypatch.setattr(Releases, "observe", counted)
    monkeypatch.setattr(releases, "MOST_PARTS", 4)
    a, blocks = np.zeros(2, np.uint32), 64
    assert openptx.sanitize(openptx.load(SPIN)["k"], blocks, 1, (a,), tools="race", engine="interp") == []
    assert a.tolist() == [0, blocks]
    assert calls[0] < 20 * blocks
