"""No file of the package has more than 400 lines: what has more has more than one subject."""

from __future__ import annotations

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
