"""Triton's tutorials and a sample of its test_core, of the checkout that OPENPTX_TRITON names: wheels have no tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton", reason="Triton is not installed: make clients")
pytest.importorskip("torch", reason="torch is not installed: make clients")
CHECKOUT = Path(os.environ.get("OPENPTX_TRITON", "none")) / "python"
HERE = Path(__file__).parent
TARGETS = ["sm_80", "sm_90", "sm_100"]
TUTORIALS = ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11"]
EXPLAINED = {
    "test_atomic_poll": "counts loads in the PTX of another version of Triton",
    "test_cat": "can_reorder=True lets this version of Triton reorder",
    "test_reduce": "min with keep_dims and no axis is compiled by a newer version of Triton",
    "test_histogram": "disassembles machine code, and there is none",
    "test_atomic_rmw": "bf16 on sm_80 is a loop on words of 4 bytes, one of them half outside of the tensor",
}
"""Tests that fail, and why."""

pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(not CHECKOUT.is_dir(), reason="OPENPTX_TRITON names no checkout of Triton"),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("number", TUTORIALS)
def test_tutorials(number: str, target: str, tmp_path: Path) -> None:
    for package in ("tabulate", "matplotlib", "pandas"):
        pytest.importorskip(package)
    (script,) = (CHECKOUT / "tutorials").glob(f"{number}-*.py")
    command = [sys.executable, str(HERE / "run_tutorial.py"), target, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("target", TARGETS)
def test_a_sample_of_its_core(target: str, tmp_path: Path) -> None:
    outcomes = tmp_path / "outcomes.json"
    options = ["-p", "openptx.torch.plugin", "-p", "sampled_tests", "--torch-target", target, "--torch-timeout", "120"]
    options += ["--sample", "500", "--sample-seed", "25", "--outcomes", str(outcomes), "-p", "no:cacheprovider"]
    test = CHECKOUT / "test" / "unit" / "language" / "test_core.py"
    configuration = ["-c", str(CHECKOUT.parent / "pytest.ini")]
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    command = [sys.executable, "-m", "pytest", "-q", *configuration, *options, str(test)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600, env=environment)
    found = json.loads(outcomes.read_text())
    assert len(found) == 500, done.stdout + done.stderr
    failed = {name.partition("::")[2]: why for name, (outcome, why) in found.items() if outcome == "failed"}
    assert {n: w for n, w in failed.items() if n.partition("[")[0] not in EXPLAINED} == {}
