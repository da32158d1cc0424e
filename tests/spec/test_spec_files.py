"""Every annotated PTX file here, on the interpreter; in the sweep on the native engine, too."""

from pathlib import Path

import pytest

from openptx.source import File
from openptx.testing.annotated import run_annotated

FILES = sorted(Path(__file__).parent.glob("*.ptx"))


@pytest.mark.parametrize("engine", ["interp", pytest.param("native", marks=pytest.mark.sweep)])  # compiles: minutes
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_annotated_file(path: Path, engine: str) -> None:
    run_annotated(File(path.name, path.read_text()), engine=engine)
