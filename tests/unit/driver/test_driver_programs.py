"""Programs that call libcuda.so.1 and check what it does, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from openptx.driver.build import compiler

pytestmark = pytest.mark.skipif(
    compiler() is None or sys.platform != "linux", reason="there is no C compiler, or no Linux"
)
OTHERS = ("driver_calls", "sanitized_program")
"""What the programs share, and what test_exec_sanitize.py runs."""
PROGRAMS = sorted(path for path in (Path(__file__).parent / "programs").glob("*.py") if path.stem not in OTHERS)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_driver_program(program: Path) -> None:
    command = [sys.executable, "-m", "openptx", "exec", "--device", "sm_90", "--", sys.executable, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
