"""The LLVM text of small kernels equals the recorded one; `python tests/unit/native/golden_ir.py` records it."""

from __future__ import annotations

from pathlib import Path

import pytest
from golden_ir import FOLDER, lowered
from large_kernels import shuffles

from openptx.engines.native import pipeline
from openptx.engines.native.options import Options
from openptx.runtime.module import load


@pytest.mark.parametrize("source", sorted(FOLDER.glob("*.ptx")), ids=lambda path: path.stem)
def test_text_is_as_recorded(source: Path) -> None:
    assert lowered(source) == source.with_suffix(".ll").read_text()


def test_there_is_a_text_for_each_kernel() -> None:
    kernels = {path.stem for path in FOLDER.glob("*.ptx")}
    assert len(kernels) >= 5
    assert kernels == {path.stem for path in FOLDER.glob("*.ll")}


def test_registers_are_promoted_unless_the_text_keeps_them_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the limit: both follow from one count of blocks, which knows no dispatches."""
    module, promoted = load(shuffles(4)), dict[str, bool]()
    for limit in range(-1, 100):
        monkeypatch.setattr(pipeline, "CROWDED", limit)
        made = pipeline.lower_kernel(
            module.program, module.program.function("k"), module.image, Options((64, 1, 1), False)
        )
        assert promoted.setdefault(made.text, made.promotes) == made.promotes
    assert sorted(promoted.values()) == [False, True]
