"""Loops whose number of rounds is not known are unrolled by four before products are chosen, as ptxas unrolls them.

It is asked by `tests/oracles/test_ptxas_unrolled_loops.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
from straight_line import kernel, rewritten
from unrolled_programs import BY_FOUR, MORE, ROLLED

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
