"""Registers that a loop reads before its single write: they hold the value of the previous iteration.

On small whole numbers, which nothing rounds, contraction changes nothing.
"""

from __future__ import annotations

import numpy as np
import pytest
from straight_line import kernel

import openptx

THREE, TWO = "0f40400000", "0f40000000"

# fmt: off
ROUNDS = {
    # `k` counts rounds from 0; `l` is another number in each, and `x` is added up
    "a product times two":
        f"ld.global.f32 l, [ad]; setp.ne.u32 q, k, 0; @q bra S; mul.f32 t, l, b; S: mul.f32 x, t, {TWO};",
    "a product with a constant":
        f"ld.global.f32 l, [ad]; setp.ne.u32 q, k, 0; @q bra S; mul.f32 t, l, {THREE}; S: add.f32 x, t, c;",
    "equal products":
        f"mov.f32 x, e; mul.f32 v, l, {THREE}; setp.eq.u32 q, k, 0; @q bra S; add.rn.f32 x, x, v; "
        f"S: ld.global.f32 l, [ad]; membar.gl; bar.sync 0; @p bra T; mul.f32 w, l, {THREE}; add.f32 y, w, c; "
        f"add.rn.f32 x, x, y; add.rn.f32 x, x, w; T: mul.f32 z, l, {THREE}; add.rn.f32 x, x, z;",
    "products that move":
        "mov.f32 x, e; mul.f32 t, l, b; add.f32 y, t, e; setp.eq.u32 q, k, 0; membar.gl; @p bra Q; "
        "ld.global.f32 l, [ad]; Q: @q bra S; add.f32 x, t, c; add.f32 x, x, y; S:",
    "copies":
        f"mov.f32 x, e; mov.f32 v, l; neg.f32 w, l; setp.eq.u32 q, k, 0; membar.gl; ld.global.f32 l, [ad]; @q bra S; "
        f"mul.f32 y, v, {THREE}; add.f32 x, y, w; S:",
}
# fmt: on


@pytest.mark.parametrize("name", ROUNDS)
def test_what_a_register_held_in_the_round_before(name: str) -> None:
    body = f"""mov.u32 k, 0; mov.f32 sum, 0f00000000; mov.u64 ad, i; L: {ROUNDS[name]} add.rn.f32 sum, sum, x;
        add.u64 ad, ad, 4; add.u32 k, k, 1; setp.lt.u32 q, k, 4; @q bra L; st.global.f32 [o], sum;"""
    text = kernel(body, declarations=".reg .f32 l, t, sum; .reg .b64 ad; .reg .b32 k;")
    given, found = np.array([1, 2, 3, 5, 7, 11, 13, 17], np.float32), list[float]()
    for contract in ("ptxas", "off"):
        out = np.zeros(1, np.float32)
        openptx.load(text, contract=contract)["k"][1, 1](given, out, 1.0)
        found.append(out[0])
    assert found[0] == found[1]


@pytest.mark.parametrize("what", ["mov.f32", "neg.f32", "add.f32", "mul.f32"])
def test_long_chains(what: str) -> None:
    """Looked at without a call for each link."""
    more = "" if what in ("mov.f32", "neg.f32") else ", c"
    chain = "mov.f32 m0, a;" + "".join(f"{what} m{i + 1}, m{i}{more};" for i in range(1200))
    body = f"""{chain} mul.f32 y, a, b; add.f32 z, y, c; membar.gl; @!p bra X;
        add.f32 x, m1200, z; mul.f32 w, x, b; add.f32 u, w, y; st.global.f32 [o], u; X: st.global.f32 [o + 4], y;"""
    assert len(openptx.load(kernel(body, declarations=".reg .f32 m<1201>;"))["k"].function.code) > 10
