"""The recorder's kernels assemble, and their operands and definitions fit."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "tools"))

import record_hardware as recorder

from hardware import driver, opcodes, tensor_cores

FORMS = list(recorder.forms())
TARGETS = defaultdict(list)
for _form in FORMS:
    TARGETS[_form.target].append(_form)


def assembler() -> str:
    spec = importlib.util.find_spec("nvidia")
    places = [Path(p) for p in (spec.submodule_search_locations or [])] if spec else []
    found = [p for place in places for p in place.glob("*/bin/ptxas")]
    if not found:
        pytest.skip("there is no ptxas: pip install nvidia-cuda-nvcc")
    return str(found[0])


@pytest.mark.parametrize("target", TARGETS)
def test_kernels_assemble(target: str, tmp_path: Path) -> None:
    assembles(recorder.module(TARGETS[target], target), target, tmp_path)


def test_forms() -> None:
    assert len({form.name for form in FORMS}) == len(FORMS) > 250


def test_operands_and_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "COUNT", 64)
    for form in FORMS:
        for arrays in recorder.operands(form):
            some = [a[: 1 << 10] for a in arrays]
            assert len({a.size for a in some}) == 1, form.opcode
            d = recorder.defined(form, some)
            assert d.dtype == np.dtype(f"u{recorder.width(form.result) // 8}"), form.opcode
            assert d.shape == some[0].shape, form.opcode


def test_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr(driver.ctypes, "CDLL", missing)
    with pytest.raises(SystemExit, match="no NVIDIA driver"):
        driver.Driver()


def assembles(text: str, target: str, folder: Path) -> None:
    source = folder / "k.ptx"
    source.write_text(text)
    command = [assembler(), f"-arch={target}", "-O0", str(source), "-o", str(folder / "k.cubin")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert not done.returncode, done.stdout + done.stderr


def test_products_assemble(tmp_path: Path) -> None:
    for form in tensor_cores.forms()[::5]:
        assembles(tensor_cores.text(form), "sm_90a", tmp_path)


def test_statements_assemble(tmp_path: Path) -> None:
    for numbers in opcodes.forms()[::6]:
        for statement in list(opcodes.of_numbers(*numbers))[:2]:
            assembles(opcodes.kernel(statement), "sm_90a", tmp_path)
