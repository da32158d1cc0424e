"""The number of workers: of launches that do not specify it, and of those whose blocks meet."""

from __future__ import annotations

from importlib import import_module
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.engines.native.runtime import worker_count as team
from openptx.engines.native.runtime.execution import Execution
from openptx.engines.native.runtime.plan import LaunchConfig
from openptx.engines.native.runtime.plans import plans

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
BODY = """.visible .entry k(.param .u64 x) {{
.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;
ld.param.u64 %rd1, [x]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r1, 32, %r2;
mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
{act} ret;
}}
"""
STORE = "st.global.u32 [%rd1], %r1;"
STRONG = "ld.relaxed.gpu.global.u32 %r3, [%rd1]; st.global.u32 [%rd1], %r1;"
LOOP = "mov.u32 %r3, 0; A: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 64; @%p1 bra A; st.global.u32 [%rd1], %r3;"
ATOMIC = "atom.global.add.u32 %r3, [%rd1], 1;"
SHARED = """.shared .align 4 .b32 s; st.shared.u32 [s], 0; bar.sync 0; atom.shared.add.u32 %r3, [s], 1; bar.sync 0;
    ld.volatile.shared.u32 %r3, [s]; st.global.u32 [%rd1], %r3;"""


def made(act: str, ctas: int) -> team.WorkerCount:
    module = openptx.load(HEAD + BODY.format(act=act))
    x = np.zeros(32 * ctas, np.uint32)
    kernel = module["k"]
    kernel(ctas, 32, (x,), engine="native", workers=1)
    found = plans(module.image).find(
        module.program, kernel.function, module.image, LaunchConfig((ctas, 1, 1), (32, 1, 1)), 1, check=lambda: None
    )
    return team.WorkerCount(kernel.function, ctas, 32, free_order=found.code.metadata.free_order)


@pytest.fixture(autouse=True)
def _four(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(team, "processors", lambda: 4)


def test_a_guess_goes_by_the_work_that_there_is() -> None:
    assert made(STORE, 100).workers == 1
    assert made(STORE, 1 << 15).workers == 4
    assert made(LOOP, 1 << 8).workers == 1
    assert made(LOOP, 1 << 12).workers == 4


def test_where_the_order_of_blocks_shows_one_keeps_it() -> None:
    for act, ctas in product((ATOMIC, ATOMIC.replace(".global", ""), STRONG), (100, 1 << 15)):
        found = made(act, ctas)
        assert found.workers == 1
        found.learn(10.0)
        assert found.workers == 1


@pytest.mark.parametrize("space", ["shared", "shared::cta", "shared::cluster"])
def test_atomics_and_strong_loads_of_shared_memory_show_no_order_of_blocks(space: str) -> None:
    act = SHARED.replace("atom.shared", f"atom.relaxed.cta.{space}").replace("volatile.shared", f"relaxed.cta.{space}")
    assert made(act, 1 << 15).workers == 4


def test_then_the_fastest_is_taken() -> None:
    found = made(STORE, 100)
    found.learn(50e-6)  # too short to ask more
    assert found.workers == 1
    found = made(LOOP, 100)
    found.learn(1e-3)
    assert found.workers == 4
    found.learn(2e-3)  # waking them was slower
    assert found.workers == 1
    found = made(STORE, 1 << 15)
    found.learn(1e-3)  # would one be faster?
    assert found.workers == 1
    found.learn(2e-3)
    assert found.workers == 4
    found.learn(3e-3)  # a slow moment changes nothing
    assert found.workers == 4
    found = made(STORE, 1 << 15)
    found.learn(1.0)  # too long for a trial
    assert found.workers == 4


def test_one_worker_is_tried_when_that_is_a_small_part_of_what_launches_have_taken() -> None:
    found = made(STORE, 1 << 15)
    for _ in range(40):
        found.learn(1.0)
        assert found.workers == 4
    found.learn(1.0)
    assert found.workers == 1
    found.learn(0.9)  # they stood in each other's way
    assert found.workers == 1


def test_there_are_no_more_workers_than_blocks() -> None:
    assert made(LOOP, 2).many == 2


def test_launches_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock of ours one worker takes 10 ms, several take 20. Where blocks meet, a number that is given is tried
    first."""
    seen: list[int] = []
    clock = SimpleNamespace(now=0.0)

    launch: Any = import_module("openptx.engines.native.runtime.launch")  # the package calls a function by this name
    go = Execution.go

    def slowly(execution: Execution, meanwhile: Any) -> None:
        go(execution, meanwhile)
        workers = execution.run.plan.workers
        seen.append(workers)
        clock.now += 0.01 if workers == 1 else 0.02

    monkeypatch.setattr(Execution, "go", slowly)
    monkeypatch.setattr(launch, "time", SimpleNamespace(perf_counter=lambda: clock.now, monotonic=lambda: 0.0))
    for act, given, wanted in (
        (STORE, None, [1, 4, 1, 1]),
        (STORE, 3, [3, 3, 3, 3]),
        (ATOMIC, None, [1, 1, 1, 1]),
        (ATOMIC, 3, [3, 1, 1, 1]),
    ):
        kernel = openptx.load(HEAD + BODY.format(act=act))["k"]
        for _ in wanted:
            x = np.zeros(3200, np.uint32)
            kernel(100, 32, (x,), engine="native", workers=given)
            assert np.array_equal(x, np.arange(3200) if act == STORE else np.ones(3200))
        assert seen == wanted, (act, given)
        seen.clear()


def test_workers_take_fewer_blocks_at_once_where_a_block_may_take_long() -> None:
    """At the end a worker waits for the last blocks that another one has taken."""

    def taken(act: str, workers: int) -> int:
        module = openptx.load(HEAD + BODY.format(act=act))
        kernel, config = module["k"], LaunchConfig((1024, 1, 1), (32, 1, 1))
        plan = plans(module.image).find(
            module.program, kernel.function, module.image, config, workers, check=lambda: None
        )
        return plan.chunk

    assert (taken(STORE, 2), taken(LOOP, 2)) == (64, 8)
    assert (taken(STORE, 32), taken(LOOP, 32)) == (4, 4)
