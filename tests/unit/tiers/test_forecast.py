"""How long a launch goes on is told by what its loops compare before they end."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.tiers.forecast import comparisons, left
from openptx.program import Imm, Reg

HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u32 n) {
.reg .b32 %r<9>; .reg .pred %p<9>;
ld.param.u32 %r2, [n]; mov.u32 %r1, 0;
"""
BODIES = {
    "at the end": ("A: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r2; @%p1 bra A; ret; }", {("%r1", "%r2")}),
    "before it": (
        "A: setp.ge.u32 %p1, %r1, %r2; not.pred %p2, %p1; @%p2 bra B; bra C; B: add.u32 %r1, %r1, 1; bra A; C: ret; }",
        {("%r1", "%r2")},
    ),
    "a number": ("A: sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 7; @%p1 bra A; ret; }", {("%r2", "7")}),
    "no end": ("A: setp.eq.u32 %p1, %r1, %r2; @%p1 bra B; add.u32 %r1, %r1, 1; B: bra A; }", set[tuple[str, str]]()),
    "no loop": ("setp.eq.u32 %p1, %r1, %r2; @%p1 bra A; add.u32 %r1, %r1, 1; A: ret; }", set[tuple[str, str]]()),
}


@pytest.mark.parametrize("where", BODIES)
def test_what_loops_compare_before_they_end(where: str) -> None:
    body, wanted = BODIES[where]
    function = openptx.load(HEAD + body)["k"].function

    def name(one: Reg | Imm) -> str:
        return str(one.value) if isinstance(one, Imm) else function.registers[one.index].name

    assert {(name(a), name(b)) for a, b in comparisons(function)} == wanted


@pytest.mark.parametrize(("values", "seconds"), [
    (([100], [90], [70]), 7.0),  # 10 a second
    (([-100, 5], [-90, 5], [-70, 5]), 7.0),  # upwards; and a lane that has ended
    (([100, 200], [90, 190], [70, 170]), 17.0),  # until the last lane ends
    (([16], [9], [13]), 0.0),  # a loop that has begun anew
    (([100], [60], [58]), 0.0),  # not steady
    (([100], [110], [130]), 0.0),  # away from zero
    (([100], [100], [100]), 0.0),
])  # fmt: skip
def test_the_time_until_they_meet(values: tuple[list[int], ...], seconds: float) -> None:
    looks = [(at, [np.array(one, np.float64)]) for at, one in zip((1.0, 2.0, 4.0), values, strict=True)]
    assert left(looks, 0) == pytest.approx(seconds)
    assert left(looks[:2], 0) == 0.0
