# ruff: noqa: E501 - PTX in one line reads better here
"""Asynchronous copies, executed at once: sizes known only at run time, long ones, and invalid ones."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.native import settings

HEAD = """.version 8.6
.target sm_100
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 shift) {
    .reg .pred p; .reg .b32 t, s, u, v, n; .reg .b64 a, b, c, d; .shared .align 128 .b8 box[2048]; .shared .align 8 .b64 bar;
    ld.param.u64 a, [x]; ld.param.u64 b, [y]; ld.param.u32 n, [shift]; mov.u32 t, %tid.x; mul.wide.u32 c, t, 16; add.s64 a, a, c; add.s64 b, b, c;
    mov.u32 s, box; shl.b32 u, t, 4; add.u32 s, s, u; st.shared.v4.b32 [s], {t, t, t, t}; bar.sync 0;
"""
TAIL = " bar.sync 0; ld.shared.v2.b64 {c, d}, [s]; st.global.v2.b64 [b], {c, d}; ret; }\n"
# fmt: off
COPIES = {
    "sizes of lanes":   "add.u32 u, t, n; and.b32 u, u, 15; cp.async.cg.shared.global [s], [a], 16, u;",
    "words of lanes":   "and.b32 u, t, 3; shl.b32 u, u, 2; cvt.u64.u32 c, n; add.s64 a, a, c; cp.async.ca.shared.global [s], [a], 8, u;",
    "ignored by some":  "and.b32 u, t, 1; setp.eq.u32 p, u, 0; cp.async.cg.shared.global [s], [a], 16, p;",
    "by some":          "setp.gt.u32 p, t, 20; and.b32 u, t, 31; min.u32 u, u, 16; @p cp.async.cg.shared.global [s], [a], 16, u;",
    "beyond the array": "add.u32 u, t, n; min.u32 u, u, 16; mul.wide.u32 c, n, 16; add.s64 a, a, c; cp.async.cg.shared.global [s], [a], 16, u;",
    "in bulk": (
        "setp.ne.u32 p, t, 0; mov.u32 v, bar; @p bra WAIT; mbarrier.init.shared.b64 [v], 1; and.b32 u, n, 1008; mbarrier.arrive.expect_tx.shared.b64 c, [v], u;"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [a], u, [v]; WAIT: bar.sync 0;"
        "AGAIN: mbarrier.try_wait.parity.shared.b64 p, [v], 0; @!p bra AGAIN;"),
    "back in bulk":     "setp.eq.u32 p, t, 17; @p cp.async.bulk.global.shared::cta.bulk_group [b], [s], 32; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; @p st.shared.b32 [s], n;",
    "reduced in bulk":  "and.b32 u, t, 7; mul.lo.u32 u, u, 16; setp.lt.u32 p, t, 40; @p cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [b], [s], u;",
    "reduced too far":  "min.u32 u, n, 63; mul.lo.u32 u, u, 16; setp.eq.u32 p, t, 21; @p cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s64 [b], [s], u;",
    "bytes of a mask":  ".reg .b16 h; cvt.u16.u32 h, n; and.b32 u, t, 3; shl.b32 u, u, 4; setp.lt.u32 p, t, 60; @p cp.async.bulk.global.shared::cta.bulk_group.cp_mask [b], [s], u, h;",
    "zeros":            "and.b32 u, t, 5; shl.b32 u, u, 2; and.b32 u, u, 24; setp.ne.u32 p, t, 9; cvt.u64.u32 c, u; @p st.bulk.weak.shared::cta [s], c, 0;",
    "zeros anywhere":   "cvta.shared.u64 a, box; mov.u64 c, 16; setp.eq.u32 p, t, 3; @p st.bulk.weak [a], c, 0;",
    "too many zeros":   "mul.lo.u32 u, n, 8; cvt.u64.u32 c, u; setp.eq.u32 p, t, 50; @p st.bulk.weak.shared::cta [s], c, 0;",
}
# fmt: on


def result(name: str, shift: int, engine: str) -> object:
    x, y = np.arange(1024, dtype=np.uint8) * 7, np.zeros(1024, np.uint8)
    try:
        openptx.load(HEAD + COPIES[name] + TAIL)["k"](1, 64, (x, y, shift), engine=engine, timeout=30)
    except openptx.Fault as fault:
        return (fault.name, fault.message, fault.thread, fault.space, fault.address and fault.address & 0xFFFFFFFF)
    return y.tobytes()


@pytest.mark.parametrize("shift", [4, 48, 1008])
@pytest.mark.parametrize("name", COPIES)
def test_copies_are_those_of_the_reference_engine(name: str, shift: int) -> None:
    assert openptx.load(HEAD + COPIES[name] + TAIL)["k"].why_interp(64) is None
    wanted = result(name, shift, "interp")
    assert result(name, shift, "native") == wanted
    with settings.lane_facts(False):
        assert result(name, shift, "native") == wanted


def test_some_of_them_go_wrong() -> None:
    faults = [result("beyond the array", 1, "native"), result("words of lanes", 4, "native")]
    assert isinstance(faults[0], tuple)
    assert faults[0][0] == "out-of-bounds"
    assert isinstance(faults[1], bytes)
