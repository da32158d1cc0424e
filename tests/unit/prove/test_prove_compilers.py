"""Kernels as nvcc makes them with and without optimisation.

tests/data/prove: nvcc 13 -arch=sm_80 -ptx -Xcicc -O0 (and -O3) elementwise.cu
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("z3", reason="proofs need z3-solver")

import openptx

DATA = Path(__file__).parents[2] / "data" / "prove"
NAMES = ("saxpy", "clampi", "poly")


@pytest.mark.parametrize("name", NAMES)
def test_optimised_code_is_equal(name: str) -> None:
    a, b = (openptx.load(DATA / f"elementwise_O{level}.ptx")[name] for level in (0, 3))
    found = openptx.prove(a, b)
    assert found.verdict == "equal", str(found)
