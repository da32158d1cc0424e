"""Random programs of products and sums, run on an H200: contracted as here, they give the same bits.

Of 3,200 programs (straight lines, branches, loops; f32 with and without `.ftz` and `.sat`, f64, f16, bf16) 21 differed;
those are here, and some of each kind that did not. Eleven have loops that ptxas unrolls, which is done here now.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import openptx

FOLDER = Path(__file__).parent / "sm_90-13.0-2026-11-26"
RECORDED = json.loads((FOLDER / "contraction.json").read_text())
PROGRAMS: dict[str, str] = RECORDED["programs"]
DIFFER: list[str] = RECORDED["differ"]
"""Programs whose contraction is not known; in nine of ten a branch has the guard of an earlier one, in a loop or not.

Whoever finds it takes them off the list."""
KINDS = sorted({name.split()[0] for name in PROGRAMS})


@pytest.fixture(scope="module")
def differs() -> Callable[[str, str], bool]:
    recorded: Any = np.load(FOLDER / "contraction.npz")

    def differs(name: str, engine: str) -> bool:
        given, expected = recorded[f"{name}_given"].copy(), recorded[f"{name}_results"]
        found = np.zeros_like(expected)
        threads = expected.size // (256 if name.startswith("f64") else 128)
        openptx.load(PROGRAMS[name])["k"](1, threads, (given, found), engine=engine)
        return not np.array_equal(found, expected)

    return differs


@pytest.mark.parametrize("kind", KINDS)
def test_programs_give_what_the_gpu_gave(kind: str, differs: Callable[[str, str], bool]) -> None:
    names = [name for name in PROGRAMS if name.split()[0] == kind]
    assert [name for name in names if differs(name, "interp")] == [name for name in names if name in DIFFER]


@pytest.mark.parametrize("kind", KINDS)
def test_machine_code_gives_it_too(kind: str, differs: Callable[[str, str], bool]) -> None:
    name = next(name for name in PROGRAMS if name.split()[0] == kind and name not in DIFFER)
    assert not differs(name, "native")
