"""Launches of an H200 with NaNs in selections: XLA's hardtanh, and libdevice's cbrtf in a Triton kernel.

Each differed: the first in five NaNs, which are canonical in machine code; the second in the signs of seven.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import openptx

FOLDER = Path(__file__).parent / "sm_90-13.0-2026-11-26"


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("name", ["clamp_nan", "cbrt_nan"])
def test_nans_are_those_of_the_gpu(name: str, engine: str) -> None:
    assert openptx.replay(FOLDER / f"{name}.launch", engine=engine).equal


@pytest.mark.parametrize("name", ["clamp_nan", "cbrt_nan"])
def test_without_ptxas_they_differ(name: str) -> None:
    replay = openptx.replay(FOLDER / f"{name}.launch", engine="interp", contract="off")
    assert replay.status == "differs"
