"""Constants that ptxas folds: results are correctly rounded, quotients products with the reciprocal."""

from __future__ import annotations

import numpy as np
import pytest
from straight_line import kernel, rewritten

import openptx

Z = "st.global.f32 [o], z;"

# fmt: off
FUNCTIONS = [
    # opcode               operand     machine code of ptxas 13.0 for sm_90
    ("rcp.approx.f32",     "40400000", "3EAAAAAB"),
    ("rcp.approx.f32",     "7F000000", "00400000"),
    ("rcp.approx.ftz.f32", "7F000000", "00000000"),
    ("rcp.approx.f32",     "80000000", "FF800000"),
    ("rcp.approx.ftz.f32", "807FFFFF", "FF800000"),
    ("sqrt.approx.f32",    "00000001", "1A3504F3"),
    ("sqrt.approx.ftz.f32", "807FFFFF", "80000000"),
    ("rsqrt.approx.f32",   "40400000", "3F13CD3A"),
    ("ex2.approx.f32",     "3FA00000", "401837F0"),
    ("ex2.approx.f32",     "C3150000", "00000001"),
    ("ex2.approx.ftz.f32", "C2FC0001", "00000000"),
    ("ex2.approx.f32",     "7E800000", "7F800000"),
    ("lg2.approx.f32",     "40400000", "3FCAE00D"),
    ("sin.approx.f32",     "3F800000", "3F576AA4"),
    ("cos.approx.f32",     "3F800000", "3F0A5140"),
    ("sin.approx.f32",     "807FFFFF", "80000000"),
    # not folded: no number, or a function of its own
    ("sqrt.approx.f32",    "BF800000", None),
    ("lg2.approx.f32",     "00000000", None),
    ("sin.approx.f32",     "7F800000", None),
    ("rcp.approx.f32",     "7FC00000", None),
    ("tanh.approx.f32",    "3F800000", None),
    ("rcp.rn.f32",         "40400000", None),
]
# fmt: on


@pytest.mark.parametrize("through", ["{0} z, 0f{1};", "mov.b32 r, 0x{1}; mov.b32 x, r; {0} z, x;"])
@pytest.mark.parametrize(("opcode", "operand", "result"), FUNCTIONS)
def test_functions(opcode: str, operand: str, result: str | None, through: str) -> None:
    found = rewritten(through.format(opcode, operand) + Z)[-1]
    assert found == f"mov.f32 z {result}" if result else found.startswith(opcode)


# fmt: off
QUOTIENTS = [
    ("div.full.f32",       "437F0000", ["mul.f32 z a 3B808081"]),
    ("div.approx.ftz.f32", "437F0000", ["mul.ftz.f32 z a 3B808081"]),
    ("div.full.f32",       "3F800000", ["mov.f32 z a"]),
    ("div.full.ftz.f32",   "3F800000", ["mul.ftz.f32 z a 3F800000"]),
    ("div.full.f32",       "7E800000", ["mul.f32 z a 00800000"]),
    ("div.full.f32",       "7E800001", ["mul.f32 T a 3E800000", "mul.f32 z T 017FFFFE"]),
    ("div.approx.f32",     "7E800001", ["mul.f32 z a 00000000"]),
    ("div.full.f32",       "80000001", ["mul.f32 T a 4B800000", "mul.f32 z T FE000000"]),
    ("div.full.ftz.f32",   "80000001", ["mul.ftz.f32 z a FF800000"]),
    ("div.full.f32",       "00000000", ["mul.f32 T a 4B800000", "mul.f32 z T 7F800000"]),
    ("div.full.f32",       "FF800000", ["mul.f32 T a 3E800000", "mul.f32 z T 80000000"]),
    ("div.full.f32",       "7FC00000", ["div.full.f32 z a 7FC00000"]),
]
# fmt: on


@pytest.mark.parametrize(("opcode", "divisor", "expected"), QUOTIENTS)
def test_quotients(opcode: str, divisor: str, expected: list[str]) -> None:
    assert rewritten(f"{opcode} z, a, 0f{divisor};" + Z) == expected


# fmt: off
UNITS = [
    # product                                                     machine code copies, or changes the sign
    ("mul.f32 z, a, 0f3F800000;",                                 ["mov.f32 z a"]),
    ("mul.f32 z, 0fBF800000, a;",                                 ["neg.f32 z a"]),
    ("div.full.f32 z, a, 0fBF800000;",                            ["neg.f32 z a"]),
    ("mul.f64 n, m, 0d3FF0000000000000; st.global.f64 [o], n;",   ["mov.f64 n m"]),
    ("mul.f64 n, m, 0dBFF0000000000000; st.global.f64 [o], n;",   ["neg.f64 n m"]),
    ("mov.b16 k, 0x3C00; mul.f16 l, h, k; st.global.b16 [o], l;", ["mov.b16 k 00003C00", "mov.b16 l h"]),
    ("mov.b16 k, 0xBF80; mul.bf16 l, h, k; st.global.b16 [o], l;", ["mov.b16 k 0000BF80", "neg.bf16 l h"]),
    ("mul.rn.f32 z, a, 0f3F800000;",                              None),
    ("mul.ftz.f32 z, a, 0fBF800000;",                             None),
    ("mul.sat.f32 z, a, 0fBF800000;",                             None),
]
# fmt: on


@pytest.mark.parametrize(("body", "expected"), UNITS, ids=[body for body, _ in UNITS])
def test_products_with_one(body: str, expected: list[str] | None) -> None:
    declarations = ".reg .f64 m, n; .reg .b16 h, k, l;"
    body = f"ld.global.f64 m, [i + 16]; ld.global.b16 h, [i + 24]; {body} {Z}"
    found = rewritten(body, declarations=declarations)
    assert found == (rewritten(body, "off", declarations=declarations) if expected is None else expected)


def test_a_register_with_two_values_is_no_constant() -> None:
    body = "mov.f32 x, 0f40400000; @p mov.f32 x, c; rcp.approx.f32 z, x;"
    assert rewritten(body + Z)[-1] == "rcp.approx.f32 z x"
    again = "mov.f32 x, a; add.f32 y, x, b; mov.f32 x, 0f40400000; rcp.approx.f32 z, x; add.f32 z, z, y;"
    assert "mov.f32 z 3EAAAAAB" in rewritten(again + Z)
    label = "mov.f32 x, c; mov.f32 x, 0f40400000; AGAIN: rcp.approx.f32 z, x; mov.f32 x, z; @p bra AGAIN;"
    assert rewritten(label + Z)[2] == "rcp.approx.f32 z x"


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_bits(engine: str) -> None:
    """255: the unit's reciprocal, times the dividend, differs from the folded one for most dividends."""
    given = np.array([7, 255, 0, 0], np.float32)
    results = list[np.float32]()
    for body in ("div.full.f32 z, a, 0f437F0000;", "div.full.f32 z, a, b;"):
        found = np.zeros(1, np.float32)
        openptx.load(kernel(body + Z))["k"](1, 1, (given, found, 0), engine=engine)
        results.append(found[0])
    assert results[0] == np.float32(7) * np.float32(1 / 255)
    assert results[0] != results[1]
