"""One error, one diagnostic, word for word: each `.ptx` in this folder has its output in a `.txt` next to it.

`UPDATE_GOLDEN=1 pytest tests/diagnostics` writes the outputs again; read the difference before you commit it.
A file in a folder `several/` may have more than one diagnostic; one whose name ends in `_isa` has that profile.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from findings import FILES, FOLDER, of_file

from openptx.diagnostics.render import render


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(FOLDER).with_suffix("").as_posix())
def test_output(path: Path) -> None:
    found = of_file(path).found
    got = render(found)
    golden = path.with_suffix(".txt")
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(got, encoding="utf-8")
    assert got == golden.read_text("utf-8")
    if path.parent.name != "several":
        assert len(found) == 1


def test_every_output_belongs_to_a_file() -> None:
    assert [path for path in FOLDER.rglob("*.txt") if not path.with_suffix(".ptx").exists()] == []
