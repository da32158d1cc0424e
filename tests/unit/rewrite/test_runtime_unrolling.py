"""Loops with an unknown number of iterations are unrolled by four before contraction, as ptxas unrolls them.

It is asked by `tests/oracles/test_ptxas_unrolled_loops.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
from straight_line import kernel, rewritten
from unrolled_programs import BODY, BY_FOUR, END, MORE, ROLLED

import openptx

UNSIGNED = ("less, unsigned", "lower", "by three", "number first", "down, greater", "tested first", "a branch inside")


def names(body: str) -> list[str]:
    """The products and sums that are left."""
    found = (line.split(".")[0] for line in rewritten(body, declarations=MORE) if ".f32" in line)
    return [name for name in found if name in ("fma", "mul", "add")]


@pytest.mark.parametrize("name", BY_FOUR)
def test_all_rounds_but_the_last_of_four_and_of_two_are_contracted(name: str) -> None:
    assert names(BY_FOUR[name]).count("fma") == 4


@pytest.mark.parametrize("name", UNSIGNED)
def test_a_round_at_the_front_where_the_comparison_is_unsigned(name: str) -> None:
    rest = ["mul", "add", "mul"]
    assert names(BY_FOUR[name]) == [*rest, "fma", "fma", "fma", *rest, "fma", *rest, *rest]


@pytest.mark.parametrize(
    "name", ["less, signed", "at most", "not equal", "down to zero", "down by two", "first, signed"]
)
def test_none_where_it_is_signed(name: str) -> None:
    rest = ["mul", "add", "mul"]
    assert names(BY_FOUR[name]) == ["fma", "fma", "fma", *rest, "fma", *rest, *rest]


@pytest.mark.parametrize("name", ROLLED)
def test_left_rolled(name: str) -> None:
    assert "fma" not in names(ROLLED[name])


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("name", {**BY_FOUR, **ROLLED})
def test_same_whole_numbers(name: str, engine: str) -> None:
    """On numbers that nothing rounds, each number of rounds gives what it gives without contraction."""
    text = kernel(({**BY_FOUR, **ROLLED})[name], declarations=MORE)
    text = text.replace("[i + 16]", "[cn]").replace(
        "ld.param.u64 o, [po];",
        "ld.param.u64 o, [po]; .reg .b64 cn; .reg .b32 tid; mov.u32 tid, %tid.x; mad.wide.u32 cn, tid, 4, i; "
        "add.u64 cn, cn, 16; mad.wide.u32 o, tid, 16, o;",
    )
    least = 1 if name in ("not equal", "down to zero", "down, greater", "a variable step") else 0
    rounds = range(least, 4) if name == "in a loop" else range(least, 12)
    given = np.array([1, 2, 1, 0, *(0 for _ in rounds)], np.float32)
    given[4:] = np.array(list(rounds), np.uint32).view(np.float32)
    found = list[list[float]]()
    for contract in ("ptxas", "off"):
        out = np.zeros((len(rounds), 4), np.float32)
        openptx.load(text, contract=contract)["k"](1, len(rounds), (given, out, 1.0), engine=engine)
        found.append(out.tolist())
    assert found[0] == found[1]
    assert any(map(any, found[0]))


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize(("step", "contracted"), [(0x55555555, True), (0x55555556, False)])
def test_a_step_of_a_third_of_all_numbers(step: int, contracted: bool, engine: str) -> None:
    """If three steps do not fit the counter's 32 bits, the loop stays rolled."""
    body = f"mov.f32 z, a; mov.f32 y, e; mov.u32 r, 0; mov.b32 s, c; L: {BODY} add.u32 r, r, {step}; "
    body += f"setp.lt.u32 q, r, s; @q bra L; {END}"
    assert ("fma" in names(body)) is contracted
    given, out = np.array([1, 2, 2, 0], np.float32), np.zeros(2, np.float32)
    openptx.load(kernel(body))["k"](1, 1, (given, out, 1.0), engine=engine)
    assert given.view(np.uint32)[2] < step
    assert out.tolist() == [4, 8]  # one round
