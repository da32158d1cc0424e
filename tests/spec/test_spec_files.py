"""Every annotated PTX file here, on the reference engine."""

from pathlib import Path

import pytest

from openptx.source import File
from openptx.testing.annotated import run_annotated

FILES = sorted(Path(__file__).parent.glob("*.ptx"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_annotated_file(path: Path) -> None:
    run_annotated(File(path.name, path.read_text()), engine="interp")
