"""Selections of f32 in the machine code of ptxas 13.0 for sm_90: extremes, and signs of operands, seen in NaNs."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

QUIET, CANONICAL, MINUS_ONE, TWO = 0x7FC00001, 0x7FFFFFFF, 0xBF800000, 0x40000000
N, T = "0fBF800000", "0f40000000"
READ_AGAIN = "@p st.global.f32 [i + 4], b;"


def result(body: str, a: int, engine: str, target: str = "sm_90") -> int:
    text = f""".version 8.0
.target {target}
.address_size 64
.visible .entry k(.param .u64 pi, .param .u64 po) {{
  .reg .b64 i, o; .reg .f32 a, b, c, d; .reg .pred p, q;
  ld.param.u64 i, [pi]; ld.param.u64 o, [po]; ld.global.f32 a, [i]; ld.global.f32 b, [i + 4];
  {body} st.global.f32 [o], d; ret; }}"""
    given, found = np.array([a, TWO], np.uint32), np.zeros(1, np.uint32)
    openptx.load(text)["k"](1, 1, (given, found), engine=engine)
    return int(found[0])


# fmt: off
CASES = [
    # a selection                                                    of      gives       machine code
    (f"setp.lt.f32 p, a, {N}; selp.f32 d, {N}, a, p;",               QUIET,  CANONICAL),  # FMNMX.NAN R7, R2, -1, !PT
    (f"setp.gt.f32 p, {N}, a; selp.f32 d, {N}, a, p;",               QUIET,  CANONICAL),
    (f"setp.ge.ftz.f32 p, a, {T}; selp.b32 d, {T}, a, p;",           QUIET,  CANONICAL),  # FMNMX.NAN R7, R2, 2, PT
    (f"setp.ltu.f32 p, a, {T}; selp.f32 d, a, {T}, p;",              QUIET,  CANONICAL),
    (f"mov.f32 c, {T}; setp.gt.f32 p, a, c; selp.f32 d, c, a, p;",   QUIET,  CANONICAL),
    ("setp.le.f32 p, a, 0f00000000; selp.f32 d, 0f00000000, a, p;",  QUIET,  CANONICAL),  # FMNMX.NAN R7, RZ, R2, !PT
    (f"setp.ltu.f32 p, a, {N}; selp.f32 d, {N}, a, p;",              QUIET,  MINUS_ONE),  # FMNMX R7, R2, -1, !PT
    (f"setp.lt.f32 p, a, {N}; selp.f32 d, {N}, a, p;",               TWO,    TWO),
    (f"setp.lt.f32 p, a, {N}; selp.f32 d, {N}, a, p;",               0xC0000000, MINUS_ONE),
    ("setp.le.ftz.f32 p, a, 0f00000000; selp.f32 d, 0f00000000, a, p;", 1,    1),          # without .FTZ
    # selections that stay
    ("setp.lt.f32 p, a, 0f00000000; selp.f32 d, 0f00000000, a, p;",  QUIET,  QUIET),      # FSETP, FSEL
    ("setp.le.f32 p, a, 0f80000000; selp.f32 d, 0f80000000, a, p;",  QUIET,  QUIET),
    ("setp.le.f32 p, a, 0f00000000; selp.f32 d, 0f80000000, a, p;",  QUIET,  QUIET),
    ("setp.lt.f32 p, a, b; selp.f32 d, b, a, p;",                    QUIET,  QUIET),
    ("setp.lt.f32 p, a, 0f3F800000; selp.f32 d, 0f3F800001, a, p;",  QUIET,  QUIET),
    (f"setp.eq.f32 p, a, {N}; selp.f32 d, {N}, a, p;",               QUIET,  QUIET),
    (f"setp.lt.f32 p|q, a, {T}; selp.f32 d, {T}, a, q;",             QUIET,  TWO),
    (f"setp.lt.f32 p|q, a, {T}; selp.f32 d, {T}, a, q;",             MINUS_ONE, MINUS_ONE),
    (f"mov.f32 c, {T}; setp.lt.f32 p, a, c; mov.f32 c, {N}; selp.f32 d, c, a, p;", 0, MINUS_ONE),
    (f"mov.f32 c, b; setp.lt.f32 p, a, c; mov.f32 c, {N}; selp.f32 d, c, a, p;", 0, MINUS_ONE),
    # a comparison that others read: only if its register has to be less
    (f"setp.lt.f32 p, a, {T}; selp.f32 d, {T}, a, p; {READ_AGAIN}",  QUIET,  CANONICAL),
    (f"setp.gt.f32 p, {T}, a; selp.f32 d, {T}, a, p; {READ_AGAIN}",  QUIET,  CANONICAL),
    (f"setp.gt.f32 p, a, {T}; selp.f32 q0, {T}, a, p; selp.f32 d, {T}, a, p;", QUIET, CANONICAL),
    (f"setp.gt.f32 p, a, {T}; selp.f32 d, {T}, a, p; {READ_AGAIN}",  QUIET,  QUIET),      # FSETP, FSEL
    (f"setp.geu.f32 p, a, {T}; selp.f32 d, a, {T}, p; {READ_AGAIN}", QUIET,  QUIET),
    (f"setp.lt.f32 p, {T}, a; selp.f32 d, {T}, a, p; {READ_AGAIN}",  QUIET,  QUIET),
    # a comparison that the text has later
    (f"bra M; L: selp.f32 d, {N}, a, p; bra X; M: setp.lt.f32 p, a, {N}; bra L; X:", QUIET, CANONICAL),
    # signs of operands
    ("setp.gt.f32 p, b, a; neg.f32 c, a; selp.f32 d, b, c, p;",      QUIET,  QUIET | 1 << 31),  # FSEL R7, R7, -R0, P0
    ("setp.gt.f32 p, b, a; abs.f32 c, a; selp.f32 d, b, c, p;",      QUIET | 1 << 31, QUIET),   # FSEL R7, R7, |R0|, P0
    ("setp.gt.f32 p, b, a; neg.f32 c, a; abs.f32 q0, c; selp.f32 d, b, q0, p;", QUIET | 1 << 31, QUIET),
    ("setp.gt.f32 p, b, a; abs.f32 c, a; neg.f32 q0, c; selp.f32 d, b, q0, p;", QUIET, QUIET | 1 << 31),
    ("setp.gt.f32 p, b, a; neg.f32 c, a; neg.f32 q0, c; selp.f32 d, b, q0, p;", QUIET, QUIET),
    ("setp.gt.f32 p, b, a; neg.ftz.f32 c, a; selp.f32 d, b, c, p;",  QUIET,  CANONICAL),  # FADD.FTZ
    ("setp.gt.f32 p, b, a; neg.f32 c, a; selp.b32 d, b, c, p;",      QUIET,  CANONICAL),  # FADD
    ("neg.f32 d, a;",                                                QUIET,  CANONICAL),
]
# fmt: on


@pytest.mark.parametrize(("body", "a", "expected"), CASES)
def test_selections(body: str, a: int, expected: int) -> None:
    body = ".reg .f32 q0; " + body
    assert result(body, a, "interp") == expected


@pytest.mark.parametrize("number", [0, 15, 16])
def test_compiled_selections(number: int) -> None:
    body, a, expected = CASES[number]
    assert result(body, a, "native") == expected


def test_older_targets_have_only_the_maximum_that_returns_no_nan() -> None:
    """Which shows in a subnormal number: it is above zero, but not for a comparison that flushes it."""
    zero = "0f00000000"
    assert result(CASES[0][0], QUIET, "interp", "sm_75") == QUIET
    assert result(f"setp.gt.ftz.f32 p, a, {zero}; selp.f32 d, a, {zero}, p;", 1, "interp", "sm_75") == 1
    assert result(f"setp.leu.ftz.f32 p, a, {zero}; selp.f32 d, a, {zero}, p;", QUIET, "interp", "sm_75") == QUIET


def test_a_register_that_is_written_again_is_another_value() -> None:
    body = f"setp.lt.f32 p, a, {N}; mov.f32 a, b; selp.f32 d, {N}, a, p;"
    assert result(body, QUIET, "interp") == TWO


def test_without_contraction_selections_stay() -> None:
    text = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 io) { .reg .b64 i; .reg .f32 a, d; .reg .pred p; ld.param.u64 i, [io];
  ld.global.f32 a, [i]; setp.lt.f32 p, a, 0fBF800000; selp.f32 d, 0fBF800000, a, p; st.global.f32 [i], d; ret; }"""
    data = np.array([QUIET], np.uint32)
    openptx.load(text, contract="off")["k"](1, 1, (data,), engine="interp")
    assert data[0] == QUIET
