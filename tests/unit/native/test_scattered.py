"""Accesses at places of the lanes' own: by the processor or one by one, elements alone or several as one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import openptx
from openptx.engines.native import pipeline, settings
from openptx.llvm.host import host

THREADS, SLOTS, SITES = 72, 50, 2  # three warps, the last of eight lanes; lanes of one warp meet in slots
PROCESSORS = {"as it is": {}, "that gathers": {"gathers": True}, "without AVX-512": {"avx512": False, "gathers": False}}


def text(width: int, count: int, all_lanes: bool) -> str:
    """All or two of three lanes move a vector from one place to another, at each site in other memory."""
    step, region = width * count // 8, width * count // 8 * SLOTS
    registers = ", ".join(f"r{i}" for i in range(count))
    vector, operand = (f".v{count}", f"{{{registers}}}") if count > 1 else ("", "r0")
    moves = " ".join(
        f"@p ld.global{vector}.u{width} {operand}, [a+{at}]; @p st.global{vector}.u{width} [b+{at}], {operand};"
        for at in range(0, SITES * region, region)
    )
    return f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 pfrom, .param .u64 pto, .param .u64 pplaces) {{
.reg .b64 a, b, q; .reg .b32 lane, at, third; .reg .pred p; .reg .b{max(width, 16)} {registers};
ld.param.u64 a, [pfrom]; ld.param.u64 b, [pto]; ld.param.u64 q, [pplaces]; mov.u32 lane, %tid.x;
mad.wide.u32 q, lane, 8, q; rem.u32 third, lane, 3; setp.ne.u32 p, third, {3 if all_lanes else 2};
ld.global.u32 at, [q]; mad.wide.u32 a, at, {step}, a; ld.global.u32 at, [q+4]; mad.wide.u32 b, at, {step}, b;
{moves} ret; }}"""


@pytest.mark.parametrize("all_lanes", [True, False])
@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("processor", PROCESSORS)
def test_what_lanes_move(
    processor: str, width: int, count: int, all_lanes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if width * count > 128:
        pytest.skip("no vector is that long on this target")
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), **PROCESSORS[processor]))
    dice = np.random.default_rng(width * count)
    source = dice.integers(0, 256, width * count // 8 * SLOTS * SITES, np.uint8)
    places = dice.integers(0, SLOTS, (THREADS, 2), np.uint32)
    k = openptx.load(text(width, count, all_lanes))["k"]
    found: dict[str, np.ndarray] = {}
    for engine in ("interp", "native"):
        found[engine] = np.zeros_like(source)
        with settings.cache_at(None):
            k(1, THREADS, (source, found[engine], places), engine=engine, workers=1)
    np.testing.assert_array_equal(found["native"], found["interp"])
    moved, into = source.reshape(SITES, SLOTS, -1), np.zeros((SITES, SLOTS, width * count // 8), np.uint8)
    for lane in range(THREADS):
        if all_lanes or lane % 3 != 2:
            into[:, places[lane, 1]] = moved[:, places[lane, 0]]
    np.testing.assert_array_equal(found["interp"], into.reshape(-1))
