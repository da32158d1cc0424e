"""Wrong handles, pointers and numbers at the entry points of libcuda.so.1 and of libcudart.so: errors, no crashes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from openptx.driver.build import compiler

pytestmark = pytest.mark.skipif(
    compiler() is None or sys.platform != "linux", reason="there is no C compiler, or no Linux"
)
HERE = Path(__file__).parent / "programs"


def run(program: str, folder: Path, *arguments: str) -> str:
    """What it prints; where it does not end well the last call is told."""
    last = folder / "last_call.txt"
    command = [sys.executable, "-m", "openptx", "exec", "--", sys.executable, str(HERE / program), *arguments]
    environment = {**os.environ, "OPENPTX_FUZZ_LAST": str(last)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    told = last.read_text().rstrip() if last.exists() else ""
    assert done.returncode == 0, f"{told}\n{done.stdout}\n{done.stderr[-3000:]}"
    return done.stdout


def test_wrong_calls_of_the_driver_return_errors(tmp_path: Path) -> None:
    assert "500 calls of" in run("fuzz_program.py", tmp_path, "1", "500")


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100, 110))
def test_many_wrong_calls_of_the_driver_return_errors(seed: int, tmp_path: Path) -> None:
    assert "4000 calls of" in run("fuzz_program.py", tmp_path, str(seed), "4000")


def test_null_pointers_of_the_runtime_return_errors(tmp_path: Path) -> None:
    assert run("null_runtime_program.py", tmp_path).splitlines()[-1] == "4 kinds of arguments"
