"""Kernels as compilers make them: as many operations of each kind are fused as we fuse."""

from __future__ import annotations

from pathlib import Path

import pytest
from explicit_rounding import contracted, fused_operations
from machine_code import MISSING, available, machine_code

pytestmark = [pytest.mark.skipif(not available(), reason=MISSING), pytest.mark.sweep]

TESTS = Path(__file__).parents[1]
FILES = sorted(
    file
    for file in (*TESTS.glob("kernels/*/kernel.ptx"), *TESTS.glob("data/prove/triton_sm_90.ptx"))
    if "debug" not in str(file) and ".target sm_90" in file.read_text("utf-8")
)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_same_fused_operations(file: Path, tmp_path: Path) -> None:
    text = file.read_text("utf-8")
    try:
        explicit, _ = contracted(text)
    except ValueError as error:
        pytest.skip(str(error))
    theirs, ours = (machine_code(tmp_path, each, "sm_90a") for each in (text, explicit))
    assert {name: fused_operations(code) for name, code in theirs.items()} == {
        name: fused_operations(code) for name, code in ours.items()
    }
