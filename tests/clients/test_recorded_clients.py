"""`openptx record` of real programs, with our own driver as the recorded one: replays give the same bytes."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
import test_cuda_programs as cuda

from openptx.driver.build import DRIVER, library_folder
from openptx.recording import replay

pytestmark = [pytest.mark.sweep, *cuda.pytestmark]
NUMBA = """
import numpy as np
from numba import cuda

@cuda.jit
def axpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]

x, y = np.arange(1000, dtype=np.float32), cuda.to_device(np.ones(1000, np.float32))
for _ in range(5):
    axpy[4, 256](np.float32(2), x, y)
assert (y.copy_to_host() == 10 * x + 1).all()
"""
EXACT = (
    "async_copies",
    "atomics",
    "device_heap",
    "dynamic_shared",
    "half_precision",
    "pitched",
    "separate_compilation",
)
"""Programs without pairs of integers that look like our addresses."""


def record(folder: Path, *command: str, device: str = "sm_90") -> subprocess.CompletedProcess[str]:
    driver = str(library_folder() / DRIVER.soname)
    given = [sys.executable, "-m", "openptx", "record", "--driver", driver, "-o", str(folder), "--", *command]
    environment = {**os.environ, "OPENPTX_DEVICE": device}
    return subprocess.run(given, capture_output=True, text=True, timeout=300, env=environment)


def statuses(folder: Path) -> set[str]:
    return {replay(file).status for file in folder.glob("*.launch")}


@pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed: make clients")
def test_numba(tmp_path: Path) -> None:
    done = record(tmp_path, sys.executable, "-W", "ignore", "-c", NUMBA)
    assert done.returncode == 0, done.stderr
    assert "3 launches of 1 kernels" in done.stderr
    assert statuses(tmp_path) == {"equal"}


@pytest.mark.parametrize("name", EXACT)
def test_programs_on_the_cuda_runtime(name: str, tmp_path: Path) -> None:
    source = cuda.PROGRAMS / f"{name}.cu"
    options = [one for line in cuda.lines_of(source, "// nvcc: ") for one in line.split()]
    program = cuda.compile_program(source, tmp_path, "sm_80", "-cudart", "shared", *options)
    done = record(tmp_path / "out", str(program), device="sm_80")
    assert (done.stdout.splitlines(), done.returncode) == (cuda.lines_of(source, "// > "), 0), done.stderr
    assert statuses(tmp_path / "out") == {"equal"}
