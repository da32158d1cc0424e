"""Kernels and helpers for tests of tiers: what has been requested, and waiting until it is compiled."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from openptx.engines.tiers import service

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
LOOP = """.visible .entry k(.param .u64 x, .param .u32 n) {
.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;
ld.param.u64 %rd1, [x]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
A: ld.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r3;
sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra A; ret; }
"""


def launch(kernel: Any, turns: int = 3) -> None:
    x = np.arange(32, dtype=np.uint32)
    kernel(1, 32, (x, turns))
    assert np.array_equal(x, np.arange(32) + turns)


def until(done: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end
        time.sleep(0.01)


def jobs() -> list[service.Job]:
    return [*service.service().jobs]


def replied() -> bool:
    return all(job.reply is not None for job in jobs())
