"""Finds recordings of whole launches: next to the checkout, or in `OPENPTX_RECORDINGS`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("OPENPTX_RECORDINGS") or Path(__file__).resolve().parents[3] / "shared" / "recordings")


def recording(name: str) -> Path:
    """The file with this name; the test is skipped if it does not exist."""
    found = FOLDER / name
    if not found.exists():
        pytest.skip(f"no {name} in {FOLDER} (OPENPTX_RECORDINGS)")
    return found
