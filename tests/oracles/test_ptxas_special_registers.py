"""The table of special registers against the assembler; UPDATE_GOLDEN=1 rewrites it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from assembler import MISSING, PTXAS, refused_lines, target_of

sys.path.append(str(Path(__file__).parents[1] / "unit" / "check"))

import special_register_table as table


@pytest.mark.sweep
@pytest.mark.skipif(not PTXAS.exists(), reason=MISSING)
def test_the_table_is_what_the_assembler_says(tmp_path: Path) -> None:
    def refused(text: str, target: str) -> set[int]:
        return refused_lines(tmp_path, text, target_of(text))

    _, uses = table.read()
    measured = table.write(table.gates(refused), table.uses(refused, list(uses)))
    if os.environ.get("UPDATE_GOLDEN"):
        table.TABLE.write_text(measured)
    assert measured == table.TABLE.read_text()
