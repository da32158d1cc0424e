"""Barriers of a whole block that some warps skip, and waits that end for none, on both engines."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.sanitize.entry import watch
from openptx.sanitize.options import Options

SKIPS = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
    .reg .b64 p; .reg .b32 t, c, i; .reg .pred upper, more;
    mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mad.lo.u32 c, c, 64, t;
    ld.param.u64 p, [out]; mad.wide.u32 p, c, 4, p; setp.ge.u32 upper, t, 32;
    BODY
    END: ret;
}
"""
SKIPPED = {
    "the only one": "@upper bra ON; bar.sync 0; ON: st.global.u32 [p], t;",
    "the first of two": "@upper bra ON; bar.sync 0; ON: st.global.u32 [p], t; bar.sync 0;",
    "before an atomic operation": "@upper bra ON; bar.sync 0; ON: red.global.add.u32 [p], t;",
    "the last rounds of a loop": "shr.u32 i, t, 5; NEXT: bar.sync 0; st.global.u32 [p], i; add.u32 i, i, 1;"
    "setp.lt.u32 more, i, 3; @more bra NEXT;",
}
NOT_SKIPPED = {
    "warps that return early": "@upper bra END; bar.sync 0; st.global.u32 [p], t;",
    "warps that write and return": "@!upper bra ON; st.global.u32 [p], t; ret; ON: bar.sync 0; st.global.u32 [p], c;",
    "one on each path": "@upper bra ON; bar.sync 0; bra BOTH; ON: bar.sync 0; BOTH: st.global.u32 [p], t;",
    "one for the warps that execute it": "@upper bra ON; bar.sync 1, 32; ON: st.global.u32 [p], t; bar.sync 0;",
}


def reported(body: str, engine: str) -> list[str]:
    kernel = openptx.load(SKIPS.replace("BODY", body))["k"]
    found = watch(kernel, 3, 64, [np.zeros(192, np.uint32)], Options(engine=engine)).findings
    assert not found or found[0].count == 3
    return [f"{each.name} {each.site.text}" for each in found]


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("body", SKIPPED.values(), ids=SKIPPED)
def test_warps_that_skip_a_barrier_and_go_on(body: str, engine: str) -> None:
    assert reported(body, engine) == ["skipped-barrier bar.sync 0"]


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("body", NOT_SKIPPED.values(), ids=NOT_SKIPPED)
def test_warps_that_skip_none(body: str, engine: str) -> None:
    assert reported(body, engine) == []


WAITS = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
    .reg .b64 p; .reg .b32 t; .reg .pred done; .local .b32 kept; .shared .b64 full;
    ld.param.u64 p, [out]; mov.u32 t, %tid.x; setp.eq.u32 done, t, 0;
    @done mbarrier.init.shared::cta.b64 [full], 33;
    bar.warp.sync -1;
    mbarrier.arrive.shared::cta.b64 _, [full];
    AGAIN: st.local.u32 [kept], t;
    POLL
    @!done bra AGAIN;
    ret;
}
"""
POLLS = {
    "an mbarrier": "mbarrier.try_wait.parity.shared::cta.b64 done, [full], 0;",
    "a flag": "ld.acquire.gpu.global.u32 t, [p]; setp.ne.u32 done, t, 0;",
}


@pytest.mark.parametrize("poll", POLLS.values(), ids=POLLS)
def test_what_a_waiting_thread_stores_for_itself_ends_no_wait(poll: str) -> None:
    """Code that is compiled for debugging keeps its variables in memory."""
    kernel = openptx.load(WAITS.replace("POLL", poll))["k"]
    found = openptx.sanitize(kernel, 1, 32, (np.zeros(1, np.uint32),), max_instructions=2_000_000)
    assert [each.name for each in found] == ["endless-wait"]


def test_warps_that_return_early_are_cleared_by_machine_code() -> None:
    """They write nothing after the barrier that they skip, so there is nothing to look at again."""
    for body in (NOT_SKIPPED["warps that return early"], NOT_SKIPPED["warps that write and return"]):
        kernel = openptx.load(SKIPS.replace("BODY", body))["k"]
        report = watch(kernel, 3, 64, [np.zeros(192, np.uint32)], Options(engine="native"))
        assert (report.findings, report.reason) == ([], "")


MIXED = "@upper bra ON; bar.red.popc.u32 i, NUMBERS, upper; bra BOTH; ON: bar.sync NUMBERS; BOTH: st.global.u32 [p], t;"


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("numbers", ["0", "1, 64"])
def test_a_reduction_at_a_barrier_where_others_only_wait(numbers: str, engine: str) -> None:
    barrier = f"bar.red.popc.u32 i, {numbers}, upper"
    assert reported(MIXED.replace("NUMBERS", numbers), engine) == [f"unequal-barriers {barrier}"]


def test_a_block_that_reduces_where_another_block_waits() -> None:
    body = MIXED.replace("NUMBERS", "0").replace("@upper bra", "setp.lt.u32 more, c, 64; @more bra")
    assert reported(body, "interp") == []
