"""tinygrad's own tests on OpenPTX's libcuda.so.1, from the checkout in OPENPTX_TINYGRAD: the wheel has none."""

from __future__ import annotations

import importlib.util
import os
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest
from suites import run_pytest
from tally import Suite

CHECKOUT = Path(os.environ.get("OPENPTX_TINYGRAD") or "build/clients/tinygrad").resolve()
PATH = os.pathsep.join(filter(None, (str(CHECKOUT), os.environ.get("PYTHONPATH", ""))))
TOOLKIT = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13"
DEVICES = {"NVRTC": "CUDA:CUDA", "PTX": "CUDA:PTX"}
"""How tinygrad's kernels become PTX, and what DEV is then: `CUDA` alone takes the second where the first fails."""
SAMPLES = {"test/test_tiny.py": 0, "test/backend/test_ops.py": int(os.environ.get("OPENPTX_TINYGRAD_SAMPLE", "0"))}
"""How many tests of each file run; 0 is all. test_ops has 427."""

APPROXIMATE = (
    "sin.approx.f32 of a million: its operand is rounded to 2^-6 of a turn, on an H100 as well; NVRTC's sinf reduces it"
)
EXPLAINED = {(f"TestOps::test_{name}", "PTX"): APPROXIMATE for name in ("sin", "cos", "tan")}
"""Tests that fail with a renderer, and why."""
NO_CLANG = "No such file or directory: 'clang'", "tinygrad compiles constants with clang, which is not installed"


def reason(name: str, how: str, words: str) -> str | None:
    """Why a test fails in these words, where that is on record."""
    part, why = NO_CLANG
    return EXPLAINED.get((name, how)) or (why if part in words else None)


pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(not (CHECKOUT / "test").is_dir(), reason="OPENPTX_TINYGRAD names no checkout of tinygrad"),
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed: make clients"),
]


@pytest.mark.parametrize("file", SAMPLES)
@pytest.mark.parametrize("how", DEVICES)
def test_all_pass(
    file: str,
    how: str,
    tmp_path: Path,
    tally: Callable[[str], Suite],
    bound: Callable[[float], float],
    say: Callable[[str], None],
) -> None:
    suite = tally(f"tinygrad {Path(file).stem}, {how}")
    environment = {"DEV": DEVICES[how], "CUDA_PATH": str(TOOLKIT), "PYTHONPATH": PATH}
    environment["XDG_CACHE_HOME"] = str(tmp_path)  # compiled kernels of another run would hide the compiler
    start = [sys.executable, "-m", "openptx", "exec", "--device", "sm_90", "--"]
    options = ["--sample", str(SAMPLES[file]), "--sample-seed", "25", str(CHECKOUT / file)]
    found, printed = run_pytest(
        options, folder=tmp_path, limit=bound(5400), say=say, start=start, environment=environment, cwd=CHECKOUT
    )
    for name, (outcome, why) in found.items():
        suite.count(name, outcome, why, reason(name, how, why))
    assert found, printed[-4000:]
    assert suite.failed == {}, printed[-4000:]
