"""Whole launches of CuPy, Inductor and Triton recorded on an H100: the same bytes on both engines."""

from __future__ import annotations

from dataclasses import replace

import pytest
from recordings import recording

import openptx
from openptx.recording import read_recording
from openptx.recording.collection import collect_recordings
from openptx.recording.tensor_maps import with_our_maps


@pytest.mark.sweep
@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize(("name", "count"), [("cupy", 435), ("inductor", 287), ("triton", 195)])
def test_launches(name: str, count: int, engine: str) -> None:
    with collect_recordings([str(recording(f"{name}.tar.xz"))]) as (found, _):
        assert len(found) == count
        replays = [openptx.replay(read_recording(one.path, one.name), engine=engine) for one in found]
    assert [str(one) for one in replays if not one.equal] == []


@pytest.mark.sweep
@pytest.mark.parametrize("engine", ["interp", "native"])
def test_maps_that_kernels_left_in_memory(engine: str) -> None:
    """These recordings leave memory with an H100's tensor maps out of the comparison, which is not needed any more."""
    with collect_recordings([str(recording("triton.tar.xz"))]) as (found, _):
        read = [read_recording(one.path, one.name) for one in found]
        all_compared = [
            replace(one, regions=tuple(replace(r, compared=True) for r in one.regions))
            for one in read
            if with_our_maps(one) is not one
        ]
        assert len(all_compared) == 17
        replays = [openptx.replay(one, engine=engine) for one in all_compared]
    assert [str(one) for one in replays if not one.equal] == []
