"""Reciprocals of reciprocals and of powers of two, in machine code of ptxas 13.5 for sm_90."""

from __future__ import annotations

import random

import numpy as np
import pytest
from straight_line import kernel, results, rewritten

import openptx

RCP, EX2 = "rcp.approx.ftz.f32", "ex2.approx.ftz.f32"
STORE, KEEP = "st.global.f32 [o], z;", "st.global.f32 [o + 4], x;"
POWER = ["neg.f32 T a", f"{EX2} x T", "mov.f32 z x"]
AGAIN = f"{RCP} z, x;"
OF_A = f"{RCP} x, a;"

CASES = {
    "of a reciprocal": (f"{OF_A} {AGAIN}", [f"{RCP} x a", "mov.f32 z a"]),
    "whose result is used": (f"{OF_A} {AGAIN} {KEEP}", [f"{RCP} x a", "mov.f32 z a"]),
    "of a changed register": (
        f"{OF_A} mov.f32 a, b; {AGAIN} st.global.f32 [o + 4], a;",
        ["mov.b32 T a", f"{RCP} x a", "mov.f32 a b", "mov.f32 z T"],
    ),
    "of a power": (f"{EX2} x, a; {AGAIN}", POWER),
    "in another block": (f"{EX2} x, a; @p bra L; {AGAIN} {STORE} L:", POWER),
    "with a guard": (f"mov.f32 z, b; {EX2} x, a; @p {AGAIN}", ["mov.f32 z b", *POWER]),
    "of a power that is used": (f"{EX2} x, a; {AGAIN} {KEEP}", [f"{EX2} x a", f"{RCP} z x"]),
    "of a power or another": (f"{EX2} x, a; @p {EX2} x, b; {AGAIN}", [f"{EX2} x a", f"{EX2} x b", f"{RCP} z x"]),
    "of a sign": (f"{EX2} x, a; neg.f32 y, x; {RCP} z, y;", [f"{EX2} x a", "neg.f32 y x", f"{RCP} z y"]),
    "not flushed": (f"{OF_A} rcp.approx.f32 z, x;", [f"{RCP} x a", "rcp.approx.f32 z x"]),
    "of one that is not flushed": (f"rcp.approx.f32 x, a; {AGAIN}", ["rcp.approx.f32 x a", f"{RCP} z x"]),
    "of one of a power": (f"{EX2} x, a; {RCP} y, x; {RCP} z, y;", [f"{EX2} x a", f"{RCP} y x", "mov.f32 z x"]),
    "that nothing needs": (
        f"{EX2} x, a; {RCP} y, x; add.ftz.f32 z, x, b;",
        [f"{EX2} x a", f"{RCP} y x", "add.ftz.f32 z x b"],
    ),
    "of three": (f"{OF_A} {RCP} y, x; {RCP} z, y;", [f"{RCP} x a", "mov.f32 y a", "mov.f32 z x"]),
    "a quotient": (f"{EX2} x, a; div.approx.ftz.f32 z, b, x;", [*POWER[:2], "mul.ftz.f32 z b x"]),
    "a whole quotient": (f"{OF_A} div.full.ftz.f32 z, b, x;", [f"{RCP} x a", "div.full.ftz.f32 z b x"]),
    "a quotient in a sum": (f"{OF_A} div.approx.ftz.f32 y, b, x; add.ftz.f32 z, y, c;", ["fma.rn.ftz.f32 z b a c"]),
}


@pytest.mark.parametrize("name", CASES)
def test_machine_code(name: str) -> None:
    body, expected = CASES[name]
    assert rewritten(f"{body} {STORE}") == expected


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_bits(engine: str) -> None:
    """A subnormal number stays, whose reciprocal is infinite."""
    given, found = np.array([1, 0x3FC00001, 0, 0], np.uint32), np.zeros(2, np.uint32)
    body = f"{OF_A} {AGAIN} {RCP} u, b; {RCP} v, u; {STORE} st.global.f32 [o + 4], v;"
    openptx.load(kernel(body))["k"](1, 1, (given, found, 0), engine=engine)
    assert found.tolist() == [1, 0x3FC00001]


def program(rng: random.Random) -> str:
    """Random reciprocals, quotients, powers and copies of powers of two; some registers are written again and again."""
    again, names, lines = ["u", "v", "w", "x"], ["a", "b", "c", "e", "u", "v", "w", "x"], list[str]()
    lines += [f"mov.f32 {name}, {rng.choice('abce')};" for name in again]
    for n in range(rng.randrange(8, 25)):
        to, guard = (f"m{n}", "") if rng.random() < 0.7 else (rng.choice(again), rng.choice(("", "@p ", "@!p ")))
        a, b = rng.choice(names[-4:]), rng.choice(names)
        instruction = rng.choice((f"{RCP} {to}, {a};", f"{RCP} {to}, {a};", f"mov.b32 {to}, {a};", "", "quotient"))
        if not instruction:
            instruction = f"lg2.approx.ftz.f32 y, {a}; {EX2} {to}, y;"
        if instruction == "quotient":
            bounds = f"{guard}min.f32 {to}, {to}, 0f43800000; {guard}max.f32 {to}, {to}, 0f3B800000;"
            instruction = f"{guard}div.approx.ftz.f32 {to}, {b}, {a}; {bounds}"
        lines.append(instruction if instruction.startswith("@") else guard + instruction)
        if to.startswith("m"):
            names.append(to)
        if rng.random() < 0.3:
            lines.append(f"st.global.f32 [o + {4 * n}], {rng.choice(names)};")
        if rng.random() < 0.1:
            lines.append(f"@p bra L{n}; membar.gl; L{n}:")
    return "\n".join([*lines, *(f"st.global.f32 [o + {100 + 4 * i}], {name};" for i, name in enumerate(again))])


def agree(seed: int) -> bool:
    """Whether contraction keeps the results."""
    rng = random.Random(seed)
    body, given = program(rng), [2.0 ** rng.randrange(-4, 5) for _ in "abce"]
    found, expected = (results(body, way, given, declarations=".reg .f32 m<25>;") for way in ("ptxas", "off"))
    return bool(np.allclose(found, expected, 1e-3))


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed: int) -> None:
    assert agree(seed)


@pytest.mark.sweep
def test_more_random_programs() -> None:
    assert [seed for seed in range(100, 2000) if not agree(seed)] == []
