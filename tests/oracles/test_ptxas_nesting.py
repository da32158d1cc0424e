"""The depth to which the assembler parses constant expressions."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from assembler import MISSING, PTXAS, accepted

sys.path.append(str(Path(__file__).parents[1] / "unit" / "syntax"))

from test_constants import DEEP


@pytest.mark.skipif(not PTXAS.exists(), reason=MISSING)
@pytest.mark.parametrize(("before", "after", "most", "too_many"), DEEP, ids=[row[0] for row in DEEP])
def test_the_assembler_reads_so_many_levels(
    before: str, after: str, most: int, too_many: int | None, tmp_path: Path
) -> None:
    def reads(levels: int) -> bool:
        body = f".reg .b32 r;\nmov.b32 r, {before * levels}1{after * levels};\nret;"
        text = f".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n{body}\n}}\n"
        return accepted(tmp_path, text, "90")

    assert reads(most)
    assert too_many is None or not reads(too_many)
