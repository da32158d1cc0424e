"""What a watched launch keeps of blocks that have ended: nothing but the cells of the arrays that they accessed."""

from __future__ import annotations

import weakref

import numpy as np
import pytest

import openptx
from openptx.engines.interp import launch
from openptx.sanitize.batch import SanitizedBatch
from openptx.sanitize.races.thread_tables import ThreadTables
from openptx.sanitize.session import Session
from openptx.sanitize.watched_launch import SHARED_BYTES

TEXT = """.version 8.0
.target sm_90
.address_size 64
// Barriers of both kinds, an mbarrier, copies, and a counter of arrivals.
.visible .entry k(.param .u64 p) {
    .shared .align 8 .b8 s[BYTES]; .shared .b64 m;
    .reg .b64 a, b, w; .reg .b32 t, c, at; .reg .pred q;
    ld.param.u64 a, [p]; mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mad.lo.u32 c, c, 32, t;
    mad.wide.u32 b, c, 4, a; mov.u32 at, s; mad.lo.u32 at, t, 4, at;
    setp.ne.u32 q, t, 0; @q bra A;
    mbarrier.init.shared.b64 [m], 32;
A:  bar.sync 0;
    cp.async.ca.shared.global [at], [b + 4], 4; cp.async.commit_group; cp.async.wait_group 0;
    bar.arrive 1, 64; bar.sync 1, 64;
    mbarrier.arrive.shared.b64 w, [m];
W:  mbarrier.test_wait.shared.b64 q, [m], w; @!q bra W;
    fence.acq_rel.gpu; atom.global.add.u32 t, [a], 1;
    ret;
}
"""


def test_nothing_is_kept_of_blocks_that_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "LANES", 64)
    batches, sessions, most = weakref.WeakSet[SanitizedBatch](), set[Session](), 0

    def begins(session: Session, batch: SanitizedBatch) -> None:
        nonlocal most
        begin(session, batch)
        batches.add(batch)
        sessions.add(session)
        most = max(most, len(batches))

    begin = Session.begins
    monkeypatch.setattr(Session, "begins", begins)
    kernel = openptx.load(TEXT.replace("BYTES", "128"))["k"]
    array = np.zeros(1 + 32 * 32, np.uint32)
    openptx.sanitize(kernel, 32, 32, (array,), engine="interp")
    (session,) = sessions
    assert array[0] == 32 * 32
    assert most <= 2  # the one before is the last that executed
    assert not session.mbarriers.known
    assert not session.mbarriers.changed_by
    assert not session.copies.pending
    assert not session.clocks.view.any()
    assert not session.releases.wide.time.any()


def test_batches_have_little_shared_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte of it has many bytes of shadow cells."""
    blocks = list[int]()

    def begins(session: Session, batch: SanitizedBatch) -> None:
        begin(session, batch)
        blocks.append(batch.x.geometry.count)

    begin = Session.begins
    monkeypatch.setattr(Session, "begins", begins)
    kernel = openptx.load(TEXT.replace("BYTES", "40000"))["k"]
    openptx.sanitize(kernel, 128, 32, (np.zeros(1 + 128 * 32, np.uint32),), tools="sync", engine="interp")
    assert sum(blocks) == 128
    assert max(blocks) * 40000 <= SHARED_BYTES


@pytest.mark.parametrize("width", [1, 2])
def test_entries_of_threads_that_ended_are_zeros(width: int) -> None:
    tables, ranges = ThreadTables(10_000), [(0, 1), (1, 3000), (3000, 9999), (9999, 10_000)]
    made = tables.zeros(np.int32, width)
    for part in ranges:
        tables.begin(*part)
    for part in ranges:
        made[:] = 7
        tables.end(*part)
        assert not made[slice(*part)].any()
        assert np.count_nonzero(made) == width * (10_000 - part[1] + part[0])
    assert not tables.running
