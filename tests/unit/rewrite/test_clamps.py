"""Clamps to 0 and 1 in machine code of ptxas 13.5 for sm_90: `.SAT`, which makes 0 of a NaN."""

from __future__ import annotations

import random

import numpy as np
import pytest
from straight_line import kernel, results, rewritten

import openptx

ONE, ZERO, MINUS_ZERO, TWO = "0f3F800000", "0f00000000", "0f80000000", "0f40000000"
LOW, HIGH, STORE = f"max.f32 z, x, {ZERO};", f"min.f32 x, a, {ONE};", "st.global.f32 [o], z;"
SATURATED = "add.rn.sat.f32 z a 00000000"

CLAMPS = {
    "a maximum last": f"{HIGH} {LOW}",
    "a minimum last": f"max.f32 x, a, {ZERO}; min.f32 z, x, {ONE};",
    "constants first": f"min.f32 x, {ONE}, a; max.f32 z, {ZERO}, x;",
    "minus zero": f"{HIGH} max.f32 z, x, {MINUS_ZERO};",
    "flushed first": f"min.ftz.f32 x, a, {ONE}; {LOW}",
    "used between": f"{HIGH} {LOW} st.global.f32 [o + 4], x;",
    "in another block": f"{HIGH} @p bra L; membar.gl; {LOW} {STORE} L:",
    "a constant in a register": f"mov.f32 y, {ONE}; min.f32 x, a, y; {LOW}",
    "a copy": f"{HIGH} mov.b32 r, x; max.f32 z, r, {ZERO};",
    "a guard": f"mov.f32 z, a; {HIGH} @p {LOW}",
    "of a selection": f"setp.lt.f32 q, a, {ONE}; selp.f32 x, a, {ONE}, q; {LOW}",
}
OTHERS = {
    "a guard between": f"mov.f32 x, a; @p {HIGH} {LOW}",
    "NaN": f"min.NaN.f32 x, a, {ONE}; {LOW}",
    "NaN last": f"{HIGH} max.NaN.f32 z, x, {ZERO};",
    "other bounds": f"min.f32 x, a, {TWO}; {LOW}",
    "exchanged bounds": f"min.f32 x, a, {ZERO}; max.f32 z, x, {ONE};",
    "a negation": f"{HIGH} neg.f32 y, x; max.f32 z, y, {ZERO};",
}


@pytest.mark.parametrize("name", CLAMPS)
def test_clamps(name: str) -> None:
    assert SATURATED in rewritten(f"{CLAMPS[name]} {STORE}")


@pytest.mark.parametrize("name", OTHERS)
def test_others(name: str) -> None:
    assert ".sat" not in " ".join(rewritten(f"{OTHERS[name]} {STORE}"))


def test_the_last_one_flushes() -> None:
    assert "add.rn.ftz.sat.f32 z a 00000000" in rewritten(f"{HIGH} max.ftz.f32 z, x, {ZERO}; {STORE}")


def test_registers_that_are_written_again() -> None:
    found = rewritten(f"min.f32 a, a, {ONE}; max.f32 a, a, {ZERO}; st.global.f32 [o], a;")
    assert found == ["mov.b32 T a", "min.f32 a a 3F800000", "add.rn.sat.f32 a T 00000000"]


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_nan(engine: str) -> None:
    given, found = np.array([np.nan, 0, 0, 0], np.float32), np.ones(1, np.float32)
    for contract, expected in (("ptxas", 0), ("off", 1)):
        openptx.load(kernel(f"{HIGH} {LOW} {STORE}"), contract=contract)["k"](1, 1, (given, found, 0), engine=engine)
        assert found[0] == expected


def test_halves() -> None:
    body = "mov.b16 k, 0x3C00; mov.b16 l, 0; ld.b16 h, [i]; min.f16 h, h, k; max.f16 h, h, l; st.b16 [o], h;"
    found = rewritten(body, declarations=".reg .b16 h, k, l;")
    assert "add.rn.sat.f16 h T 0000" in " ".join(found)
    pairs = "mov.b32 r, 0x3C003C00; mov.b32 s, 0; ld.b32 t, [i]; min.f16x2 t, t, r; max.f16x2 t, t, s; st.b32 [o], t;"
    assert ".sat" not in " ".join(rewritten(pairs, declarations=".reg .b32 t;"))


def program(rng: random.Random) -> str:
    """Random extremes with 0, 1 and 2, in registers that are written once or again."""
    again, names, lines = ["u", "v", "w"], [*"abce"], [f"mov.f32 {name}, {rng.choice('abce')};" for name in "uvw"]
    names += again
    for n in range(rng.randrange(6, 20)):
        to, guard = (f"m{n}", "") if rng.random() < 0.5 else (rng.choice(again), rng.choice(("", "", "@p ", "@!p ")))
        bound = rng.choice((ONE, ONE, ZERO, ZERO, MINUS_ZERO, TWO))
        what = "min" if bound == ONE else rng.choice(("max", "max", "min"))
        lines.append(f"{guard}{what}.f32 {to}, {rng.choice(names[-3:] + again)}, {bound};")
        if to.startswith("m"):
            names.append(to)
        if rng.random() < 0.2:
            lines.append(f"add.f32 {rng.choice(again)}, {rng.choice(names)}, {rng.choice(names)};")
        if rng.random() < 0.1:
            lines.append(f"@p bra L{n}; membar.gl; {guard}add.f32 u, u, v; L{n}:")
        if rng.random() < 0.3:
            lines.append(f"st.global.f32 [o + {4 * n}], {rng.choice(names)};")
    return "\n".join([*lines, *(f"st.global.f32 [o + {100 + 4 * i}], {name};" for i, name in enumerate(again))])


def agree(seed: int) -> bool:
    """Whether contraction keeps the results, which are no NaNs."""
    rng = random.Random(seed)
    body, given = program(rng), [rng.choice((-1.0, -0.5, 0.25, 0.5, 1.5, 3.0)) for _ in "abce"]
    found, expected = (results(body, way, given, declarations=".reg .f32 m<20>;") for way in ("ptxas", "off"))
    return found == expected


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed: int) -> None:
    assert agree(seed)


@pytest.mark.sweep
def test_more_random_programs() -> None:
    assert [seed for seed in range(100, 2000) if not agree(seed)] == []
