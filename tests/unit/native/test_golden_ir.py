"""The LLVM text of small kernels equals the recorded one; `python tests/unit/native/golden_ir.py` records it."""

from __future__ import annotations

from pathlib import Path

import pytest
from golden_ir import FOLDER, lowered


@pytest.mark.parametrize("source", sorted(FOLDER.glob("*.ptx")), ids=lambda path: path.stem)
def test_text_is_as_recorded(source: Path) -> None:
    assert lowered(source) == source.with_suffix(".ll").read_text()


def test_there_is_a_text_for_each_kernel() -> None:
    kernels = {path.stem for path in FOLDER.glob("*.ptx")}
    assert len(kernels) >= 5
    assert kernels == {path.stem for path in FOLDER.glob("*.ll")}
