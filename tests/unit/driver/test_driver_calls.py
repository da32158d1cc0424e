"""The entry points of libcuda.so.1, called through ctypes in a process of their own; skipped without a C compiler."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from openptx.driver.build import compiler

pytestmark = pytest.mark.skipif(
    compiler() is None or sys.platform != "linux", reason="there is no C compiler, or no Linux"
)
PROGRAM = Path(__file__).with_name("driver_program.py")


def test_a_program_runs_and_its_context_stays_broken_after_a_fault() -> None:
    command = [sys.executable, "-m", "openptx", "exec", "--device", "sm_80", "--", sys.executable, str(PROGRAM)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PTX9001" in done.stderr
    assert done.stdout.splitlines()[-1] == "released 0 0 0 others 4"


def test_the_exit_status_is_the_commands() -> None:
    command = [sys.executable, "-m", "openptx", "exec", "--", "sh", "-c", "exit 7"]
    assert subprocess.run(command, timeout=120).returncode == 7
