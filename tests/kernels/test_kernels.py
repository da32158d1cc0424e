"""Every kernel computes what its formula says, or ends in the expected fault, on the native engine.

The reference engine runs the same kernels in `tests/unit/interp`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from openptx.testing.discovery import find, run_test
from openptx.testing.result import PASSED, UNSUPPORTED

FOLDER = Path(__file__).parent
REFERENCE = FOLDER.parent / "data" / "cases"
CASES = find([str(FOLDER)])
REFERENCE_CASES = find([str(REFERENCE)])
LARGE = {
    "double_buffer_sm80_debug",  # 23,000 lines, which take as long as fifty others
    *("doubles_sm75_lineinfo", "doubles_sm90a", "sha256_sm75", "sha256_sm90a", "stack_machine_sm75"),
    *("singles_sm75", "singles_sm80_debug", "attention_sm90a", "crc32_sm120", "wide_quotients_sm75_debug"),
    *("layer_norm_sm120", "matmul_tiled_sm120"),
    # Their statements and arrays are those of the same kernel with _sm80; tests/unit/interp runs them.
}


def built_again() -> list[str]:
    """Builds of kernels for further targets or with debug information, but for every third of them.

    Their sources and expected results are those of another build, and tests/unit/interp runs them all.
    """
    names = sorted((Path(path).name for path in CASES), key=lambda name: not name.endswith("_sm80"))
    kernels = [re.sub(r"_sm\d+a?(_.*)?$", "", name) for name in names]
    again = [name for i, name in enumerate(names) if kernels[i] in kernels[:i]]
    return [name for i, name in enumerate(again) if i % 3]


SWEPT = LARGE | {*built_again()}
"""What `make sweep` runs."""


def check(path: str) -> None:
    result = run_test(path, "native")
    if result.status == UNSUPPORTED:
        pytest.skip(result.message.splitlines()[0])
    assert (result.status, result.message) == (PASSED, "")


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[pytest.mark.sweep] if Path(path).name in SWEPT else []) for path in CASES],
    ids=lambda path: Path(path).name,
)
def test_our_kernels(path: str) -> None:
    check(path)


@pytest.mark.parametrize("path", REFERENCE_CASES, ids=lambda path: Path(path).name)
def test_reference_cases(path: str) -> None:
    check(path)


def test_reference_cases_are_found() -> None:
    assert len(REFERENCE_CASES) == len(list(REFERENCE.glob("*/case.json"))) == 52
