"""Warps run a loop over the grid's stride in rounds where that is faster (analysis/warp_rounds.py)."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

import openptx
from openptx.engines.native import pipeline, settings
from openptx.engines.native.analysis.context import make_context
from openptx.engines.native.analysis.warp_rounds import in_rounds
from openptx.engines.native.runtime import warp_order
from openptx.engines.native.runtime.plans import plans
from openptx.engines.native.runtime.warp_order import TRIALS, WarpOrder
from openptx.engines.native.runtime.workers import Worker
from openptx.engines.native.settings import Options
from openptx.engines.tiers.messages import Reply
from openptx.engines.tiers.service import Job

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
TEXT = """.visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 pn) {
.reg .b64 %in, %out, %o; .reg .b32 %i, %n, %t, %w, %g, %s, %v; .reg .pred %p;
ld.param.u64 %in, [pin]; ld.param.u64 %out, [pout]; ld.param.u32 %n, [pn]; mov.u32 %t, %tid.x; mov.u32 %w, %ntid.x;
mov.u32 %s, %ctaid.x; mad.lo.u32 %i, %s, %w, %t; mov.u32 %g, %nctaid.x; mul.lo.u32 %s, STRIDE, %w;
setp.ge.s32 %p, %i, %n; @%p bra end;
loop: mul.wide.s32 %o, %i, 4; add.s64 %o, %in, %o; ld.global.u32 %v, [%o]; sub.s64 %o, %o, %in; add.s64 %o, %out, %o;
EXTRA mad.lo.u32 %v, %v, %v, %t; st.global.u32 [%o], %v; add.s32 %i, %i, %s; setp.lt.s32 %p, %i, %n; @%p bra loop;
AFTER end: ret; }"""
GRID = {"STRIDE": "%g", "EXTRA": "", "AFTER": ""}


def text(**given: str) -> str:
    found = TEXT
    for name, words in {**GRID, **given}.items():
        found = found.replace(name, words)
    return HEAD + found


def has_rounds(text: str, block: int = 64, baseline: bool = False) -> bool:
    module = openptx.load(text)
    program, function = module.program, module["k"].function
    made = Options((block, 1, 1), False, rounds=True, baseline=baseline)
    c = make_context(program, function, module.image, made, pipeline.host(), pipeline.shared_layout(program, "k"),
                     "kernel", 0, {})  # fmt: skip
    return in_rounds(c) is not None


def test_what_runs_in_rounds() -> None:
    assert has_rounds(text())
    assert not has_rounds(text(), block=32)
    assert not has_rounds(text(), baseline=True)
    assert not has_rounds(text(STRIDE="2"))
    for waits in ("bar.sync 0;", "shfl.sync.idx.b32 %v, %v, 0, 31, -1;", "atom.global.add.u32 %v, [%o], 1;",
                  "ld.relaxed.gpu.global.u32 %v, [%o];"):  # fmt: skip
        assert not has_rounds(text(EXTRA=waits))
    assert not has_rounds(text(AFTER="st.global.u32 [%out], %n;"))


@pytest.mark.parametrize("block", [33, 64, 72, 256])
def test_rounds_change_no_results(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ragged ends too: warps whose lanes end at different iterations, and warps that have none."""
    monkeypatch.setattr(warp_order, "SHARE", 0)
    module, data = openptx.load(text()), np.random.default_rng(5).integers(0, 1 << 32, 2000, np.uint32)
    with settings.cache_at(None):
        for n in (1, 63, 400, 999, 2000):
            for grid in (1, 3):
                found = np.zeros((3, 2000), np.uint32)
                module["k"](grid, block, (data, found[0], n), engine="interp")
                for to in found[1:]:
                    module["k"](grid, block, (data, to, n), engine="native", workers=1)
                np.testing.assert_array_equal(found[1:], found[[0, 0]])
    assert any(order.trials for order in plans(module.image).orders.values())


WRAPS = """{ .reg .b32 %x; .reg .b64 %y; add.s32 %x, %i, 2147483408; cvt.s64.s32 %y, %x; and.b64 %y, %y, 1020;
add.s64 %y, %y, %in; ld.global.u32 %x, [%y]; add.u32 %v, %v, %x; }"""


def test_a_warp_leaves_for_the_generic_version_in_the_middle_of_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """From i = 240 on the numbers wrap, in the middle of a warp; the other warps go on, and all of them end."""
    monkeypatch.setattr(warp_order, "SHARE", 0)
    monkeypatch.setattr(warp_order, "TRIALS", 100)
    left, side_exits = list[int](), Worker.side_exits

    def counted(worker: Worker) -> int:
        left.append(side_exits(worker))
        return left[-1]

    monkeypatch.setattr(Worker, "side_exits", counted)
    module, data = openptx.load(text(EXTRA=WRAPS)), np.random.default_rng(5).integers(0, 1 << 32, 999, np.uint32)
    with settings.cache_at(None):
        for grid, block in ((1, 64), (3, 96)):
            found = np.zeros((4, 999), np.uint32)
            module["k"](grid, block, (data, found[0], 999), engine="interp")
            for to in found[1:]:
                module["k"](grid, block, (data, to, 999), engine="native", workers=1)
            np.testing.assert_array_equal(found[1:], found[[0, 0, 0]])
    assert all(left)
    assert any(order.trials for order in plans(module.image).orders.values())


def test_a_fault_in_rounds_names_its_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warp_order, "SHARE", 0)
    module, data, to = openptx.load(text()), np.zeros(300, np.uint32), np.zeros(200, np.uint32)
    with settings.cache_at(None):
        module["k"](1, 64, (data, data.copy(), 300), engine="native", workers=1)
        with pytest.raises(openptx.Fault) as fault:
            module["k"](1, 64, (data, to, 300), engine="native", workers=1)
    assert "st.global.u32 [%o]" in str(fault.value)
    assert fault.value.address is not None
    assert fault.value.thread in ((8, 0, 0), (0, 0, 0), (32, 0, 0))


def job() -> Job:
    return Job("k", "name", lambda: pytest.fail("not needed"))


def test_the_faster_order_stays() -> None:
    for seconds, stays in ((0.5, True), (2.0, False)):
        order, made = WarpOrder(), job()
        assert [order.ran(1.0, 0.5, lambda made=made: made) for _ in range(3)] == [False] * 3  # nor is it made yet
        made.reply = Reply("name", {"name": b""}, "", "", 0.0)
        assert order.ran(1.0, 0.5, lambda: None)
        assert [order.ran(seconds, 0.5, lambda: None) for _ in range(TRIALS)] == [False] * (TRIALS - 1) + [not stays]
        assert order.in_rounds == stays
        assert not order.ran(1.0, 0.5, lambda: None)
    order = WarpOrder()
    assert not order.ran(1.0, inf, lambda: None)
    assert order.ran(1.0, 0.5, lambda: None)
