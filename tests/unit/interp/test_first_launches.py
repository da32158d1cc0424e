"""What a first launch on the reference engine does not wait for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

KERNELS = Path(__file__).parents[2] / "kernels"

LAUNCH = """
import sys
from pathlib import Path
import openptx
from openptx.testing.case import argument, read_case
folder = Path(sys.argv[1])
case = read_case(folder)
kernel = openptx.load(folder / "kernel.ptx")[case.kernel]
kernel(case.grid, case.block, [argument(case, each) for each in case.params], engine="interp")
import openptx.engines.auto.launch
unused = {"numpy.ma", "html", "decimal", "subprocess", "ctypes.util", "openptx.isa.instructions.video"}
print(*sorted(unused & sys.modules.keys()))
"""


@pytest.mark.parametrize(
    "kernel",
    ["generic_pointers_sm80", "llvm_branch_table_sm90a", "globals_sm90a", "chained_scan_sm90a", "pendulum_sm80"],
)
def test_what_a_launch_does_not_need_is_not_imported(kernel: str) -> None:
    """Several functions of NumPy import masked arrays when they are first called, which takes longer than these
    launches; others take 3 to 12 ms together. All instructions of the manual take as long as half of the rest: those
    that a kernel lacks are not imported to check it, nor where rewriting makes new ones."""
    command = [sys.executable, "-c", LAUNCH, str(KERNELS / kernel)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert said.stdout == "\n"
