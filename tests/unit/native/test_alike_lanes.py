"""Loads in loops from the place that a row of the block shares, `a[row * n + i]`: blocks of 16 or 8 by some rows."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.engines.native import pipeline, settings
from openptx.engines.native.settings import Options

PITCH = 23


def kernel(width: int, offsets: tuple[int, ...], skew: str = "", guard: str = "") -> str:
    """A thread mixes elements of its row in a loop; `skew` changes addresses before it, `guard` loads."""
    size = width // 8
    loads = "".join(
        f"{guard} ld.global.b{width} %x, [%a+{size * at}]; mul.lo.u{width} %s, %s, 3; xor.b{width} %s, %s, %x;"
        for at in offsets
    )
    return f""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pa, .param .u64 pout, .param .u32 ppitch, .param .u32 pn) {{
.reg .b64 %a, %out; .reg .b32 %x0, %y, %r, %i, %n, %pitch, %w; .reg .pred %p, %q; .reg .b{width} %x, %s;
ld.param.u64 %a, [pa]; ld.param.u64 %out, [pout]; ld.param.u32 %pitch, [ppitch]; ld.param.u32 %n, [pn];
mov.u32 %x0, %tid.x; mov.u32 %y, %tid.y; mov.u32 %w, %ntid.x; 
mul.lo.u32 %r, %y, %pitch; mad.wide.u32 %a, %r, {size}, %a;
mad.lo.u32 %r, %y, %w, %x0; mad.wide.u32 %out, %r, {size}, %out; setp.lt.u32 %q, %x0, 5;
{skew}
mov.b{width} %s, 7; mov.b{width} %x, 1; mov.u32 %i, 0; setp.ge.u32 %p, %r, %n; @%p bra DONE;
LOOP: {loads}
add.u64 %a, %a, {4 * size}; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 4; @%p bra LOOP;
DONE: st.global.b{width} [%out], %s; ret; }}"""


def results(text: str, width: int, block: tuple[int, int], n: int, length: int = 40 * PITCH) -> list[Any]:
    found: list[Any] = []
    with settings.cache_at(None):
        for engine in ("interp", "native"):
            a = (np.arange(length, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)).astype(f"u{width // 8}")
            out = np.zeros(block[0] * block[1], a.dtype)
            openptx.load(text)["k"](1, block, (a, out, PITCH, n), engine=engine, workers=1)
            found.append(out)
    return found


def broadcasts(text: str, block: tuple[int, int]) -> int:
    module = openptx.load(text)
    made = pipeline.lower_kernel(module.program, module["k"].function, module.image, Options((*block, 1), False))
    return len(re.findall(rf"insertelement <{32 // block[0]} x i\d+> poison", made.text))


@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("block", [(16, 4), (8, 9), (16, 3), (32, 2), (4, 16)], ids=str)
def test_results_are_those_of_separate_loads(block: tuple[int, int], width: int) -> None:
    for offsets in ((0, 1, 2, 3), (2, 0, 5)):
        for n in (block[0] * block[1], 45, 1):
            expected, found = results(kernel(width, offsets), width, block, n)
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("skew", "guard"), [
    ("@%q add.u64 %a, %a, 16;", ""),                                            # lanes of a row differ
    ("@!%q bra ON; add.u64 %a, %a, 8; ON:", ""),
    ("and.b32 %i, %x0, 1; mad.wide.u32 %a, %i, 8, %a;", ""),
    ("", "@%q"),                                                                 # few lanes load
    ("setp.eq.u32 %q, %y, 1;", "@%q"),                                           # a row of them
    ("add.u64 %a, %a, 3; sub.u64 %a, %a, 3;", ""),
])  # fmt: skip
def test_lanes_that_are_not_alike(skew: str, guard: str) -> None:
    for block in ((16, 4), (8, 8)):
        expected, found = results(kernel(32, (0, 1, 2, 3), skew, guard), 32, block, 64)
        np.testing.assert_array_equal(found, expected)


def test_where_they_are_broadcast() -> None:
    one, run = kernel(32, (0,)), kernel(32, (0, 1, 2, 3))
    assert [broadcasts(one, block) for block in ((16, 4), (8, 8))] == [1, 1]
    assert [broadcasts(run, block) for block in ((16, 4), (8, 8))] == [4, 4]
    assert broadcasts(kernel(32, (0,), "@%q add.u64 %a, %a, 16;"), (16, 4)) == 0


@pytest.mark.parametrize(("offsets", "length", "skew"), [
    ((0,), 3 * PITCH + 2, ""),
    ((0, 1, 2, 3), 3 * PITCH + 6, ""),
    ((0, 1, 2, 3), 40 * PITCH, "setp.eq.u32 %q, %y, 3; @%q add.u64 %a, %a, 2;"),
])  # fmt: skip
def test_what_is_not_valid_faults(offsets: tuple[int, ...], length: int, skew: str) -> None:
    texts: list[str] = []
    for engine in ("interp", "native"):
        a, out = np.zeros(length, np.uint32), np.zeros(64, np.uint32)
        with pytest.raises(openptx.Fault) as caught, settings.cache_at(None):
            openptx.load(kernel(32, offsets, skew))["k"](1, (16, 4), (a, out, PITCH, 64), engine=engine, workers=1)
        texts.append(re.sub(r"0x\w+", "", str(caught.value)))
    assert "thread (0, 3, 0)" in texts[0]
    assert texts[1] == texts[0]
