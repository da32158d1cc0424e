"""Arithmetic that moves to later blocks before contraction: hand-made programs, as ptxas 13.0 compiles them."""

from __future__ import annotations

import numpy as np
import pytest
from straight_line import kernel, results, rewritten

import openptx

KEPT = {name: f"st.global.f32 [o + {16 + 4 * n}], {name};" for n, name in enumerate("abce")}
SPLITS = ["membar.gl;", "pmevent 1;", "@p st.global.f32 [o + 512], e;"]
PRODUCT, SUM, Z = "mul.f32 x, a, b;", "add.f32 z, x, c;", "st.global.f32 [o], z;"


def program(text: str, split: str) -> str:
    """Each `|` is the end of a block."""
    return text.replace("|", split)


# fmt: off
FUSED = [
    # the sum is needed two blocks later; a and b live there anyway, c moves with it
    f"{PRODUCT} | {SUM} | | {Z} {KEPT['a']} {KEPT['b']}",
    f"{PRODUCT} | {SUM} | | | {Z} {KEPT['a']} {KEPT['b']}",
    f"{PRODUCT} | | {SUM} | | {Z} {KEPT['a']} {KEPT['b']}",
    # what they need lives across some end of a block, not necessarily to there
    f"{PRODUCT} | {KEPT['a']} {KEPT['b']} {SUM} | | {Z}",
    # the product is copied: it is needed elsewhere too
    f"{PRODUCT} | st.global.f32 [o + 8], x; {SUM} | | {Z} {KEPT['a']} {KEPT['b']}",
    f"{PRODUCT} | {SUM} | | st.global.f32 [o + 8], x; {Z} {KEPT['a']} {KEPT['b']}",
    # a chain moves together
    f"{PRODUCT} | max.f32 y, x, c; | mul.f32 w, y, e; | add.f32 z, w, a; | | {Z} {' '.join(KEPT.values())}",
]
APART = [
    f"{PRODUCT} | {SUM} {Z} {KEPT['a']} {KEPT['b']} {KEPT['c']}",
    f"{PRODUCT} | {SUM} | {Z} {KEPT['a']} {KEPT['b']} {KEPT['c']}",          # to the next block nothing moves
    f"{PRODUCT} | | {SUM} | {Z} {KEPT['a']} {KEPT['b']} {KEPT['c']}",        # the product moves, the sum does not
    f"{PRODUCT} | {SUM} | | {Z} {KEPT['a']}",                                # b ends with the first block
    f"{PRODUCT} | {SUM} | | {Z} {KEPT['a']} {KEPT['b']} st.global.f32 [o + 8], x;",  # x lives there
    f"{PRODUCT} | {SUM} st.global.f32 [o + 8], z; | | {Z} {KEPT['a']} {KEPT['b']}",  # z is needed at once
    f"{PRODUCT} | {SUM} max.f32 y, x, b; | | st.global.f32 [o + 8], y; {Z} {KEPT['a']} {KEPT['b']}",  # one copy of x
]
# fmt: on


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("text", FUSED)
def test_moved_together(text: str, split: str) -> None:
    assert any(line.startswith("fma") for line in rewritten(program(text, split)))


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("text", APART)
def test_left_apart(text: str, split: str) -> None:
    text = program(text, split)
    assert rewritten(text) == rewritten(text, "off")


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("text", [*FUSED, *APART])
def test_results_stay(text: str, split: str) -> None:
    """Of whole numbers, which nothing rounds."""
    found = [np.zeros(256, np.float32) for _ in range(2)]
    for array, contract in zip(found, ("ptxas", "off"), strict=True):
        given = np.array([3, 2, 5, -4], np.float32)
        openptx.load(kernel(program(text, split)), contract=contract)["k"](1, 1, (given, array, 0), engine="interp")
    assert found[0].tolist() == found[1].tolist()


# what stands between the load and the product, and how often it may without a difference
FILLED = {
    "barrier": ("bar.sync 0;", 18),                                # 1 instruction each
    "store": ("st.global.f32 [o], e;", 9),                         # 2
    "store with an offset": ("st.global.f32 [o + 64], e;", 6),     # 3
}  # fmt: skip


@pytest.mark.parametrize("more", [False, True])
@pytest.mark.parametrize("filled", FILLED)
def test_what_is_loaded_long_before(filled: str, more: bool) -> None:
    """The factor lives in no other block: it lives on for the product where it was loaded long before."""
    text, count = FILLED[filled]
    body = f"ld.global.f32 u, [i + 64]; {text * (count + more)} mul.f32 x, u, 0f40400000; sub.f32 z, c, x;"
    body += f"membar.gl; max.f32 y, b, x; {KEPT['b']} st.global.f32 [o + 8], y;"
    body += "membar.gl; max.f32 w, z, c; st.global.f32 [o], w;"
    assert any(line.startswith("fma") for line in rewritten(body)) == more


def test_across_branches() -> None:
    """To the block that dominates where the sum is needed: to neither arm, past what follows them."""
    arms = "@p bra L; st.global.f32 [o + 8], e; bra M; L: st.global.f32 [o + 8], a; M:"
    kept = f"{KEPT['a']} {KEPT['b']} {KEPT['c']}"
    assert "add.f32 z x c" in rewritten(f"{PRODUCT} membar.gl; {SUM} {arms} {Z} {kept}")
    again = f"setp.gt.f32 q, c, e; {PRODUCT} {arms} {SUM} @q bra N; st.global.f32 [o + 4], e; N: membar.gl; {Z} {kept}"
    assert any(line.startswith("fma.rn.f32") and line.endswith(" a b c") for line in rewritten(again))


def test_not_into_a_loop() -> None:
    loop = f"mov.u32 r, 0; L: add.u32 r, r, 1; membar.gl; setp.lt.u32 q, r, 5; {KEPT['a']} @q bra L;"
    text = f"{PRODUCT} | {SUM} | {loop} {Z} {KEPT['b']}"
    assert rewritten(program(text, "membar.gl;")) == rewritten(program(text, "membar.gl;"), "off")


def test_not_into_another_loop() -> None:
    """It would be computed again and again there, from a factor that the loop changes."""
    first = f"mov.u32 r, 0; L: {PRODUCT} {SUM} membar.gl; add.u32 r, r, 1; setp.lt.u32 q, r, 2; @q bra L;"
    second = "mov.u32 r, 0; M: setp.ge.u32 q, r, 2; @q bra N; membar.gl; add.rn.f32 b, b, e; add.u32 r, r, 1; bra M; N:"
    body = f"{first} {second} st.global.f32 [o + 4], x; {Z} {KEPT['a']} {KEPT['b']} {KEPT['c']}"
    assert results(body, "ptxas", (3, 2, 5, -4)) == results(body, "off", (3, 2, 5, -4))


def test_a_negated_constant_is_another_value() -> None:
    first = f"mov.pred q, 1; setp.lt.and.f32 q1, b, a, q; {PRODUCT} membar.gl; {SUM} membar.gl;"
    second = "setp.lt.and.f32 q2, b, a, !q; selp.f32 v, a, b, q1; selp.f32 w, a, b, q2; membar.gl;"
    body = f"{first} {second} {Z} {' '.join(KEPT.values())} st.global.f32 [o + 40], v; st.global.f32 [o + 44], w;"
    of = {"given": (3, 2, 5, -4), "declarations": ".reg .pred q1, q2;"}
    assert any(line.startswith("fma") for line in rewritten(body, declarations=of["declarations"]))
    assert results(body, "ptxas", **of) == results(body, "off", **of)


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_a_register_that_nothing_writes(engine: str) -> None:
    """Nothing that reads one moves, but the kernel loads and runs."""
    body = f"mul.f32 x, u, a; @p bra L0; st.global.f32 [o + 4], e; L0: membar.gl; {SUM} @p bra L1; {Z} L1:"
    assert rewritten(body) == rewritten(body, "off")
    given, found = np.array([1.0, 2.0, 3.0, 4.0], np.float32), np.zeros(2, np.float32)
    openptx.load(kernel(body))["k"](1, 1, (given, found, 0), engine=engine)
    assert found[1] == 4.0


# Equal values, and branches that an earlier one decides.

ANOTHER = "@p bra L0; st.global.f32 [o + 8], e; L0:"


def test_equal_sums_are_merged() -> None:
    """The product is then used once."""
    text = f"{PRODUCT} {SUM} {ANOTHER} add.f32 y, x, c; st.global.f32 [o + 4], y; {Z}"
    assert rewritten(text) == ["fma.rn.f32 z a b c"]


def test_equal_sums_are_merged_in_either_order() -> None:
    text = f"{PRODUCT} {SUM} {ANOTHER} add.f32 y, c, x; st.global.f32 [o + 4], y; {Z}"
    assert rewritten(text) == ["fma.rn.f32 z a b c"]


@pytest.mark.parametrize("factors", ["a, b", "b, a"])
def test_equal_products_of_different_blocks_are_not_contracted(factors: str) -> None:
    text = f"{PRODUCT} {ANOTHER} mul.f32 y, {factors}; add.f32 z, x, y; {Z}"
    assert not any(line.startswith("fma") for line in rewritten(text))


@pytest.mark.parametrize("factors", ["a, b", "b, a"])
@pytest.mark.parametrize("opcode", ["add.f32", "mul.f32", "mul.rn.f32", "max.f32"])
def test_products_of_equal_factors_in_other_registers_are_contracted(opcode: str, factors: str) -> None:
    """That their factors are equal is found after contraction."""
    first, second = f"{opcode} u, a, b; mul.f32 x, u, e;", f"{opcode} v, {factors}; mul.f32 y, v, e;"
    found = rewritten(f"{first} {ANOTHER} {second} add.f32 z, x, y; {Z}")
    assert sum(line.startswith("fma") for line in found) == 1


def test_a_branch_with_the_same_guard_ends_a_block() -> None:
    text = f"@p bra L0; {PRODUCT} L0: @p bra L1; {SUM} {Z} L1:"
    assert "add.f32 z x c" in rewritten(text)


# What counts as a use of the product: `x` and the sum `z` that is stored at once stand in one block, after one that a,
# b, c and e live through; what is stored two blocks later has moved.

HOME = f"|{PRODUCT}{SUM}{Z}"
LATER = "| | st.global.f32 [o + 8], w;"
# fmt: off
USES = [
    ("max.f32 w, x, e;",                                             True),   # it moves with a copy of x
    ("max.f32 y, x, e; max.f32 w, y, c;",                            False),  # what y was is still there at first
    ("add.f32 y, x, e; max.f32 w, y, c;",                            True),   # a sum
    ("mul.f32 y, x, e; add.f32 w, y, c;",                            True),   # one fused operation by then
    ("mul.f32 y, x, e; add.f32 u, y, c; max.f32 w, u, a;",           False),
    ("abs.f32 y, x; max.f32 w, y, e;",                               True),   # signs are no instructions
    ("max.f32 y, x, e; abs.f32 w, y;",                               True),
    ("abs.f32 w, x;",                                                False),  # x itself lives on
    ("mov.f32 y, x; max.f32 w, y, e;",                               True),
    ("mul.f32 y, x, 0f3F800000; max.f32 w, y, e;",                   True),
    ("mul.f32 y, x, 0fBF800000; max.f32 w, y, e;",                   True),
    ("mul.f32 w, x, 0fBF800000;",                                    False),
]
# fmt: on


@pytest.mark.parametrize("split", SPLITS[:2])
@pytest.mark.parametrize(("body", "contracted"), USES, ids=[body for body, _ in USES])
def test_uses_of_a_copied_product(body: str, contracted: bool, split: str) -> None:
    found = rewritten(program(HOME + body + LATER, split))
    assert ("fma.rn.f32 z a b c" in found) is contracted
    assert ("add.f32 z x c" in found) is not contracted


def test_the_first_choice_is_made_before_copies_replace_uses() -> None:
    """`x` has a second use then, `y` has one."""
    text = f"| {PRODUCT} mul.f32 y, c, e; add.f32 z, x, y; {Z} max.f32 w, x, c; {LATER}"
    assert "fma.rn.f32 z c e x" in rewritten(program(text, "membar.gl;"))


@pytest.mark.parametrize("used_elsewhere", [0, 1])
@pytest.mark.parametrize("length", range(5, 9))
def test_no_more_than_ten_move(length: int, used_elsewhere: int) -> None:
    """The product, the sum and `length` others; what another block needs too counts twice."""
    names = [f"t{n}" for n in range(length - 1)]
    chain, last = "", "z"
    for n, name in enumerate([*names, "w"]):
        chain += f"max.f32 {name}, {last}, {'abce'[n % 4]};"
        last = name
    other = f"st.global.f32 [o + 4], {names[-1]};" if used_elsewhere else ""
    text = f"| {PRODUCT} | {SUM} {chain} | {other} | | st.global.f32 [o + 8], w;"
    found = rewritten(program(text, "membar.gl;"), declarations=f".reg .f32 {', '.join(names)};")
    assert any(line.startswith("fma") for line in found) is (length + 2 + used_elsewhere <= 10)


def test_what_lives_on_is_read_and_not_a_copy() -> None:
    """For `w` a copy of `x` moves to the second block; `y` moves there too, and reads `x`, which the last one needs."""
    text = """mul.f32 x, a, b; sub.f32 y, x, c; add.f32 w, e, x; @!p bra L1; st.global.f32 [o + 4], e;
    L1: fma.rn.f32 v, c, c, a; @p bra L3; sub.f32 z, v, y; mul.f32 u, w, z; st.global.f32 [o + 12], u;
    L3: mul.f32 t, b, x; fma.rn.f32 s, t, w, b; st.global.f32 [o + 24], s;"""
    found = rewritten(text, declarations=".reg .f32 t;")
    assert "fma.rn.f32 T a b e" in found
    assert "sub.f32 T x c" in found


@pytest.mark.parametrize("change", ["mov.f32", "neg.f32"])
def test_long_chains_of_copies(change: str) -> None:
    links = 1200  # more than Python calls nest
    chain = "\n".join(f"{change} %f{i + 1}, %f{i};" for i in range(links))
    text = f""".version 8.0
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 p) {{
    .reg .f32 %f<{links + 3}>; .reg .pred %q; .reg .b64 %d;
    ld.param.u64 %d, [p]; ld.global.f32 %f0, [%d]; setp.gt.f32 %q, %f0, 0f00000000;
    {chain}
    mul.f32 %f{links + 1}, %f{links}, %f{links}; @%q bra A; ret;
    A: add.f32 %f{links + 2}, %f{links + 1}, %f{links}; st.global.f32 [%d], %f{links + 2}; ret; }}"""
    numbers = np.array([3], np.float32)
    openptx.load(text)["k"](1, 1, (numbers,))
    assert numbers == [12]
