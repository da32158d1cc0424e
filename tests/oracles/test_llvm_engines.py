"""The same functions of LLVM IR, as x86 code and as PTX on our engines, give the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from llvm_functions import Function, difference

from openptx.engines.native import settings
from openptx.runtime import load

ENGINES = ("interp", "native")
BLOCK = 40
"""So that the last warp is not a whole one."""


def on(engine: str, text: str, inputs: list[np.ndarray], out: np.ndarray) -> None:
    with settings.cache_at(None):
        load(text)["k"](-(-len(out) // BLOCK), BLOCK, (*inputs, out, len(out)), engine=engine, timeout=60)


def assert_agrees(seed: int, engine: str, steps: int) -> None:
    found = difference(Function(seed, steps), lambda text, inputs, out: on(engine, text, inputs, out))
    assert found == "", found


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", range(10))
def test_functions_agree_with_x86(seed: int, engine: str) -> None:
    assert_agrees(seed, engine, 24)


@pytest.mark.sweep
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("part", range(20))
def test_many_functions_agree_with_x86(part: int, engine: str) -> None:
    for seed in range(2000 + part * 50, 2050 + part * 50):
        assert_agrees(seed, engine, 20 + seed % 30)
