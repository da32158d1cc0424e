"""Files of the package have at most 400 lines, tests names of their own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[3]
MOST = 400


def test_files_are_short() -> None:
    sizes = {
        str(path.relative_to(ROOT)): path.read_text("utf-8").count("\n")
        for path in sorted((ROOT / "src").rglob("*.py"))
    }
    assert len(sizes) > 500
    assert {name: size for name, size in sizes.items() if size > MOST} == {}


def test_test_files_have_names_of_their_own() -> None:
    """Pytest imports them by their names, and ends where two are the same."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []
