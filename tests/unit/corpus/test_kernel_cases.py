"""The committed cases match their formulas, are complete, and have the names of the sources."""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
KERNELS = ROOT / "tests" / "kernels"
sys.path.insert(0, str(ROOT / "tools"))

from kernels.case import CASES, Case, Out, folder_name, three  # noqa: E402

import kernels  # noqa: E402

for _module in pkgutil.iter_modules(kernels.__path__, "kernels."):
    importlib.import_module(_module.name)


def folder_of(case: Case, build: str) -> Path:
    return (KERNELS / "broken" if "fault" in case.extra else KERNELS) / folder_name(case, build)


FOLDERS = sorted(path.parent for path in KERNELS.glob("**/case.json"))


def test_no_case_is_missing_and_none_is_left_over() -> None:
    assert sorted(folder_of(case, build) for case in CASES.values() for build in case.builds) == FOLDERS


@pytest.mark.parametrize("letter", sorted({name[0] for name in CASES}))
def test_the_arrays_are_what_the_formulas_give(letter: str) -> None:
    """Of the kernels whose names begin with a letter."""
    wrong: dict[str, str] = {}
    for name in (name for name in CASES if name.startswith(letter)):
        try:
            compare(CASES[name])
        except AssertionError as difference:
            wrong[name] = str(difference)
    assert not wrong


def compare(case: Case) -> None:
    """The inputs and expected outputs of a kernel with its files."""
    values = case.inputs()
    for build in case.builds:
        folder = folder_of(case, build)
        record = json.loads((folder / "case.json").read_text())
        assert record["grid"] == three(case.grid)
        for value, row in zip(values, record["params"], strict=False):
            if isinstance(value, Out):
                expect = np.load(folder / row["expect"])
                assert expect.shape == value.expect.shape
                if row["bit_exact"]:
                    assert expect.tobytes() == np.ascontiguousarray(value.expect).tobytes()
                else:  # mathematics differ by a bit from one C library to the next
                    np.testing.assert_allclose(expect, value.expect, rtol=1e-6, atol=value.atol)
            elif isinstance(value, np.ndarray):
                assert row["kind"] == "buffer"
                given, made = np.load(folder / row["file"]), value.view(row["dtype"])
                if value.dtype == np.float64:  # NumPy's functions differ by a bit from one processor to the next
                    np.testing.assert_array_max_ulp(given.view(np.float64), value, 1)
                else:
                    np.testing.assert_array_equal(given, made)
            elif value is None:
                assert row["kind"] == "null"


def test_a_folder_holds_what_its_case_names() -> None:
    for folder in FOLDERS:
        record = json.loads((folder / "case.json").read_text())
        text = (folder / "kernel.ptx").read_text()
        assert record["name"] == folder.name
        assert f".entry {record['kernel']}(" in text, folder.name
        named = {row[key] for row in record["params"] for key in ("file", "expect") if key in row}
        assert named == {path.name for path in folder.glob("*.npy")}, folder.name
        entry = text.split(f".entry {record['kernel']}(", 1)[1].split(")\n", 1)[0]
        assert entry.count(".param") == len(record["params"]), folder.name
