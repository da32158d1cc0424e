"""Of two NaN operands an f64 operation returns the second one of the machine code of ptxas 13.5 for sm_90."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

A, B, C = 0x7FF8000000000001, 0xFFF8000000000002, 0x7FF0000000000003  # the last one signals
QUIET_C = C | 1 << 51


def result(body: str, engine: str, given: tuple[int, ...] = (A, B, C), contract: str = "ptxas", rounds: int = 1) -> int:
    text = f""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 pi, .param .u64 po, .param .f64 parameter) {{
  .reg .b64 i, o; .reg .f64 a, b, c, d, e, f, q; .reg .u32 n, cn; .reg .pred p, r, s;
  ld.param.u64 i, [pi]; ld.param.u64 o, [po]; ld.param.u32 cn, [parameter];
  ld.global.f64 a, [i]; ld.global.f64 b, [i + 8]; ld.global.f64 c, [i + 16]; setp.ne.u32 p, cn, 99;
  {body} st.global.f64 [o], d; ret; }}"""
    words, found = np.array(given, np.uint64), np.zeros(1, np.uint64)
    parameter = np.uint64(0x7FF8000000000000 | rounds).view(np.float64)
    openptx.load(text, contract=contract)["k"](1, 1, (words, found, parameter), engine=engine)
    return int(found[0])


E, F = (f"mov.f64 {x}, 0d0000000000000000; @p ld.global.f64 {x}, [i + {at}];" for x, at in (("e", 0), ("f", 8)))
L, M = (f"@p bra {name}; st.global.f64 [o], b; {name}:" for name in "LM")

# fmt: off
CASES = [
    # operands: a, b, c in the order of their loads                  result    machine code
    ("add.f64 d, a, b;",                                             B),       # DADD a, b
    ("add.f64 d, b, a;",                                             B),
    ("mul.rn.f64 d, c, b;",                                          QUIET_C), # DMUL b, c
    ("sub.f64 d, a, b;",                                             B),       # DADD a, -b
    ("sub.f64 d, b, a;",                                             B),       # DADD -a, b
    ("sub.rz.f64 d, c, a;",                                          QUIET_C),
    ("fma.rn.f64 d, b, a, 0d3FF0000000000000;",                      B),       # DFMA a, b, 1
    ("fma.rn.f64 d, c, b, a;",                                       QUIET_C), # DFMA b, c, a
    ("mul.f64 e, c, a; add.rn.f64 d, e, b;",                         QUIET_C), # DMUL e, a, c; DADD b, e
    ("neg.f64 e, a; add.rn.f64 d, b, e;",                            B),       # DADD -a, b
    ("mov.f64 e, a; add.rn.f64 d, b, e;",                            B),
    ("ld.param.f64 e, [parameter]; mul.f64 d, e, b;",                0x7FF8000000000001),
    # registers with several definitions follow others, the one that is defined last before those before it
    (f"{E} add.f64 d, e, b;",                                        A),       # DADD b, e
    (f"{E} {F} mul.f64 d, e, f;",                                    A),       # DMUL f, e
    (f"{F} {E} mul.f64 d, e, f;",                                    B),       # DMUL e, f
    # what moves to a later block comes after what is there
    (f"mul.f64 e, a, a; {L} add.f64 f, b, c; {M} mul.f64 d, e, f; st.global.f64 [o], a;", A),  # DMUL f, e
]
# fmt: on


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize(("body", "expected"), CASES)
def test_the_second_operand_of_machine_code_is_the_result(body: str, expected: int, engine: str) -> None:
    assert hex(result(body, engine)) == hex(expected)


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_without_contraction_it_is_the_second_of_the_text(engine: str) -> None:
    assert result("add.f64 d, b, a;", engine, contract="off") == A
    assert result("sub.f64 d, b, a;", engine, contract="off") == A


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("rounding", ["rn", "rz", "rm", "rp"])
def test_reverse_subtraction_is_the_difference(rounding: str, engine: str) -> None:
    numbers = [0.1, -0.3, 1e308, -1e308, np.inf, -np.inf, 0.0, -0.0, 5e-324, 2.5]
    for i, a in enumerate(numbers):
        for b in numbers[("rn", "rz", "rm", "rp").index(rounding) + i & 1 :: 2]:
            given = tuple(int(np.float64(x).view(np.uint64)) for x in (a, b, 0))
            reverse = result(f"sub.{rounding}.f64 d, b, a;", engine, given)
            assert reverse == result(f"sub.{rounding}.f64 d, b, a;", engine, given, "off"), (a, b)
    for alone, expected in (((A, 0, 0), A), ((0, C, 0), QUIET_C)):
        assert result(f"sub.{rounding}.f64 d, b, a;", engine, alone) == expected
