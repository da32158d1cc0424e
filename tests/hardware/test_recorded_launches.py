"""Whole launches of CuPy, Inductor and Triton that an H100 made: the same bytes here, on both engines."""

from __future__ import annotations

import pytest
from recordings import recording

import openptx
from openptx.recording import read_recording
from openptx.recording.collection import collected


@pytest.mark.sweep
@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize(("name", "count"), [("cupy", 435), ("inductor", 287), ("triton", 195)])
def test_launches(name: str, count: int, engine: str) -> None:
    with collected([str(recording(f"{name}.tar.xz"))]) as (found, _):
        assert len(found) == count
        replays = [openptx.replay(read_recording(one.path, one.name), engine=engine) for one in found]
    assert [str(one) for one in replays if not one.equal] == []
