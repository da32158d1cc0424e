"""Accesses at places of the lanes' own: in line or by functions that they share, elements alone or several as one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import openptx
from openptx.engines.native import cpu, kernel, settings
from openptx.engines.native.scattered import FEW

THREADS, SLOTS = 72, 50  # three warps, the last of eight lanes; lanes of one warp meet in slots


def text(width: int, count: int, sites: int) -> str:
    """Two of three lanes move a vector from one place to another, at each site in other memory."""
    step, region = width * count // 8, width * count // 8 * SLOTS
    registers = ", ".join(f"r{i}" for i in range(count))
    vector, operand = (f".v{count}", f"{{{registers}}}") if count > 1 else ("", "r0")
    moves = " ".join(
        f"@p ld.global{vector}.u{width} {operand}, [a+{at}]; @p st.global{vector}.u{width} [b+{at}], {operand};"
        for at in range(0, sites * region, region)
    )
    return f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 pfrom, .param .u64 pto, .param .u64 pplaces) {{
.reg .b64 a, b, q; .reg .b32 lane, at, third; .reg .pred p; .reg .b{max(width, 16)} {registers};
ld.param.u64 a, [pfrom]; ld.param.u64 b, [pto]; ld.param.u64 q, [pplaces]; mov.u32 lane, %tid.x;
mad.wide.u32 q, lane, 8, q; rem.u32 third, lane, 3; setp.ne.u32 p, third, 2;
ld.global.u32 at, [q]; mad.wide.u32 a, at, {step}, a; ld.global.u32 at, [q+4]; mad.wide.u32 b, at, {step}, b;
{moves} ret; }}"""


@pytest.mark.parametrize("sites", [1, FEW + 1])
@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("instructions", [True, False], ids=["as it is", "without AVX-512"])
def test_what_lanes_move(
    width: int, count: int, sites: int, instructions: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if width * count > 128:
        pytest.skip("no vector is that long on this target")
    if not instructions:
        monkeypatch.setattr(kernel, "host", lambda: replace(cpu.host(), avx512=False))
    dice = np.random.default_rng(width * count)
    source = dice.integers(0, 256, width * count // 8 * SLOTS * sites, np.uint8)
    places = dice.integers(0, SLOTS, (THREADS, 2), np.uint32)
    k = openptx.load(text(width, count, sites))["k"]
    found: dict[str, np.ndarray] = {}
    for engine in ("interp", "native"):
        found[engine] = np.zeros_like(source)
        with settings.cache_at(None):
            k(1, THREADS, (source, found[engine], places), engine=engine, workers=1)
    np.testing.assert_array_equal(found["native"], found["interp"])
    moved, into = source.reshape(sites, SLOTS, -1), np.zeros((sites, SLOTS, width * count // 8), np.uint8)
    for lane in range(THREADS):
        if lane % 3 != 2:
            into[:, places[lane, 1]] = moved[:, places[lane, 0]]
    np.testing.assert_array_equal(found["interp"], into.reshape(-1))
