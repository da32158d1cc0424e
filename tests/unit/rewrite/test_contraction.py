"""Which products are contracted into which sums: hand-made programs, as ptxas 13.0 compiles them for sm_90."""

from __future__ import annotations

import numpy as np
import pytest
from straight_line import kernel, rewritten

import openptx

Z, ZY = "st.global.f32 [o], z;", "st.global.f32 [o], z; st.global.f32 [o + 4], y;"

# fmt: off
PROGRAMS = [
    # what ptxas is given                                        what it makes of it
    ("mul.f32 x, a, b; add.f32 z, x, c;",                        ["fma.rn.f32 z a b c"]),
    ("mul.f32 x, a, b; add.f32 z, c, x;",                        ["fma.rn.f32 z a b c"]),
    ("mul.f32 x, a, b; mul.f32 y, c, e; add.f32 z, x, y;",       ["mul.f32 y c e", "fma.rn.f32 z a b y"]),
    ("mul.f32 x, a, b; mul.f32 y, c, e; add.f32 z, y, x;",       ["mul.f32 x a b", "fma.rn.f32 z c e x"]),
    ("mul.f32 x, a, b; sub.f32 z, c, x;",                        ["neg.f32 T a", "fma.rn.f32 z T b c"]),
    ("mul.f32 x, a, b; sub.f32 z, x, c;",                        ["neg.f32 T c", "fma.rn.f32 z a b T"]),
    ("mul.f32 x, a, 0f40400000; sub.f32 z, c, x;",               ["fma.rn.f32 z a C0400000 c"]),
    ("mul.f32 x, a, b; neg.f32 y, x; add.f32 z, y, c;",          ["neg.f32 T a", "fma.rn.f32 z T b c"]),
    ("mul.f32 x, a, b; mov.b32 r, x; mov.b32 y, r; add.f32 z, y, c;", ["fma.rn.f32 z a b c"]),
    ("mul.f32 x, a, b; mul.f32 y, x, 0fBF800000; add.f32 z, y, c;", ["neg.f32 T a", "fma.rn.f32 z T b c"]),
    ("mul.f32 x, a, b; add.sat.f32 z, x, c;",                    ["fma.rn.sat.f32 z a b c"]),
    ("mul.ftz.f32 x, a, b; add.ftz.f32 z, x, c;",                ["fma.rn.ftz.f32 z a b c"]),
    ("mul.f32 x, a, b; mov.f32 z, e; @p add.f32 z, x, c;",       ["mov.f32 z e", "fma.rn.f32 z a b c"]),
    # registers that are written again before the sum
    ("mul.f32 x, a, b; mov.f32 a, e; add.f32 z, x, a;",          ["mov.b32 T a", "mov.f32 a e", "fma.rn.f32 z T b a"]),
    ("mul.f32 a, a, b; add.f32 z, a, c;",                        ["mov.b32 T a", "fma.rn.f32 z T b c"]),
    # left alone
    ("mul.rn.f32 x, a, b; add.f32 z, x, c;",                     None),
    ("mul.f32 x, a, b; add.rn.f32 z, x, c;",                     None),
    ("mul.sat.f32 x, a, b; add.f32 z, x, c;",                    None),
    ("mul.f32 x, a, b; add.ftz.f32 z, x, c;",                    None),
    ("mul.ftz.f32 x, a, b; add.f32 z, x, c;",                    None),
    ("mul.f32 x, a, b; neg.ftz.f32 y, x; add.f32 z, y, c;",      None),
    ("mul.f32 x, a, b; abs.f32 y, x; add.f32 z, y, c;",          None),
    ("mul.f32 x, a, b; add.f32 z, x, x;",                        None),
    ("mul.f32 x, a, b; mul.f32 y, a, b; add.f32 z, x, y;",       None),
    ("mul.f32 x, a, b; mul.f32 y, b, a; add.f32 z, x, y;",       None),
    ("mov.f32 x, a; @p mul.f32 x, a, b; add.f32 z, x, c;",       None),
    ("mul.f32 x, a, b; add.f32 z, x, c; st.global.f32 [o + 4], x;", None),
    ("mul.f32 x, a, b; @p bra END; add.f32 z, x, c; END:",       None),
    ("mul.f32 x, a, b; @p st.global.f32 [o + 8], c; add.f32 z, x, c;", None),
    ("mul.f32 x, a, b; membar.gl; add.f32 z, x, c;",             None),
    ("mul.f32 x, a, b; div.rn.f32 y, c, e; add.f32 z, x, y;",    None),
    # the last product of an approximate division
    ("div.full.f32 x, a, b; add.f32 z, x, c;",                   ["div.full.f32 z a b c"]),
    ("div.approx.ftz.f32 x, a, b; sub.ftz.f32 z, c, x;",         ["neg.f32 T a", "div.approx.ftz.f32 z T b c"]),
    ("div.full.f32 x, a, 0f40400000; add.f32 z, x, c;",          ["fma.rn.f32 z a 3EAAAAAB c"]),
]
# fmt: on


@pytest.mark.parametrize(("body", "expected"), PROGRAMS, ids=[body for body, _ in PROGRAMS])
def test_one_sum(body: str, expected: list[str] | None) -> None:
    assert rewritten(body + Z) == (rewritten(body + Z, "off") if expected is None else expected)


# fmt: off
SHARED = [
    ("mul.f32 x, a, b; add.f32 z, x, c; add.f32 y, x, e;",       ["fma.rn.f32 z a b c", "fma.rn.f32 y a b e"]),
    ("mul.f32 x, a, b; mul.f32 w, c, e; add.f32 z, x, w; add.f32 y, x, e;",
     ["mul.f32 x a b", "fma.rn.f32 z c e x", "add.f32 y x e"]),
]
# fmt: on


@pytest.mark.parametrize(("body", "expected"), SHARED, ids=[body for body, _ in SHARED])
def test_shared_products(body: str, expected: list[str]) -> None:
    assert rewritten(body + ZY) == expected


SPLIT = "@p st.global.f32 [o + 512], a;"
# fmt: off
ACROSS = [
    # products with a constant or a parameter are contracted in other blocks too
    ("mul.f32 x, a, 0f40400000; {0} add.f32 z, x, c;",              ["fma.rn.f32 z a 40400000 c"]),
    ("ld.param.f32 w, [f]; mul.f32 x, a, w; {0} add.f32 z, x, c;",   ["fma.rn.f32 z a w c"]),
    ("ld.param.f32 w, [f]; neg.f32 v, w; mul.f32 x, a, v; {0} add.f32 z, x, c;", ["neg.f32 v w", "fma.rn.f32 z a v c"]),
    ("mul.f32 x, a, 0f40400000; neg.f32 y, x; {0} add.f32 z, c, y;", ["fma.rn.f32 z a C0400000 c"]),
    ("mul.f32 x, a, 0f40400000; add.f32 y, x, e; {0} add.f32 z, x, c; st.global.f32 [o + 4], y;",
     ["fma.rn.f32 y a 40400000 e", "fma.rn.f32 z a 40400000 c"]),
    ("mul.f32 x, a, 0f40400000; add.f32 y, x, e; {0} mul.f32 w, b, e; add.f32 z, x, w; st.global.f32 [o + 4], y;",
     ["mul.f32 x a 40400000", "add.f32 y x e", "fma.rn.f32 z b e x"]),
    ("mul.f32 x, a, 0f40400000; {0} mov.f32 a, e; add.f32 z, x, a;",
     ["mov.b32 T a", "mov.f32 a e", "fma.rn.f32 z T 40400000 a"]),
    ("mul.f32 x, a, b; {0} add.f32 z, x, c;",                       None),
    ("mul.f32 x, a, 0f40400000; {0} add.f32 z, x, c; st.global.f32 [o + 4], x;", None),
    ("mul.f32 x, a, 0f40400000; max.f32 y, x, e; {0} add.f32 z, x, c; st.global.f32 [o + 4], y;", None),
    ("mul.f32 x, a, 0f40400000; @q mov.f32 x, c; {0} add.f32 z, x, c;", None),
]
# fmt: on


@pytest.mark.parametrize("split", [SPLIT, "membar.gl;", "pmevent 1;"])
@pytest.mark.parametrize(("body", "expected"), ACROSS, ids=[body for body, _ in ACROSS])
def test_sums_in_other_blocks(body: str, expected: list[str] | None, split: str) -> None:
    text = f"setp.gt.f32 q, c, e; {body.format(split)}{Z}"
    assert rewritten(text) == (rewritten(text, "off") if expected is None else expected)


def test_a_product_for_a_loop() -> None:
    """The product stands before the loop, the sum in it; one that an earlier turn made is not contracted."""
    body = """mov.f32 z, c; mov.u32 r, 0; mul.f32 x, a, 0f40400000;
    LOOP: add.f32 z, x, z; bar.sync 0; add.u32 r, r, 1; setp.lt.u32 q, r, 5; @q bra LOOP;"""
    found, given = np.zeros(1, np.float32), np.array([1.5, 2, 7, 0], np.float32)
    assert "fma.rn.f32 z a 40400000 z" in rewritten(body + Z)
    for engine in ("interp", "native"):
        openptx.load(kernel(body + Z))["k"](1, 1, (given, found, 0), engine=engine)
        assert found[0] == 29.5
    late = """mov.f32 x, c; mov.u32 r, 0;
    LOOP: .pragma "nounroll"; add.f32 z, w, c;
    mul.f32 w, a, 0f40400000; add.u32 r, r, 1; setp.lt.u32 q, r, 5; @q bra LOOP;"""
    assert "add.f32 z w c" in rewritten(late + Z)


def test_dead_uses_do_not_count() -> None:
    body = "mul.f32 x, a, b; max.f32 u, x, c; mov.pred q, 0; add.f32 z, x, c; @q st.global.f32 [o + 8], x;"
    assert rewritten(body + Z) == ["fma.rn.f32 z a b c"]


@pytest.mark.parametrize("type", ["f16", "bf16", "f16x2", "bf16x2", "f64"])
def test_other_types(type: str) -> None:
    width = {"f64": 64, "f16": 16, "bf16": 16}.get(type, 32)
    body = f"ld.b{width} k, [i]; ld.b{width} l, [i + 8]; mul.{type} m, k, l; sub.{type} n, k, m; st.b{width} [o], n;"
    found = rewritten(body, declarations=f".reg .b{width} k, l, m, n;")
    negation = "sub.rn.bf16x2" if type == "bf16x2" else f"neg.{type}"
    assert [line.split()[0] for line in found] == [negation, f"fma.rn.{type}"]


@pytest.mark.parametrize("use", ["add.f32 u, r, c;", "mul.f32 u, r, 0fC0000000;"])
def test_a_negation_of_two_halves_is_none_of_the_product(use: str) -> None:
    assert "mul.f32 s a b" in rewritten(f"mul.f32 s, a, b; neg.f16x2 r, s; {use} st.global.f32 [o], u;")
    signs = "neg.f16x2 r, s; neg.f32 w, r; add.f32 u, w, c;"
    assert "mul.f32 s a b" in rewritten(f"mul.f32 s, a, b; {signs} st.global.f32 [o], u;")


def test_f32x2_has_no_negation() -> None:
    body = "ld.b64 k, [i]; ld.b64 l, [i + 8]; mul.f32x2 m, k, l; sub.f32x2 n, k, m; st.b64 [o], n;"
    found = rewritten(body, target="sm_100a", declarations=".reg .b64 k, l, m, n;")
    assert [line.split()[0] for line in found] == ["sub.rn.f32x2", "fma.rn.f32x2"]


# What it changes.

CLOSE = np.array([1 + 2.0**-12, 1 + 2.0**-12, -1 - 2.0**-11, 3], np.float32)  # the product has 2^-24 beyond an f32


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize(("options", "expected"), [({}, 2.0**-24), ({"contract": "off"}, 0), ({"profile": "isa"}, 0),
                                                   ({"profile": "isa", "contract": "ptxas"}, 2.0**-24)])  # fmt: skip
def test_results(engine: str, options: dict[str, str], expected: float) -> None:
    text, found = kernel("mul.f32 x, a, b; add.f32 z, x, c;" + Z), np.zeros(1, np.float32)
    openptx.load(text, **options)["k"](1, 1, (CLOSE, found, 0), engine=engine)
    assert found[0] == expected


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_quotient_and_sum(engine: str) -> None:
    """One rounding instead of two: 1 / 3 - 0.33333334, of the unit's reciprocal."""
    given = np.array([1, 3, np.float32(1 / 3), 0], np.float32)
    once, twice = np.zeros(1, np.float32), np.zeros(1, np.float32)
    text = kernel("div.full.f32 x, e, b; div.full.f32 x, a, b; sub.f32 z, x, c;" + Z)
    openptx.load(text)["k"](1, 1, (given, once, 0), engine=engine)
    openptx.load(text, contract="off")["k"](1, 1, (given, twice, 0), engine=engine)
    assert once[0] == twice[0] == 0  # the unit's reciprocal of 3 is the f32, and 1 times it is exact
    given = np.array([5, 3, np.float32(5 / 3), 0], np.float32)
    openptx.load(text)["k"](1, 1, (given, once, 0), engine=engine)
    assert once[0] == np.float32(5 * float(np.float32(1 / 3)) - float(np.float32(5 / 3))) != 0


def test_debug_modules_are_not_optimised() -> None:
    text = kernel("mul.f32 x, a, b; add.f32 z, x, c;" + Z, target="sm_90a, debug") + "\n.section .debug_str { .b8 0 }\n"
    function = openptx.load(text)["k"].function
    assert not any(op.rule for op in function.code)


def test_branches_and_labels_stay_right() -> None:
    """A loop whose body loses an instruction, and gains one."""
    body = """mov.f32 z, 0f00000000; mov.u32 r, 0;
    LOOP: mul.f32 x, a, b; mov.f32 u, a; mov.f32 a, c; add.f32 z, z, x; mov.f32 a, u;
    add.u32 r, r, 1; setp.lt.u32 q, r, 5; @q bra LOOP;"""
    found, given = np.zeros(1, np.float32), np.array([1.5, 2, 7, 0], np.float32)
    for engine in ("interp", "native"):
        openptx.load(kernel(body + Z))["k"](1, 1, (given, found, 0), engine=engine)
        assert found[0] == 15


def test_what_is_said_of_statements() -> None:
    """With several blocks it is less certain, also of a sum that is left alone."""
    text = kernel(f"mul.f32 x, a, b; {SPLIT} add.f32 z, x, c; mul.f32 y, c, e; add.f32 u, y, z; st.global.f32 [o], u;")
    found = {each.text: each for each in openptx.load(text)["k"].fidelity()}
    assert found["add.f32 z, x, c"].rule == "left open among blocks"
    assert found["add.f32 u, y, z"].rule == "contracted among blocks"
    assert "3,294 of 3,300" in found["add.f32 z, x, c"].fidelity.text
    assert found["ld.global.f32 a, [i + 0]"].fidelity.kind == "exact"
    assert {each.rule for each in openptx.load(text, contract="off")["k"].fidelity()} == {""}


def test_unknown_contraction() -> None:
    with pytest.raises(openptx.ArgumentError, match="no contraction `on`: choose ptxas or off"):
        openptx.load(kernel(Z), contract="on")
    with pytest.raises(openptx.ArgumentError, match="no contraction ``"):
        openptx.load(kernel(Z), contract="")
