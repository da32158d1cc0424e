"""A product times a power of two is one multiplication: hand-made programs, as ptxas 13.0 compiles them for sm_90."""

from __future__ import annotations

import numpy as np
import pytest
from straight_line import kernel, rewritten

import openptx

Z, ZX = "st.global.f32 [o], z;", "st.global.f32 [o], z; st.global.f32 [o + 4], x;"
TWO, HALF = "0f40000000", "0f3F000000"

# fmt: off
PROGRAMS = [
    # what ptxas is given                                                  what it makes of it
    (f"mul.f32 x, a, b; mul.f32 z, x, {TWO};",                             ["mul.f32 z a b 40000000"]),
    (f"mul.f32 x, a, b; mul.f32 z, {HALF}, x;",                            ["mul.f32 z a b 3F000000"]),
    ("mul.f32 x, a, b; mul.f32 z, x, 0f3E000000;",                         ["mul.f32 z a b 3E000000"]),
    (f"mul.f32 x, a, 0f40400000; mul.f32 z, x, {TWO};",                    ["mul.f32 z a 40400000 40000000"]),
    (f"mul.f32 x, a, b; mov.f32 y, x; mul.f32 z, y, {TWO};",               ["mul.f32 z a b 40000000"]),
    ("mul.f32 x, a, b; neg.f32 y, x; mul.f32 z, y, 0fC0000000;",           ["mul.f32 z a b 40000000"]),
    ("mul.f32 x, a, b; mul.f32 y, x, 0fBF800000; mul.f32 z, y, 0fC0000000;", ["mul.f32 z a b 40000000"]),
    (f"mul.f32 x, a, b; mul.sat.f32 z, x, {TWO};",                         ["mul.sat.f32 z a b 40000000"]),
    (f"mul.ftz.f32 x, a, b; mul.f32 z, x, {TWO};",                         ["mul.f32 z a b 40000000"]),
    (f"mul.f32 x, a, b; mul.ftz.f32 z, x, {TWO};",                         ["mul.ftz.f32 z a b 40000000"]),
    (f"mul.f32 x, a, b; mul.rn.f32 z, x, {TWO};",                          ["mul.f32 z a b 40000000"]),
    (f"mul.f32 x, a, b; membar.gl; mul.f32 z, x, {TWO};",                  ["mul.f32 z a b 40000000"]),
    (f"mov.f32 z, e; mul.f32 x, a, b; @p mul.f32 z, x, {TWO};",            ["mov.f32 z e", "mul.f32 z a b 40000000"]),
    (f"mul.f32 x, a, b; div.full.f32 z, x, {TWO};",                        ["mul.f32 z a b 3F000000"]),
    (f"mul.f32 x, a, b; mul.f32 y, x, {TWO}; mul.f32 z, y, {HALF};",
     ["mul.f32 y a b 40000000", "mul.f32 z y 3F000000"]),
    (f"mul.f32 x, a, b; mul.f32 y, x, c; mul.f32 z, y, {HALF};",           ["mul.f32 x a b", "mul.f32 z x c 3F000000"]),
    (f"mul.f32 x, a, b; mul.f32 y, x, {TWO}; add.f32 z, y, c;",  ["mul.f32 x a b", "fma.rn.f32 z x 40000000 c"]),
    # registers that are written again before
    (f"mul.f32 x, a, b; mov.f32 a, e; mul.f32 z, x, {TWO}; add.rn.f32 z, z, a;",
     ["mov.b32 T a", "mov.f32 a e", "mul.f32 z T b 40000000", "add.rn.f32 z z a"]),
    # left alone
    ("mul.f32 x, a, b; mul.f32 z, x, 0f41800000;",                         None),
    ("mul.f32 x, a, b; mul.f32 z, x, 0fC0000000;",                         None),
    (f"mul.rn.f32 x, a, b; mul.f32 z, x, {TWO};",                          None),
    (f"mul.sat.f32 x, a, b; mul.f32 z, x, {TWO};",                         None),
    (f"mul.f32 x, a, b; mul.rz.f32 z, x, {TWO};",                          None),
    (f"mul.f32 x, a, b; neg.f32 y, x; mul.f32 z, y, {TWO};",               None),
    (f"mul.f32 x, a, {TWO}; mul.f32 z, x, b;",                             None),
    (f"add.f32 x, a, b; mul.f32 z, x, {TWO};",                             None),
    (f"mov.f32 x, e; @p mul.f32 x, a, b; mul.f32 z, x, {TWO};",            None),
]
# fmt: on


@pytest.mark.parametrize(("body", "expected"), PROGRAMS)
def test_scaled_products(body: str, expected: list[str] | None) -> None:
    assert rewritten(body + Z) == (rewritten(body + Z, "off") if expected is None else expected)


def test_what_others_need_is_not_scaled() -> None:
    body = f"mul.f32 x, a, b; mul.f32 z, x, {TWO};"
    assert rewritten(body + ZX) == rewritten(body + ZX, "off")


# fmt: off
RESULTS = [
    # a              b              factor  .ftz    result
    (1.5,            3.0,           TWO,    "",     9.0),
    (2.0**100,       2.0**28,       HALF,   "",     2.0**127),   # the product alone is infinite
    (2.0**100,       2.0**28,       TWO,    "",     np.inf),
    (2.0**-100,      2.0**-49,      TWO,    "",     2.0**-148),  # the product alone is subnormal
    (2.0**-100,      1.5 * 2**-50,  "0f41000000", "", 1.5 * 2**-147),  # and alone it is rounded to 2^-149
    (2.0**-100,      2.0**-27,      TWO,    ".ftz", 2.0**-126),  # the product alone is flushed
    (2.0**-100,      2.0**-28,      TWO,    ".ftz", 0.0),
    (2.0**-130,      2.0**120,      TWO,    ".ftz", 0.0),        # a factor is flushed
    (-2.0**-100,     2.0**-28,      TWO,    ".ftz", -0.0),
    (np.inf,         2.0,           HALF,   "",     np.inf),
    (np.nan,         2.0,           HALF,   "",     np.nan),
    (np.inf,         0.0,           HALF,   "",     np.nan),
]
# fmt: on


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize(("a", "b", "factor", "ftz", "expected"), RESULTS)
def test_rounded_once(a: float, b: float, factor: str, ftz: str, expected: float, engine: str) -> None:
    given, found = np.array([a, b, 0, 0], np.float32), np.zeros(1, np.float32)
    text = kernel(f"mul{ftz}.f32 x, a, b; mul{ftz}.f32 z, x, {factor};" + Z)
    openptx.load(text)["k"](1, 1, (given, found, 0), engine=engine)
    wanted = np.array([expected], np.float32).view(np.uint32)[0] if expected == expected else 0x7FFFFFFF
    assert found.view(np.uint32)[0] == wanted


def test_normal_results_are_those_of_two_products() -> None:
    random = np.random.default_rng(0)
    text = kernel(f"mul.f32 x, a, b; mul.f32 z, x, {HALF};" + Z)
    once, twice = openptx.load(text)["k"], openptx.load(text, contract="off")["k"]
    for _ in range(50):
        given = random.standard_normal(4).astype(np.float32)
        found = [np.zeros(1, np.float32) for _ in range(2)]
        once(1, 1, (given, found[0], 0), engine="interp")
        twice(1, 1, (given, found[1], 0), engine="interp")
        assert found[0] == found[1]
