"""Kernels from compilers, on the interpreter."""

from pathlib import Path

import pytest

from openptx.testing.case import read_case, run_case

ROOT = Path(__file__).parents[3]
OURS = sorted(p.parent for p in (ROOT / "tests" / "kernels").glob("*/case.json"))
REFERENCE = sorted(p.parent for p in (ROOT / "tests" / "data" / "cases").glob("*/case.json"))


@pytest.mark.parametrize("folder", OURS, ids=lambda folder: folder.name)
def test_our_kernels(folder: Path) -> None:
    run_case(read_case(str(folder)), engine="interp")


@pytest.mark.parametrize("folder", REFERENCE, ids=lambda folder: folder.name)
def test_reference_cases(folder: Path) -> None:
    run_case(read_case(str(folder)), engine="interp")
