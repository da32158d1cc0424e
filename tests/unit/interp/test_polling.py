"""Groups that poll memory by plain loads are preempted early; those that compute something are not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.engines.interp import batch, launch
from openptx.engines.interp.decode import WAITING, plan

KERNEL = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 flags) {{
.reg .b32 i, t, n, s; .reg .b64 a, b; .reg .pred p, q;
ld.param.u64 a, [flags]; mov.u32 i, %ctaid.x; mov.u32 n, 0; mov.u32 s, 0;
mad.wide.u32 b, i, 4, a; setp.eq.u32 p, i, 3; @p bra SET;
AGAIN: ld.global.u32 t, [b+4]; {loop}
SET: st.global.u32 [b], 1; ret; }}"""
POLL = "setp.eq.u32 p, t, 0; @p bra AGAIN;"
POLL_OF_TWO_BLOCKS = "setp.ne.u32 p, t, 0; @p bra SET; membar.gl; bra AGAIN;"
SUM = "add.u32 n, n, 1; add.u32 s, s, t; setp.lt.u32 p, n, 3000; @p bra AGAIN;"


def run(kernel: openptx.Kernel, most: int) -> None:
    """Four CTAs; in polls each of them waits for the next one."""
    kernel(4, 1, (np.zeros(4, np.uint32),), engine="interp", max_instructions=most)


@pytest.mark.parametrize("loop", [POLL, POLL_OF_TWO_BLOCKS])
def test_later_launches_know_that_a_loop_polls(loop: str) -> None:
    kernel = openptx.load(KERNEL.format(loop=loop))["k"]
    run(kernel, 9_000)
    run(kernel, 300)


def test_a_loop_that_computes_is_not_taken_for_a_poll() -> None:
    kernel = openptx.load(KERNEL.format(loop=SUM))["k"]
    run(kernel, 30_000)
    decoded = plan(kernel.function)
    assert all(decoded.block(pc).weight < WAITING for pc in sorted({0, *decoded.leaders}))


def test_a_profile_counts_few_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "STARVATION_LIMIT", 1 << 10)
    kernel = openptx.load(KERNEL.format(loop=POLL))["k"]
    report = openptx.profile(kernel, 4, 1, (np.zeros(4, np.uint32),), timeout=20)
    assert report.counters.warps < 10_000


def test_batches_that_another_engine_has_started_wait_so_that_others_begin_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two CTAs that machine code has left wait for the last of a few pieces that its workers had taken."""
    begun, slices = list[int](), list[Any]()

    def proceed(run: object, batch: object, quantum: int, runs: object) -> bool:
        slices.append(batch)
        return len(begun) == 3

    monkeypatch.setattr(launch, "proceed", proceed)
    one: Any = SimpleNamespace(close=lambda: None)

    def begin(first: int, count: int) -> Any:
        begun.append(first)
        return one

    run: Any = SimpleNamespace(batch=begin)
    launch.run_batches(run, [one], iter([(1, 1), (2, 1), (3, 1)]))
    assert len(slices) < 20
