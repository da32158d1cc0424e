"""Loops with a known number of iterations are unrolled before contraction, as ptxas 13.0 unrolls them.

It is asked by `tests/oracles/test_ptxas_unrolled_loops.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
from straight_line import kernel, rewritten
from unrolled_programs import BODY, END, LEFT_ROLLED, UNROLLED

import openptx


def arithmetic(body: str) -> list[str]:
    """The names of the products and sums that are left."""
    return [
        name for line in rewritten(body) if (name := line.split(".")[0]) in ("fma", "mul", "add") and ".f32" in line
    ]


@pytest.mark.parametrize("name", UNROLLED)
def test_the_last_round_has_other_uses(name: str) -> None:
    """The product of each round goes into its sum, but for that of the last, which what follows the loop needs."""
    assert "fma" in arithmetic(UNROLLED[name])


def test_rounds() -> None:
    assert arithmetic(UNROLLED["three rounds"]) == ["fma", "fma", "mul", "add", "mul"]


@pytest.mark.parametrize("name", LEFT_ROLLED)
def test_left_rolled(name: str) -> None:
    assert arithmetic(LEFT_ROLLED[name]) == ["mul", "add", "mul"]


def test_left_rolled_by_the_header() -> None:
    text = kernel(UNROLLED["three rounds"]).replace("{\n.reg", '.pragma "nounroll"; {\n.reg', 1)
    code = openptx.load(text)["k"].function.code
    assert not any(op.text.startswith("fma") or op.rule.startswith("contracted") for op in code)


@pytest.mark.parametrize("place", ["before", "after"])
def test_left_rolled_by_the_module(place: str) -> None:
    """A pragma outside of functions holds for all of them, those before it too."""
    text = kernel(UNROLLED["three rounds"])
    pragma = '.pragma "nounroll";'
    text = text.replace(".visible", f"{pragma}\n.visible", 1) if place == "before" else f"{text}\n{pragma}"
    code = openptx.load(text)["k"].function.code
    assert not any(op.rule.startswith("contracted") for op in code)


def test_nothing_is_repeated_for_nothing() -> None:
    """A sum that takes its product in in every round stays one instruction."""
    body = f"mov.u32 r, 0; L: mul.f32 x, z, b; add.f32 z, x, c; add.u32 r, r, 1; setp.ne.u32 q, r, 9; @q bra L; {END}"
    assert arithmetic(body.replace("y;", "z;")) == ["fma"]


@pytest.mark.parametrize("name", {**UNROLLED, **LEFT_ROLLED})
def test_same_whole_numbers(name: str) -> None:
    """On numbers that nothing rounds, the loop gives what it gives without contraction."""
    text = kernel(({**UNROLLED, **LEFT_ROLLED})[name])
    given, found = np.array([1, 2, 3, 5, 7, 3, 13, 17], np.float32), list[list[float]]()
    for contract in ("ptxas", "off"):
        out = np.zeros(4, np.float32)
        openptx.load(text, contract=contract)["k"][1, 1](given, out, 1.0)
        found.append(out.tolist())
    assert found[0] == found[1]
    assert any(found[0])


def test_many_loops() -> None:
    """One pass finds all that do not lie in each other."""
    loops = "".join(
        f"mov.u32 r, 0; L{n}: {BODY} add.u32 r, r, 1; setp.lt.u32 q, r, 3; @q bra L{n}; st.global.f32 [o], y;"
        for n in range(200)
    )
    assert arithmetic("mov.f32 z, a;" + loops).count("fma") == 400
