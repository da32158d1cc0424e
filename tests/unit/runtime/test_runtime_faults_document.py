"""docs/faults.md shows the texts of both engines."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tools"))

from documents import faults  # noqa: E402


def plain(text: str) -> str:
    """Without addresses, which depend on what else is in memory."""
    return re.sub(r"0x[0-9a-f]+", "0x...", text)


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("example", faults.EXAMPLES, ids=lambda example: example.title)
def test_what_a_fault_says(example: faults.Example, engine: str) -> None:
    document = (ROOT / "docs" / "faults.md").read_text("utf-8")
    assert plain(faults.said(example, engine)) in plain(document)
