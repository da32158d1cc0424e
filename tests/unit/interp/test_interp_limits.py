"""The time limit is checked within one step of the interpreter if that takes long for many lanes."""

from __future__ import annotations

import time

import numpy as np
import pytest

import openptx

LATE = 5.0
"""Seconds, as in tests/unit/native/test_native_stops.py."""

# Steps that take 4 to 164 seconds for 32,768 lanes, and one that has no end.
STEPS = {
    "atomics on one word": "atom.global.add.noftz.f16x2 r, [a], r;",
    "pairs": "atom.global.exch.b128 q, [a], q;",
    "reductions": "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [a], [s], 49152;",
    "bulk stores": "mov.b64 a, s; st.bulk.weak.shared::cta [a], 49152, 0;",
    "bulk copies": "cp.async.bulk.global.shared::cta.bulk_group [a], [s], 49152;",
    "a text without an end": "{ .param .b64 t; .param .b64 u; .param .b32 n; st.param.b64 [t], a; st.param.b64 [u], a;"
    " call (n), vprintf, (t, u); }",
}


@pytest.mark.parametrize("name", STEPS)
def test_time_limits_hold_within_a_step(name: str) -> None:
    text = f""".version 8.6
.target sm_100
.address_size 64
.extern .func (.param .b32 n) vprintf(.param .b64 t, .param .b64 u);
.visible .entry k(.param .u64 x) {{
.reg .b32 r; .reg .b64 a; .reg .b128 q; .shared .align 16 .b8 s[49152];
ld.param.u64 a, [x]; mov.u32 r, 0; mov.b128 q, {{a, a}}; {STEPS[name]} ret; }}"""
    kernel, x = openptx.load(text)["k"], np.full(1 << 24, 65, np.uint8)
    for limit in (0.05, 0.3):
        start = time.monotonic()
        with pytest.raises(openptx.Fault) as found:
            kernel(32, 1024, (x,), engine="interp", timeout=limit)
        assert found.value.name == "timeout"
        assert time.monotonic() - start < limit + LATE
