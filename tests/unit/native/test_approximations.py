"""Approximate functions as machine code have the bits of their definitions; tables are in registers, or in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lanes import different, samples, without

from openptx.numerics import FORMATS

F32 = FORMATS["f32"]
FUNCTIONS = ("ex2", "lg2", "rsqrt", "sin", "cos", "tanh", "rcp", "sqrt")


def operands(n: int = 1 << 13) -> Any:
    """Codes of f32: what `samples` finds, neighbours of where a function is another, and moderate numbers."""
    random = np.random.default_rng(6)
    a = samples(random, 32, n, F32)
    places = np.array(
        [126, 127, 128, 149, 150, 0.0, 1 / 32, 3 / 32, 0.3125, 0.5, 1, 2, 9, 10, 65536, 2**-126], np.float32
    )
    near = places[random.integers(0, len(places), n // 4)].view(np.uint32) + random.integers(0, 5, n // 4) - 2
    a[: n // 4] = near.astype(np.uint32) ^ (random.integers(0, 2, n // 4) << 31).astype(np.uint32)
    a[n // 4 : n // 2] = random.normal(0, 30, n // 4).astype(np.float32).view(np.uint32)
    return random.permutation(a)


@pytest.mark.parametrize("ftz", [False, True])
@pytest.mark.parametrize("op", FUNCTIONS)
def test_functions(op: str, ftz: bool) -> None:
    for cpu in (None, without("avx512")):
        assert different(lambda x, a: x.approx(op, F32, a, ftz), [operands()], [32], cpu) == 0, cpu
