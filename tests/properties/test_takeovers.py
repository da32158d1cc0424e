"""The engine does not change results: random kernels, kernels with errors, and all of tests/kernels, taken over.

`tests/unit/tiers/test_takeover.py` has every question of chosen kernels.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from many_takeovers import case_problem, hostile_problem, kernel_problem
from test_hostile_kernels import SEEDS, one_of_each

from openptx.testing.discovery import find

TESTS = Path(__file__).parents[1]
CASES = [*find([str(TESTS / "kernels")]), *find([str(TESTS / "spec")]), *find([str(TESTS / "data" / "cases")])]


@pytest.mark.parametrize("part", range(4))
def test_random_kernels(part: int) -> None:
    for seed in range(20_001 + 2 * part, 20_002 + 2 * part):
        assert not kernel_problem(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(200))
def test_many_random_kernels(part: int) -> None:
    for seed in range(20_000 + 50 * part, 20_050 + 50 * part):
        assert not kernel_problem(seed)


@pytest.mark.parametrize("part", range(2))
def test_kernels_that_do_wrong(part: int) -> None:
    for seed in one_of_each()[part::8]:
        assert not hostile_problem(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(32))
def test_all_kernels_that_do_wrong(part: int) -> None:
    for seed in range(part, SEEDS, 32):
        assert not hostile_problem(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("path", CASES, ids=lambda path: Path(path).name)
def test_cases(path: str) -> None:
    problem = case_problem(path, random.Random(path))
    if problem.startswith("unsupported"):
        pytest.skip(problem)
    assert not problem
