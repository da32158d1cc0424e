"""The random functions are deterministic: optimised or not, the same bits; the assembler accepts their PTX."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from llvm_functions import Function, difference


@pytest.mark.parametrize("seed", range(12))
def test_optimisation_changes_no_bit(seed: int) -> None:
    function = Function(seed)
    inputs = function.inputs()
    np.testing.assert_array_equal(function.host(inputs, optimise=True), function.host(inputs))


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_optimisation_changes_no_bit_in_many(seed: int) -> None:
    function = Function(seed, steps=50)
    inputs = function.inputs()
    np.testing.assert_array_equal(function.host(inputs, optimise=True), function.host(inputs))


def test_a_seed_is_a_function() -> None:
    assert Function(5).ptx() == Function(5).ptx() != Function(6).ptx()
    assert all(
        (a == b).all() or np.isnan(a).any() for a, b in zip(Function(5).inputs(), Function(5).inputs(), strict=True)
    )


def test_a_difference_is_traced_to_its_instruction() -> None:
    """A machine that gets the third value wrong is told so; one that does as the host is not bothered."""
    function = Function(7)
    wrong = function.watching(3)

    def faithful(text: str, inputs: list[np.ndarray], out: np.ndarray) -> None:
        made = [function, *(function.watching(i) for i in range(len(function.values)))]
        out[:] = next(f for f in made if f.ptx() == text).host(inputs)

    def faulty(text: str, inputs: list[np.ndarray], out: np.ndarray) -> None:
        faithful(text, inputs, out)
        if text in (function.ptx(), wrong.ptx()):
            out[5] ^= 1

    assert difference(function, faithful) == ""
    report = difference(function, faulty)
    assert "value 3:" in report
    assert function.values[3] in report
    assert "element 5" in report


@pytest.mark.parametrize("seed", range(4))
def test_ptxas_takes_the_ptx(seed: int, tmp_path: Path) -> None:
    packaged = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13" / "bin" / "ptxas"
    ptxas = packaged if packaged.exists() else shutil.which("ptxas")
    if ptxas is None:
        pytest.skip("ptxas is not installed (pip install nvidia-cuda-nvcc)")
    for optimise in (False, True):
        file = tmp_path / f"{optimise}.ptx"
        file.write_text(Function(seed).ptx(optimise=optimise))
        run = subprocess.run(
            [ptxas, "-arch=compute_80", file, "-o", tmp_path / "out"], capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stdout + run.stderr
