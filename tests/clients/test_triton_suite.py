"""Triton's tutorials and a sample of its test_core, from the checkout in OPENPTX_TRITON: wheels have no tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from suites import run_pytest
from tally import NOT_REACHED, Suite

pytest.importorskip("triton", reason="Triton is not installed: make clients")
pytest.importorskip("torch", reason="torch is not installed: make clients")
CHECKOUT = Path(os.environ.get("OPENPTX_TRITON") or "build/clients/triton").resolve() / "python"
HERE = Path(__file__).parent
TARGETS = ["sm_90", "sm_80", "sm_100"]
TUTORIALS = ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11"]
EXPLAINED = {
    "test_atomic_poll": ("assert 2 == 1", "counts loads in the PTX of another version of Triton"),
    "test_cat[True-": ("Tensor-likes are not equal", "can_reorder=True lets this version of Triton reorder"),
    "test_reduce": ("CompilationError", "min with keep_dims and no axis is compiled by a newer version of Triton"),
    "test_scan2d[cumsum-bfloat16-": (
        "Not equal to tolerance rtol=0.01",
        "this version of Triton sums bf16 in bf16, the test is of one that sums it in f32",
    ),
    "test_pointer_arguments[cpu]": ("DID NOT RAISE", "tensors of the CPU are what kernels run on here"),
    "test_histogram": ("cuobjdump", "disassembles machine code, and there is none"),
    "test_atomic_rmw[add-bfloat16-": (
        "a load of 4 bytes outside of every allocation",
        "bf16 on sm_80 is a loop on words of 4 bytes, one of them half outside of the tensor",
    ),
}
"""By the beginning of a test's name: words of its failure, and why it fails."""


def reason(name: str, words: str) -> str | None:
    """Why a test fails in these words, where that is on record."""
    found = (why for start, (part, why) in EXPLAINED.items() if name.startswith(start) and part in words)
    return next(found, None)


pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(not CHECKOUT.is_dir(), reason="OPENPTX_TRITON names no checkout of Triton"),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("number", TUTORIALS)
def test_tutorials(
    number: str, target: str, tmp_path: Path, tally: Callable[[str], Suite], bound: Callable[[float], float]
) -> None:
    for package in ("tabulate", "matplotlib", "pandas"):
        pytest.importorskip(package, reason=f"{package} is not installed, which tutorials import: make clients")
    suite = tally(f"Triton's tutorials, {target}")
    (script,) = (CHECKOUT / "tutorials").glob(f"{number}-*.py")
    command = [sys.executable, str(HERE / "run_tutorial.py"), target, str(script)]
    limit = bound(1800)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, cwd=tmp_path)
    except subprocess.TimeoutExpired:
        suite.count(script.stem, NOT_REACHED, f"did not end in {limit:.0f} s")
        pytest.skip(f"did not end in {limit:.0f} s")
    suite.count(script.stem, "failed" if done.returncode else "passed", done.stderr[-200:])
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("target", TARGETS)
def test_a_sample_of_its_core(
    target: str,
    tmp_path: Path,
    tally: Callable[[str], Suite],
    bound: Callable[[float], float],
    say: Callable[[str], None],
) -> None:
    suite = tally(f"Triton's test_core, {target}")
    options = ["-p", "openptx.torch.plugin", "--torch-target", target, "--torch-timeout", "120"]
    options += ["--sample", "500", "--sample-seed", "25", "-c", str(CHECKOUT.parent / "pytest.ini")]
    # Otherwise the package in the checkout, which is not built, hides the one that is installed.
    options += ["--import-mode=importlib"]
    test = CHECKOUT / "test" / "unit" / "language" / "test_core.py"
    found, printed = run_pytest([*options, str(test)], folder=tmp_path, limit=bound(3600), say=say)
    for name, (outcome, why) in found.items():
        suite.count(name, outcome, why, reason(name, why))
    assert len(found) == 500, printed[-4000:]
    assert suite.failed == {}
