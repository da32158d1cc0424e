"""The help of findings about asynchronous copies, mbarriers that wait forever, and Triton's redundant stores."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx import Finding

HEAD = """.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 {scratch}[];
.visible .entry k(.param .u64 out) {{
    .reg .b64 o, g; .reg .b32 t, v, s; .reg .pred p, done;
    .shared .align 8 .b64 bar; .shared .align 16 .b32 tile[64];
    ld.param.u64 o, [out]; mov.u32 t, %tid.x; setp.eq.u32 p, t, 0;
    {code}
    ret;
}}
"""


def found(code: str, *, scratch: str = "dynamic", block: int = 64) -> list[Finding]:
    """The findings in a kernel of these statements, of one block with 256 bytes of dynamic shared memory."""
    kernel = openptx.load(HEAD.format(code=code, scratch=scratch))["k"]
    return openptx.sanitize(kernel, 1, block, (np.zeros(64, np.uint32),), tools="race,sync", shared_mem=256)


WAIT = """
    bar.sync 0;
AGAIN: mbarrier.try_wait.parity.shared.b64 done, [bar], 0; @!done bra AGAIN;
"""


@pytest.mark.parametrize(
    ("code", "help"),
    [
        (
            "@p mbarrier.init.shared.b64 [bar], 3; @p mbarrier.arrive.shared.b64 g, [bar];",
            "let all threads arrive that `mbarrier.init` counts: 2 more, or count fewer",
        ),
        (
            "@p mbarrier.init.shared.b64 [bar], 1; @p mbarrier.arrive.expect_tx.shared.b64 g, [bar], 16;",
            "expect as many bytes as the copies bring in this phase: `mbarrier.expect_tx`",
        ),
        (
            "@p mbarrier.init.shared.b64 [bar], 1;",
            "wait for the phase that the arrivals complete: parity 0 is that of the first",
        ),
    ],
)
def test_what_an_endless_wait_for_an_mbarrier_lacks(code: str, help: str) -> None:
    assert [each.help for each in found(code + WAIT)] == [help]


def test_a_wait_for_threads_that_wait_elsewhere_follows_from_their_wait() -> None:
    """The first thread waits for arrivals of the others, which wait for bytes that it has announced wrongly."""
    code = """
    .shared .align 8 .b64 empty;
    @p mbarrier.init.shared.b64 [empty], 63; @p mbarrier.init.shared.b64 [bar], 1;
    @p mbarrier.arrive.expect_tx.shared.b64 g, [bar], 16;
    bar.sync 0;
    @!p bra CONSUMER;
EMPTY: mbarrier.try_wait.parity.shared.b64 done, [empty], 0; @!done bra EMPTY;
    ret;
CONSUMER: mbarrier.try_wait.parity.shared.b64 done, [bar], 0; @!done bra CONSUMER;
    mbarrier.arrive.shared.b64 g, [empty];"""
    (finding,) = found(code)
    assert (finding.line, [each.line for each in finding.related]) == (17, [15])
    assert "0 of 63 arrivals came" in finding.related[0].notes[0]


def test_different_thread_counts_name_both_arrivals() -> None:
    (finding,) = found("setp.lt.u32 p, t, 32; @!p bra ELSE;\nbar.arrive 1, 64;\nret;\nELSE: bar.sync 1, 96;", block=96)
    assert finding.lines == {10, 12}
    assert finding.help == "give all that arrive one count: of the threads that wait, and of those that only arrive"


COPY_AFTER_READ = """
    @p mbarrier.init.shared.b64 [bar], 1;
    st.shared.u32 [tile], t;
    fence.proxy.async;
    bar.sync 0;
    ld.shared.u32 v, [tile+4];
    @!p bra DONE;
    mbarrier.arrive.expect_tx.shared.b64 g, [bar], 16;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [o], 16, [bar];
WAIT: mbarrier.try_wait.parity.shared.b64 done, [bar], 0; @!done bra WAIT;
DONE:
"""


def test_a_copy_over_what_others_read_waits_for_them() -> None:
    (race,) = [each for each in found(COPY_AFTER_READ.replace("st.shared.u32 [tile], t;", "")) if each.kind == "race"]
    assert race.help == (
        "a barrier, or an mbarrier at which the other threads arrive after their access, before the asynchronous copy"
        " begins: between lines 14 and 17"
    )


def test_warps_may_store_the_same_elements_in_tritons_shared_memory() -> None:
    store, other = "st.shared.u32 [global_smem], 7;", "st.shared.u32 [dynamic], 7;"
    assert not found(store, scratch="global_smem")
    assert [each.name for each in found(other)] == ["equal-value-race"]
    assert [each.name for each in found(store.replace("7", "t"), scratch="global_smem")] == ["data-race"]
    twice = f"@p {store} @!p {store}"
    assert [each.name for each in found(twice, scratch="global_smem")] == ["equal-value-race"]


def test_a_race_after_a_wait_with_a_wrong_parity_names_that_wait() -> None:
    code = """
        @p mbarrier.init.shared.b64 [bar], 1;
        bar.sync 0;
        @p mbarrier.arrive.expect_tx.shared.b64 g, [bar], 256;
        @p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [o], 256, [bar];
        AGAIN: mbarrier.try_wait.parity.shared.b64 done, [bar], 1; @!done bra AGAIN;
        ld.shared.b32 v, [tile];
    """
    (race,) = found(code)
    row = 2 + HEAD.partition("{code}")[0].count("\n") + code.partition("AGAIN")[0].count("\n") - 1
    assert race.name == "data-race"
    assert f":{row}:" in (race.help or "")
    assert "with the parity of its phase" in (race.help or "")


def test_waits_of_two_sides_for_each_other_are_one_finding() -> None:
    """The producer waits for a buffer that is free, by parity 0 instead of 1."""
    code = """
        .shared .align 8 .b64 empty; .reg .pred producer;
        @p mbarrier.init.shared.b64 [bar], 32; @p mbarrier.init.shared.b64 [empty], 32;
        bar.sync 0;
        setp.lt.u32 producer, t, 32;
        @!producer bra CONSUMER;
        FREE: mbarrier.try_wait.parity.shared.b64 done, [empty], 0; @!done bra FREE;
        mbarrier.arrive.shared.b64 g, [bar];
        ret;
        CONSUMER: mbarrier.try_wait.parity.shared.b64 done, [bar], 0; @!done bra CONSUMER;
        mbarrier.arrive.shared.b64 g, [empty];
    """
    (wait,) = found(code)
    assert [each.name for each in (wait, *wait.related)] == ["endless-wait", "endless-wait"]
    assert "one side must begin" in (wait.help or "")


def test_a_use_after_mbarrier_inval_names_it() -> None:
    code = """
        @p mbarrier.init.shared.b64 [bar], 64;
        bar.sync 0;
        mbarrier.arrive.shared.b64 g, [bar];
        AGAIN: mbarrier.test_wait.shared.b64 done, [bar], g; @!done bra AGAIN;
        @p mbarrier.inval.shared.b64 [bar];
        mbarrier.arrive.shared.b64 g, [bar];
    """
    (finding,) = found(code)
    assert finding.message == "an mbarrier is used after `mbarrier.inval`"
    assert finding.other is not None
    assert "inval" in finding.other.text
    assert (finding.help or "").startswith("let all threads that use it meet at a barrier")


ARRIVES = """@p mbarrier.init.shared.b64 [bar], 1; bar.sync 0;
    .reg .pred first; setp.lt.u32 first, t, 32; mov.u32 v, tile; mad.lo.u32 s, t, 4, v;
    @!first bra AGAIN;
    st.shared.u32 [s], t; {} @p mbarrier.arrive.shared.b64 g, [bar]; ret;
AGAIN: mbarrier.try_wait.parity.shared.b64 done, [bar], 0; @!done bra AGAIN;
    ld.shared.u32 v, [tile+20]; st.global.u32 [o], v;"""


def test_lanes_that_store_before_one_of_them_arrives_lack_a_barrier_of_the_warp() -> None:
    assert not found(ARRIVES.format("bar.warp.sync -1;"))
    (race,) = found(ARRIVES.format(""))
    assert race.help is not None
    assert race.help.startswith("a `bar.warp.sync` between lines 12 and 14, before another lane")


def test_a_volatile_flag_between_warps_lacks_fences() -> None:
    (race,) = found("""
    .shared .u32 flag; .reg .pred q; setp.eq.u32 q, t, 32; @p st.volatile.shared.u32 [flag], 0; bar.sync 0;
    @q bra AGAIN; @!p bra DONE;
    st.shared.u32 [tile], 7; st.volatile.shared.u32 [flag], 1; ret;
AGAIN: ld.volatile.shared.u32 v, [flag]; setp.eq.u32 done, v, 0; @done bra AGAIN;
    ld.shared.u32 v, [tile]; st.global.u32 [o], v;
DONE:""")
    assert "`fence.acq_rel.cta`" in (race.help or "")


ARRIVE, AWAIT = "barrier.cluster.arrive;", "barrier.cluster.wait;"


@pytest.mark.parametrize(
    ("code", "help"),
    [
        (ARRIVE + AWAIT, None),
        ("@p " + ARRIVE + AWAIT, "let all threads of the cluster execute `barrier.cluster.arrive` before they wait"),
        (ARRIVE + ARRIVE + AWAIT, "let each thread execute `barrier.cluster.wait` between two arrivals"),
        (ARRIVE, "let each thread that has arrived execute `barrier.cluster.wait`"),
        ("@p bra SOME; ret; SOME: " + ARRIVE + AWAIT, "let all threads of all blocks of the cluster execute it"),
    ],
)
def test_a_misused_barrier_of_the_cluster_is_one_finding_with_its_help(code: str, help: str | None) -> None:
    code = "mul.wide.u32 g, t, 4; add.u64 o, o, g; st.global.u32 [o], 1;" + code
    kernel = openptx.load(HEAD.format(code=code, scratch="dynamic"))["k"]
    findings = openptx.sanitize(kernel, 2, 32, (np.zeros(64, np.uint32),), tools="sync", cluster=2)
    assert [f.help for f in findings] == ([help] if help else [])
