"""Random kernels whose threads wait for each other end on the native engine, with the reference engine's result."""

from __future__ import annotations

import numpy as np
import pytest
from waiting_kernels import RESULT, Writer

import openptx


def one(seed: int) -> None:
    made = Writer(seed).kernel()
    kernel, found = openptx.load(made.text)["k"], list[int]()
    for engine, workers in (("interp", None), ("native", 1), ("native", 2)):
        x = np.zeros(8, np.uint32)
        kernel(made.blocks, made.threads, (x,), engine=engine, workers=workers, timeout=60)
        found.append(int(x[RESULT // 4]))
    assert len({*found}) == 1, f"seed {seed}, {made.blocks} blocks of {made.threads} threads: {found}\n{made.text}"


@pytest.mark.parametrize("seed", range(12))
def test_they_end_alike(seed: int) -> None:
    one(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(40))
def test_many_end_alike(part: int) -> None:
    for seed in range(1000 + 10 * part, 1010 + 10 * part):
        one(seed)
