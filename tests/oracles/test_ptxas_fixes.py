"""A file with ten errors, fixed by `openptx check --fix`, is accepted by the assembler."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from assembler import MISSING, PTXAS, accepted

import openptx
from openptx.cli import main

BROKEN = Path(__file__).parents[1] / "unit" / "cli" / "ten_mistakes.ptx"


@pytest.mark.skipif(not PTXAS.exists(), reason=MISSING)
def test_ten_mistakes_are_fixed_and_the_assembler_takes_the_file(tmp_path: Path) -> None:
    file = tmp_path / "ten.ptx"
    shutil.copy(BROKEN, file)
    errors = [d for d in openptx.check(file) if d.severity == "error"]
    assert len(errors) == 10
    assert not accepted(tmp_path, file.read_text(), "90")
    assert main(["check", "--fix", str(file)]) == 0
    assert accepted(tmp_path, file.read_text(), "90")
