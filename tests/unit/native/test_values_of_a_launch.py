"""Values that depend only on a launch's parameters are computed once at the function's entry, if that is correct."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.native import pipeline
from openptx.engines.native.settings import Options

HEAD = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .f32 a, .param .f32 b, .param .u64 out) {
    .reg .pred %p, %q;
    .reg .b16 %h<9>;
    .reg .b32 %t, %i, %d;
    .reg .f32 %f<9>;
    .reg .b64 %at, %place;
    ld.param.u64 %at, [out];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %place, %t, 2;
    add.u64 %at, %at, %place;
    ld.global.b16 %h1, [%at];
    setp.lt.u32 %p, %t, 40;
    mov.b16 %h0, 0;
"""
BODIES = {
    "in a branch": """
        @!%p bra END;
        ld.param.f32 %f1, [a];
        CONVERT %h0, %f1;
        FMA %h0, %h0, %h1, %h1;
        END:
    """,
    "written on one of two ways": """
        @!%p bra ON;
        ld.param.f32 %f1, [a];
        ON:
        CONVERT %h0, %f1;
        FMA %h0, %h0, %h1, %h1;
    """,
    "written under a guard": """
        @%p ld.param.f32 %f1, [a];
        CONVERT %h0, %f1;
        FMA %h0, %h0, %h1, %h1;
    """,
    "written on one of two ways by all lanes": """
        ld.param.f32 %f2, [b];
        setp.gt.f32 %q, %f2, 0.0;
        @%q bra ON;
        ld.param.f32 %f1, [a];
        ON:
        CONVERT %h0, %f1;
        FMA %h0, %h0, %h1, %h1;
    """,
    "written again in a loop": """
        mov.u32 %i, 0;
        ld.param.f32 %f1, [a];
        LOOP:
        CONVERT %h2, %f1;
        FMA %h0, %h2, %h1, %h0;
        ld.param.f32 %f1, [b];
        add.u32 %i, %i, 1;
        setp.lt.u32 %q, %i, 3;
        @%q bra LOOP;
    """,
    "read before it is written, in a loop": """
        mov.u32 %i, 0;
        LOOP:
        CONVERT %h2, %f1;
        FMA %h0, %h2, %h1, %h0;
        ld.param.f32 %f1, [a];
        add.u32 %i, %i, 1;
        setp.lt.u32 %q, %i, 3;
        @%q bra LOOP;
    """,
    "as a float before": """
        ld.param.f32 %f1, [a];
        bra ON;
        ON:
        add.f32 %f2, %f1, %f1;
        CONVERT %h2, %f1;
        CONVERT %h3, %f2;
        FMA %h0, %h2, %h1, %h3;
    """,
}


@pytest.mark.parametrize("kind", ["f16", "bf16"])
@pytest.mark.parametrize("case", BODIES)
def test_both_engines(case: str, kind: str) -> None:
    body = BODIES[case].replace("CONVERT", f"cvt.rn.{kind}.f32").replace("FMA", f"fma.rn.{kind}")
    module = openptx.load(HEAD + body + "st.global.b16 [%at], %h0; ret; }")
    for a, b in ((0.3, -7.5), (float("nan"), 1e-7), (1e9, float("-inf"))):
        results: list[bytes] = []
        for engine in "interp", "native":
            data = np.random.default_rng(3).integers(0, 1 << 16, 64, np.uint16)
            module["k"](1, 64, (a, b, data), engine=engine)
            results.append(data.tobytes())
        assert results[0] == results[1], (a, b)


def test_quotients_are_computed_once_and_may_have_no_divisor() -> None:
    module = openptx.load("""
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u32 n, .param .u32 by, .param .u64 out) {
    .reg .pred %p; .reg .b32 %n, %by, %t, %q, %r; .reg .b64 %at, %place;
    ld.param.u32 %n, [n]; ld.param.u32 %by, [by]; ld.param.u64 %at, [out];
    mov.u32 %t, %tid.x; mul.wide.u32 %place, %t, 4; add.u64 %at, %at, %place;
    mov.u32 %q, 0; setp.gt.u32 %p, %t, 40; @%p bra END;
    mov.u32 %r, %nctaid.x; div.u32 %q, %n, %r; rem.u32 %r, %n, %by; xor.b32 %q, %q, %r;
    END: st.global.u32 [%at], %q; ret; }
""")
    options = Options((64, 1, 1), False)
    text = pipeline.lower_kernel(module.program, module["k"].function, module.image, options).text
    assert all(f"{op} i32" in text.partition("\ncta:")[0] for op in ("udiv", "urem"))
    for by in 0, 7:
        results: list[list[int]] = []
        for engine in "interp", "native":
            module["k"](3, 64, (1000, by, found := np.zeros(64, np.uint32)), engine=engine)
            results.append(found.tolist())
        assert results[0] == results[1], by
