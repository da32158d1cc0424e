"""Rows that lanes store in another order than their own, as where addresses descend, are one shuffle and one store."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.native import pipeline, settings
from openptx.engines.native.settings import Options

PLACES = {"descending": "sub.u32 %u, 71, %t;", "halves": "xor.b32 %u, %t, 21;", "turned": "xor.b32 %u, %t, 31;"}


def kernel(places: str, width: int, count: int, guard: str) -> str:
    registers = ", ".join(f"%r{i}" for i in range(count))
    vector, operand = (f".v{count}", f"{{{registers}}}") if count > 1 else ("", "%r0")
    values = " ".join(f"cvt.u{width}.u32 %r{i}, %t; add.u32 %t, %t, 72;" for i in range(count))
    return f""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pto, .param .u32 pn) {{
.reg .b64 %to; .reg .b32 %t, %u, %n; .reg .pred %p; .reg .b{max(width, 16)} {registers};
ld.param.u64 %to, [pto]; ld.param.u32 %n, [pn]; mov.u32 %t, %tid.x; setp.lt.u32 %p, %t, %n; {places}
mad.wide.u32 %to, %u, {width * count // 8}, %to; {values}
{guard} st.global{vector}.b{width} [%to], {operand}; ret; }}"""


@pytest.mark.parametrize(("width", "count"), [(8, 1), (16, 2), (32, 1), (64, 1), (32, 4), (64, 2)])
@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("guard", ["", "@%p"])
def test_lanes_store_a_row_in_their_order(guard: str, places: str, width: int, count: int) -> None:
    module = openptx.load(kernel(PLACES[places], width, count, guard))
    threads = 72 if places == "descending" else 64
    expected = np.zeros((2, 128, count), f"u{width // 8}")
    with settings.cache_at(None):
        for n in (0, 33, threads) if guard else (threads,):
            expected[:] = 0
            for engine, to in zip(("interp", "native"), expected, strict=True):
                module["k"](1, threads, (to, n), engine=engine, workers=1)
            np.testing.assert_array_equal(expected[1], expected[0])
            assert np.count_nonzero(expected[0, :, 0]) >= min(n, 1) * (n - 1)


def test_a_full_warp_needs_no_scatter() -> None:
    module = openptx.load(kernel(PLACES["turned"], 32, 1, ""))
    made = pipeline.lower_kernel(module.program, module["k"].function, module.image, Options((64, 1, 1), False))
    assert "store <32 x i32>" in made.text
    assert not any("scatter" in text for text in (made.text, *(f.text for f in made.shared)))
