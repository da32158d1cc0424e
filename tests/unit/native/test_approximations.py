"""Approximate functions as machine code have the bits of their definitions, at the edges of each way of computing them.

`bench/approximate.py` compares all operands, which takes minutes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lanes import different, samples, without

from openptx.numerics import FORMATS

F32 = FORMATS["f32"]
FUNCTIONS = ("ex2", "lg2", "rsqrt", "sin", "cos", "tanh", "rcp", "sqrt")

CLOSE = {
    "ex2": (0x3EAD0BC0, 0x3ED5CD22, 0xBDAD2C9A, 0x3F66F0A9),
    "lg2": (0x3F829600, 0x3F03F865, 0x3F7DA5C5, 0x3F7CD372),
    "rsqrt": (0x3F01F8B5, 0x3F8A5C86, 0x3FD2208F),
    "sin": (0x3FC0F405, 0x3F50CD91, 0xBF86B3D2, 0xBF69B541),
    "cos": (0xBDAC4FC0, 0x3F8626A5, 0xBCFCFBFF, 0x3EBCEAAF),
    "tanh": (0xBE9DFF3F, 0x3E95D2C3, 0x3E8D3E37, 0xBE9B6D43),
}
"""Operands for which the short polynomials alone give the neighbour: the definition has to be asked."""


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
    a = random.permutation(a)
    a[: 32 * len(CLOSE)] = 0x3F800000  # a warp each, of operands that take the quick way
    for i, codes in enumerate(CLOSE.values()):
        a[32 * i : 32 * i + len(codes)] = codes
    return a


@pytest.mark.parametrize("ftz", [False, True])
@pytest.mark.parametrize("op", FUNCTIONS)
def test_functions(op: str, ftz: bool) -> None:
    for cpu in (None, without("avx512")):
        assert different(lambda x, a: x.approx(op, F32, a, ftz), [operands()], [32], cpu) == 0, cpu
