"""Programs that call libcuda.so.1 and check its results, in a separate process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from openptx.driver.build import compiler

pytestmark = pytest.mark.skipif(
    compiler() is None or sys.platform != "linux", reason="there is no C compiler, or no Linux"
)
FOLDER = Path(__file__).parent / "programs"


def test_driver_programs() -> None:
    command = [sys.executable, "-m", "openptx", "exec", "--device", "sm_90", "--", sys.executable]
    done = subprocess.run([*command, str(FOLDER / "run_all.py")], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 of 0" not in done.stdout


def test_an_interrupt_reaches_the_program() -> None:
    program = FOLDER / "interrupted_program.py"
    command = [sys.executable, "-m", "openptx", "exec", "--device", "sm_90", "--", sys.executable, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "endless: interrupted\nwaits: interrupted\n"


def test_an_interrupt_as_a_call_is_entered_reaches_the_program() -> None:
    program = FOLDER / "interrupted_entry_program.py"
    command = [sys.executable, "-m", "openptx", "exec", "--device", "sm_90", "--", sys.executable, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "holding the lock: 999, 0\n" * 2 + "without the lock: 999, 0\n" * 2
