"""Waits and arrivals of pipelines that fall out of step: one finding, which names the wait or the arrival to change."""

from __future__ import annotations

import re

import numpy as np
import pytest

import openptx
from openptx import memory
from openptx.memory.blocks import OWN_SLOTS

HEAD = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 o)
{
    .reg .pred %p<8>;
    .reg .b32 %r<32>;
    .reg .b64 %rd<16>;
    .shared .align 16 .b8 tile[4096];
    .shared .align 8 .b8 full[8];
    .shared .align 8 .b8 empty[8];
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [o];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    mov.u32 %r2, tile;
    shl.b32 %r3, %r1, 2;
    add.s32 %r4, %r2, %r3;
    xor.b32 %r5, %r3, 252;
    add.s32 %r6, %r2, %r5;
"""

COPIES = (
    HEAD
    + """
    cp.async.ca.shared.global [%r4], [%rd4], 4;
    cp.async.commit_group;
    cp.async.ca.shared.global [%r4+1024], [%rd4], 4;
    COMMIT
    cp.async.wait_group FIRST;
    bar.sync 0;
    ld.shared.u32 %r7, [%r6];
    cp.async.wait_group SECOND;
    bar.sync 0;
    ld.shared.u32 %r8, [%r6+1024];
    add.s32 %r9, %r7, %r8;
    st.global.u32 [%rd5], %r9;
    ret;
}
"""
)

NAMED = (
    HEAD
    + """
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra consumer;
    st.shared.u32 [%r4], %r1;
    bar.arrive 1, COUNT;
    bar.sync 2, 64;
    ret;
consumer:
    bar.sync 2, 64;
    bar.sync 1, 64;
    ld.shared.u32 %r7, [%r4+-128];
    st.global.u32 [%rd5], %r7;
    ret;
}
"""
)

ROLES = (
    HEAD
    + """
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra begun;
    mbarrier.init.shared.b64 [full], 32;
    mbarrier.init.shared.b64 [empty], COUNT;
begun:
    bar.sync 0;
    mov.u32 %r10, 0;
    setp.lt.u32 %p2, %r1, 32;
    @%p2 bra producer;
consumer:
    and.b32 %r11, %r10, 1;
wait_full:
    mbarrier.try_wait.parity.shared.b64 %p3, [full], %r11;
    @!%p3 bra wait_full;
    and.b32 %r12, %r3, 124;
    add.s32 %r13, %r2, %r12;
    ld.shared.u32 %r7, [%r13];
    mbarrier.arrive.shared.b64 _, [empty];
    add.s32 %r10, %r10, 1;
    setp.lt.u32 %p4, %r10, 3;
    @%p4 bra consumer;
    st.global.u32 [%rd5], %r7;
    ret;
producer:
    and.b32 %r11, %r10, 1;
    xor.b32 %r12, %r11, 1;
    PRODUCER
    st.shared.u32 [%r4], %r10;
    mbarrier.arrive.shared.b64 _, [full];
    add.s32 %r10, %r10, 1;
    setp.lt.u32 %p4, %r10, 3;
    @%p4 bra producer;
    ret;
}
"""
)
WAIT = """
wait_empty:
    mbarrier.try_wait.parity.shared.b64 %p3, [empty], %r12;
    @!%p3 bra wait_empty;
"""


def findings(text: str, block: int) -> list[openptx.Finding]:
    a, o = np.arange(256, dtype=np.int32), np.zeros(256, np.int32)
    return openptx.sanitize(openptx.load(text)["k"], 1, block, (a, o), timeout=60)


def copies(first: str, second: str, commit: str = "cp.async.commit_group;") -> list[openptx.Finding]:
    text = COPIES.replace("FIRST", first).replace("SECOND", second).replace("COMMIT", commit)
    return findings(text, 64)


def test_copies_that_are_waited_for() -> None:
    assert copies("1", "0") == []


@pytest.mark.parametrize(("first", "second", "right"), [("2", "0", "1"), ("1", "1", "0")])
def test_a_wait_that_leaves_a_copy_under_way_is_named_with_its_number(first: str, second: str, right: str) -> None:
    (found,) = copies(first, second)
    assert any("has left the asynchronous copy under way" in note for note in found.notes)
    assert f"`cp.async.wait_group {right}`" in (found.help or "")


def test_two_copies_that_one_wait_leaves_are_one_finding() -> None:
    (found,) = copies("2", "2")
    assert len(found.related) >= 1


def test_a_copy_that_is_not_committed() -> None:
    (found,) = copies("0", "0", commit="")
    assert "cp.async.commit_group" in (found.help or "")


def test_arrivals_that_complete_a_barrier_alone_are_the_cause_of_a_standstill() -> None:
    assert findings(NAMED.replace("COUNT", "64"), 64) == []
    (found,) = findings(NAMED.replace("COUNT", "32"), 64)
    assert found.other is not None
    assert found.other.text == "bar.arrive 1, 32"
    assert "name the number of all threads" in (found.help or "")


def test_a_count_that_is_too_small_is_one_finding_at_the_arrivals() -> None:
    assert findings(ROLES.replace("COUNT", "64").replace("PRODUCER", WAIT), 96) == []
    (found,) = findings(ROLES.replace("COUNT", "32").replace("PRODUCER", WAIT), 96)
    assert found.help == "count all arrivals of a phase in `mbarrier.init`"


def test_a_producer_that_does_not_wait_is_one_finding() -> None:
    (found,) = findings(ROLES.replace("COUNT", "64").replace("PRODUCER", ""), 96)
    assert found.kinds >= {"race", "sync"}


def test_memory_that_the_host_has_for_small_allocations_is_no_reason_not_to_repeat_a_launch() -> None:
    """The pool has 256 MiB of addresses, of which few are in use; the race shows in another order of threads."""
    blocks = [memory.allocate(16) for _ in range(OWN_SLOTS + 1)]
    test_a_producer_that_does_not_wait_is_one_finding()
    assert all(blocks)


OUT = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 o) {
    .reg .b64 %o; .reg .b32 %i; .reg .pred %p, %d;
    .shared .align 16 .b8 s[128]; .shared .b64 m;
    ld.param.u64 %o, [o]; mov.u32 %i, %tid.x; setp.ne.u32 %p, %i, 0;
    @!%p mbarrier.init.shared.b64 [m], 1;
    bar.sync 0;
    @%p bra others;
    cp.async.bulk.global.shared::cta.bulk_group [%o], [s], 128;
    cp.async.bulk.commit_group;
    mbarrier.arrive.shared.b64 _, [m];
    cp.async.bulk.wait_group 0;
others:
    mbarrier.try_wait.parity.shared.b64 %d, [m], 0;
    @!%d bra others;
    setp.eq.u32 %p, %i, 1;
    @%p st.global.u32 [%o], %i;
    ret;
}
"""


def test_the_thread_of_a_copy_that_completes_by_groups_waits_for_it() -> None:
    """No mbarrier signals its end, so no parity is wrong."""
    finding = next(f for f in findings(OUT, 64) if f.name == "data-race")
    assert (finding.help or "").startswith(
        "`cp.async.bulk.wait_group` in the thread that began the copy, and a barrier"
    )


RING = (
    HEAD
    + """
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra begun;
    mbarrier.init.shared.b64 [full], 1;
    mbarrier.init.shared.b64 [empty], 32;
begun:
    bar.sync 0;
    mov.u32 %r10, 0;
    setp.lt.u32 %p2, %r1, 32;
    @%p2 bra consumer;
    setp.ne.u32 %p1, %r1, 32;
    @%p1 ret;
producer:
    and.b32 %r11, %r10, 1;
    xor.b32 %r12, %r11, 1;
    PRODUCER
    mbarrier.arrive.expect_tx.shared.b64 _, [full], 128;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 128, [full];
    add.s32 %r10, %r10, 1;
    setp.lt.u32 %p4, %r10, 3;
    @%p4 bra producer;
    ret;
consumer:
    and.b32 %r11, %r10, 1;
    CONSUMER
    ld.shared.u32 %r7, [%r4];
    mbarrier.arrive.shared.b64 _, [empty];
    add.s32 %r10, %r10, 1;
    setp.lt.u32 %p4, %r10, 3;
    @%p4 bra consumer;
    st.global.u32 [%rd5], %r7;
    ret;
}
"""
)
WAIT_FULL = WAIT.replace("empty", "full").replace("%r12", "PARITY")


@pytest.mark.parametrize(
    ("producer", "parity", "count"), [(WAIT, "%r11", 0), ("", "%r11", 1), (WAIT, "0", 1), (WAIT, "", 1)]
)
def test_a_wait_that_lacks_explains_the_races_of_the_copies_that_its_mbarrier_signals(
    producer: str, parity: str, count: int
) -> None:
    consumer = WAIT_FULL.replace("PARITY", parity) if parity else ""
    kernel = openptx.load(RING.replace("PRODUCER", producer).replace("CONSUMER", consumer))["k"]
    findings = openptx.sanitize(kernel, 1, 64, (np.zeros(64, np.uint32), np.zeros(64, np.uint32)))
    assert len(findings) == count, [f.one_line for f in findings]
    assert all(f.kinds == {"sync", "race"} for f in findings)


PUSH = (
    HEAD
    + """
    setp.ne.u32 %p1, %r1, 0;
    @!%p1 mbarrier.init.shared.b64 [full], 32;
    @!%p1 mbarrier.init.shared.b64 [empty], 32;
    MEET
    mov.u32 %r20, %cluster_ctarank; xor.b32 %r21, %r20, 1;
    mov.u32 %r23, full; mov.u32 %r24, empty;
    mapa.shared::cluster.u32 %r22, %r4, %r21;
    mapa.shared::cluster.u32 %r23, %r23, %r21;
    mapa.shared::cluster.u32 %r24, %r24, %r21;
    mov.u32 %r10, 0;
    setp.eq.u32 %p2, %r20, 0;
    @%p2 bra producer;
consumer:
    and.b32 %r11, %r10, 1;
    CONSUMER
    ld.shared.u32 %r7, [%r4];
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r24];
    add.s32 %r10, %r10, 1;
    setp.lt.u32 %p4, %r10, 3;
    @%p4 bra consumer;
    st.global.u32 [%rd5], %r7;
    bra end;
producer:
    and.b32 %r11, %r10, 1;
    xor.b32 %r12, %r11, 1;
    PRODUCER
    st.shared::cluster.u32 [%r22], %r10;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r23];
    add.s32 %r10, %r10, 1;
    setp.lt.u32 %p4, %r10, 3;
    @%p4 bra producer;
end:
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
}
"""
)


@pytest.mark.parametrize(
    ("lacks", "kind", "count"), [("", "", 0), ("PRODUCER", "sync", 1), ("CONSUMER", "sync", 1), ("MEET", "race", 1)]
)
def test_what_lacks_between_blocks_of_a_cluster_is_one_finding(lacks: str, kind: str, count: int) -> None:
    text = PUSH.replace(lacks, "") if lacks else PUSH
    text = text.replace("MEET", "barrier.cluster.arrive; barrier.cluster.wait;")
    text = text.replace("PRODUCER", WAIT).replace("CONSUMER", WAIT.replace("empty", "full").replace("%r12", "%r11"))
    kernel = openptx.load(text.replace(".parity.", ".parity.acquire.cluster."))["k"]
    found = openptx.sanitize(kernel, 2, 32, (np.zeros(64, np.uint32), np.zeros(64, np.uint32)), cluster=2)
    assert [each.kind for each in found] == [kind] * count, [each.one_line for each in found]


def test_a_wait_for_threads_that_a_wrong_count_of_a_barrier_holds_follows_from_it() -> None:
    arrival = "mbarrier.arrive.shared.b64 _, [empty];"
    text = ROLES.replace("COUNT", "96").replace("PRODUCER", WAIT).replace(arrival, f"bar.sync 1, 64; {arrival}")
    (found,) = findings(text, 128)
    assert found.name == "unequal-barriers"
    assert "endless-wait" in {each.name for each in found.related}


COUNTED = """
.version 8.0
.target sm_90
.address_size 64
// Each thread copies a word, which an mbarrier counts; another thread reads it.
.visible .entry k(.param .u64 in, .param .u64 out) {
    .reg .b64 i, o, x, s; .reg .b32 t, n, v; .reg .pred q; .shared .align 8 .b64 m; .shared .b32 buf[64];
    ld.param.u64 i, [in]; ld.param.u64 o, [out]; mov.u32 t, %tid.x; setp.ne.u32 q, t, 0;
    @!q mbarrier.init.shared.b64 [m], 64;
    bar.sync 0;
    mul.wide.u32 x, t, 4; add.u64 i, i, x; add.u64 o, o, x; shl.b32 n, t, 2; mov.b32 v, buf; add.u32 n, n, v;
    cp.async.ca.shared.global [n], [i], 4;
    cp.async.mbarrier.arrive.noinc.shared.b64 [m];
W:  mbarrier.try_wait.parity.shared.b64 q, [m], 0; @!q bra W;
    xor.b32 t, t, 63; shl.b32 n, t, 2; add.u32 n, n, v;
    ld.shared.b32 v, [n]; st.global.b32 [o], v;
    ret;
}
"""


def test_a_copy_that_an_mbarrier_counts_is_waited_for_by_it() -> None:
    arrays = np.arange(64, dtype=np.uint32), np.zeros(64, np.uint32)
    assert not openptx.sanitize(openptx.load(COUNTED)["k"], 1, 64, arrays, tools="race")
    text = re.sub("\nW:.*", "", COUNTED)
    (found,) = openptx.sanitize(openptx.load(text)["k"], 1, 64, arrays, tools="race")
    assert (found.help or "").startswith("wait for the asynchronous copy, by the mbarrier that counts it or")
