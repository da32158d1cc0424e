"""Instructions at which lanes wait for each other, under a guard: lanes that skip them do not arrive there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from golden_ir import lowered

import openptx
from openptx.engines.native import abi

TEXT = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to, .param .u32 some) {
.reg .b64 %from, %to; .reg .b32 %t, %a, %b, %mask, %some; .reg .pred %p, %q;
ld.param.u64 %from, [from]; ld.param.u64 %to, [to]; ld.param.u32 %some, [some]; setp.ne.u32 %q, %some, 0;
mov.u32 %t, %tid.x; mad.wide.u32 %from, %t, 4, %from; mad.wide.u32 %to, %t, 4, %to;
ld.global.u32 %a, [%from]; setp.ne.u32 %p, %a, 0; vote.sync.ballot.b32 %mask, %p, -1; mov.u32 %b, 0;
STATEMENTS
st.global.u32 [%to], %b;
ret; }"""
BOTH = pytest.mark.parametrize("engine", ["interp", "native"])
SKIPPED = (
    "@%p redux.sync.add.u32 %b, %a, -1; bar.warp.sync -1;",
    "@%p shfl.sync.idx.b32 %b, %a, 1, 31, -1; @!%p vote.sync.ballot.b32 %b, 1, -1;",
    "@%p movmatrix.sync.aligned.m8n8.trans.b16 %b, %a; bar.sync 0;",
)


def run(statements: str, given: np.ndarray, engine: str, some: int = 1) -> np.ndarray:
    found = np.zeros_like(given)
    kernel = openptx.load(TEXT.replace("STATEMENTS", statements))["k"]
    kernel(1, len(given), (given, found, some), engine=engine)
    return found


@BOTH
@pytest.mark.parametrize("statements", SKIPPED)
@pytest.mark.parametrize("threads", [32, 40])
def test_those_that_arrive_wait_for_those_that_skip(statements: str, threads: int, engine: str) -> None:
    given = np.ones(threads, np.uint32)
    given[[3, threads - 1]] = 0
    with pytest.raises(openptx.Fault) as caught:
        run(statements, given, engine)
    assert caught.value.name == "deadlock"


@BOTH
def test_lanes_that_the_mask_does_not_name_may_skip(engine: str) -> None:
    given = np.arange(44, dtype=np.uint32) % 3
    found = run("@%p redux.sync.add.u32 %b, %a, %mask; bar.warp.sync -1;", given, engine)
    sums = np.repeat([given[:32].sum(), given[32:].sum()], [32, 12])
    np.testing.assert_array_equal(found, np.where(given, sums, 0))


@BOTH
@pytest.mark.parametrize("value", [0, 1])
def test_all_or_none(engine: str, value: int) -> None:
    found = run("@%p redux.sync.add.u32 %b, %a, -1; bar.warp.sync -1;", np.full(64, value, np.uint32), engine)
    np.testing.assert_array_equal(found, 32 * value)


def test_a_guard_of_the_whole_warp_needs_no_test(tmp_path: Path) -> None:
    for guard, leaves in (("%q", False), ("%p", True)):
        source = tmp_path / "k.ptx"
        source.write_text(TEXT.replace("STATEMENTS", f"@{guard} redux.sync.add.u32 %b, %a, -1;"))
        assert (f"ret i32 {abi.DEOPTIMIZED}" in lowered(source)) is leaves
