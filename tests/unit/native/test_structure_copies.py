"""Structures that are passed to functions and returned, of any size and alignment, wherever they come to lie."""

from __future__ import annotations

import random

import numpy as np
import pytest

from openptx.engines.native import settings
from openptx.runtime import load

LANES = 32
Structure = tuple[int, int]  # alignment and size


def text(given: list[Structure], result: Structure) -> str:
    """Byte i of parameter j is lane * (j + 3) + i; the result is the sum of the parameters, each repeated."""
    formals = ", ".join(f".param .align {align} .b8 p{j}[{size}]" for j, (align, size) in enumerate(given))
    variables = [f".param .align {align} .b8 a{j}[{size}];" for j, (align, size) in enumerate(given)]
    stores = [
        f"mad.lo.u16 h, t, {j + 3}, {i}; st.param.b8 [a{j}+{i}], h;"
        for j, (_, size) in enumerate(given)
        for i in range(size)
    ]
    sums = [
        "mov.b16 h, 0; "
        + " ".join(f"ld.param.u8 g, [p{j}+{i % size}]; add.u16 h, h, g;" for j, (_, size) in enumerate(given))
        + f" st.param.b8 [o+{i}], h;"
        for i in range(result[1])
    ]
    loads = [f"ld.param.u8 h, [r+{i}]; st.global.u8 [out+{i}], h;" for i in range(result[1])]
    return "\n".join((
        ".version 8.0\n.target sm_80\n.address_size 64",
        f".func (.param .align {result[0]} .b8 o[{result[1]}]) f({formals}) {{ .reg .b16 g, h;", *sums, "ret; }",
        ".visible .entry k(.param .u64 to) { .reg .b64 out; .reg .b32 lane; .reg .b16 t, h;",
        *variables, f".param .align {result[0]} .b8 r[{result[1]}];",
        "ld.param.u64 out, [to]; mov.u32 lane, %tid.x; cvt.u16.u32 t, lane;",
        f"mad.wide.u32 out, lane, {result[1]}, out;",
        *stores, f"call (r), f, ({', '.join(f'a{j}' for j in range(len(given)))});", *loads, "ret; }",
    ))  # fmt: skip


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.sweep) for seed in range(1, 60))])
def test_structures(seed: int) -> None:
    dice = random.Random(seed)
    *given, result = [
        (dice.choice((1, 1, 2, 4, 8, 16)), dice.choice((1, 2, 4, 4, 8, 8, 8, 3, 12, 16, 17))) for _ in range(5)
    ]
    lane, i = np.arange(LANES)[:, None], np.arange(result[1])
    expected = sum((lane * (j + 3) + i % size) % 256 for j, (_, size) in enumerate(given)) % 256
    for engine in ("interp", "native"):
        out = np.zeros((LANES, result[1]), np.uint8)
        with settings.cache_at(None):
            load(text(given, result))["k"](1, LANES, (out,), engine=engine)
        assert np.array_equal(out, expected)
