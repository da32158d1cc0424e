"""cuda.core, NVIDIA's Python interface of the driver, on libcuda.so.1: the parts that numba-cuda does not use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("cuda.core", reason="cuda.core is not installed: make clients")
pytest.importorskip("nvidia.cu13", reason="NVIDIA's compiler is not installed: make clients")
PROGRAM = Path(__file__).with_name("cuda_core_program.py")


def test_graphs_textures_virtual_memory_and_pools() -> None:
    command = [sys.executable, "-m", "openptx", "exec", "--device", "sm_90", "--", sys.executable, str(PROGRAM)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) == 5
