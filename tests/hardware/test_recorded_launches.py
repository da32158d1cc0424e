"""Whole launches of CuPy, Inductor and Triton that an H100 made: the same bytes here, on the reference engine."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import replay
from recordings import recording


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "count"), [("cupy", 435), ("inductor", 287), ("triton", 195)])
def test_launches(tmp_path: Path, name: str, count: int) -> None:
    archive = recording(f"{name}.tar.xz")
    subprocess.run(["tar", "xJf", archive, "-C", tmp_path], check=True)
    found = {path.name: replay.differing(path, replay.load(path), "interp") for path in tmp_path.rglob("*.launch")}
    assert len(found) == count
    assert {launch: bytes for launch, bytes in found.items() if bytes} == {}
