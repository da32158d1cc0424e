"""Branches that machine code does not have do not end a block: as ptxas 13.0 contracts for sm_90."""

from __future__ import annotations

import numpy as np
import pytest
from straight_line import kernel, rewritten

import openptx

Z = "st.global.f32 [o], z;"

# fmt: off
NEEDLESS = [
    "@p bra L0; L0: {}",
    "bra.uni L0; L0: {}",
    "@p bra L0; bra L0; L0: {}",
    "@p bra L0; @!p bra L0; L0: {}",
    "@p bra L0; bra L1; L0: bra L1; L1: {}",  # to another branch
    "bra L0; ret; L0: {}",                    # around what nothing leads to
    "@p bra L0; mov.f32 y, a; L0: {}",        # around what nothing needs
    "L0: {}",
]
NEEDED = [
    "@p bra L0; mov.f32 c, a; L0: {}",
    "@p bra L0; st.global.f32 [o + 4], a; L0: {}",
    "@p bra L0; ret; L0: {}",
    "@p bra L0; mov.f32 c, a; bra L1; L0: mov.f32 c, e; L1: {}",
    "L0: add.f32 c, c, e; setp.lt.f32 q, c, a; @q bra L0; {}",
    "@p bra L0; L1: bra L1; L0: {}",          # around a loop without an end
]
# fmt: on


@pytest.mark.parametrize("body", NEEDLESS)
def test_same_block(body: str) -> None:
    text = "mul.f32 x, a, b; " + body.format("add.f32 z, x, c; " + Z)
    assert rewritten(text) == ["fma.rn.f32 z a b c"]


@pytest.mark.parametrize("body", NEEDED)
def test_another_block(body: str) -> None:
    text = "mul.f32 x, a, b; " + body.format("add.f32 z, x, c; " + Z)
    assert rewritten(text)[-1] == "add.f32 z x c"


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("body", [*NEEDLESS, *NEEDED[:5]])
def test_results_stay(body: str, engine: str) -> None:
    text = "mul.f32 x, a, b; mov.f32 z, 0f00000000; " + body.format("add.f32 z, x, c; " + Z)
    for a, b, c, e in ((3.0, 2.0, 1.0, 0.5), (2.0, 3.0, 1.0, 0.5)):
        found = [np.zeros(2, np.float32) for _ in range(2)]
        for array, contract in zip(found, ("ptxas", "off"), strict=True):
            given = np.array([a, b, c, e], np.float32)
            openptx.load(kernel(text), contract=contract)["k"](1, 1, (given, array, 0), engine=engine)
        assert found[0].tolist() == found[1].tolist()
