"""Random programs: the same bits on the native engine, with and without lane shapes, and on the interpreter.

The ten thousand of the sweep are those of `tests/properties`, which try more.
"""

from __future__ import annotations

import sys
from unittest.mock import patch

import numpy as np
import pytest
from random_programs import program

import openptx
from openptx.engines.interp.batch import Batch
from openptx.engines.native import settings

SIZES = (32, 64, 96, 40, 7)


def outputs(seed: int) -> dict[str, bytes]:
    """The output buffer of each way to run a program, or the fault's code. All of them end, so nobody loses state:
    after how many atomics of others a group of lanes gets a turn is not the same on both engines."""
    source = program(seed)
    block, grid = SIZES[seed % len(SIZES)], 1 + seed % 3
    inputs = np.random.default_rng(seed).integers(0, 1 << 32, 512, np.uint32)
    inputs[:128] %= np.uint32(1 << 1 + seed % 31)
    found: dict[str, bytes] = {}
    for name in ("interp", "native", "gathers"):
        module = openptx.load(source)
        out = np.zeros((block * grid, 64), np.uint8)
        kernel, engine = module["k"], "interp" if name == "interp" else "native"
        with (
            settings.cache_at(None),
            settings.lane_facts(name != "gathers"),
            patch.object(Batch, "starvation_limit", sys.maxsize),
        ):
            try:
                kernel(grid, block, (inputs.copy(), out, 512), engine=engine, workers=1, timeout=20)
            except openptx.Fault as fault:
                found[name] = fault.code.encode()
                continue
        found[name] = out.tobytes()
    return found


def agree(seed: int) -> None:
    found = outputs(seed)
    assert found["native"] == found["interp"], f"seed {seed}: native differs from interp"
    assert found["gathers"] == found["interp"], f"seed {seed}: without lane shapes native differs from interp"


@pytest.mark.parametrize("seed", range(8))
def test_random_programs_agree(seed: int) -> None:
    agree(seed)
