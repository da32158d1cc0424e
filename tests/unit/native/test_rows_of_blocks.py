"""Accesses by rows of the block, of 16 or 8 lanes: at one place, `a[row * n + i]`, or neighbours, `a[row * n + x]`."""

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


def stencil(width: int, guard: str = "", step: int = 1) -> str:
    """A thread mixes its element with those around it."""
    size = width // 8
    loads = "".join(
        f"{guard} ld.global.b{width} %x, [{base}+{size * at}]; mul.lo.u{width} %s, %s, 3; xor.b{width} %s, %s, %x;"
        for base, at in (("%a", -1), ("%a", 0), ("%a", 1), ("%b", 0), ("%b", 2))
    )
    return f""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pa, .param .u64 pout, .param .u32 ppitch, .param .u32 pn) {{
.reg .b64 %a, %b, %out; .reg .b32 %x0, %y, %r, %n, %pitch; .reg .pred %p, %q; .reg .b{width} %x, %s;
ld.param.u64 %a, [pa]; ld.param.u64 %out, [pout]; ld.param.u32 %pitch, [ppitch]; ld.param.u32 %n, [pn];
mov.u32 %x0, %tid.x; mov.u32 %y, %tid.y; mul.lo.u32 %x0, %x0, {step}; mad.lo.u32 %r, %y, %pitch, %x0; add.u32 %r, %r, 1;
mad.wide.u32 %out, %r, {size}, %out; mad.wide.u32 %b, %r, {size}, %a; add.u32 %r, %r, %pitch;
mad.wide.u32 %a, %r, {size}, %a; setp.lt.u32 %q, %x0, 5; mov.b{width} %s, 7; mov.b{width} %x, 1;
setp.ge.u32 %p, %r, %n; @%p bra DONE;
{loads}
{guard} st.global.b{width} [%out], %s;
DONE: ret; }}"""


@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("block", [(16, 4), (8, 9), (16, 3), (32, 2), (4, 16)], ids=str)
def test_rows_of_neighbours(block: tuple[int, int], width: int) -> None:
    for guard, step, n in (("", 1, 1000), ("", 1, 210), ("@%q", 1, 1000), ("", 2, 1000), ("", 0, 1000)):
        found: list[Any] = []
        for engine in ("interp", "native"):
            a = (np.arange(40 * 99, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)).astype(f"u{width // 8}")
            out = np.zeros(40 * 99, a.dtype)
            with settings.cache_at(None):
                kernel = openptx.load(stencil(width, guard, step))["k"]
                kernel(1, block, (a, out, 99, n), engine=engine, workers=1)
            found.append(out)
        np.testing.assert_array_equal(found[1], found[0])
        assert found[0].any()


def test_rows_of_neighbours_that_are_not_valid_fault() -> None:
    texts: list[str] = []
    for engine in ("interp", "native"):
        a, out = np.zeros(4 * 99 + 10, np.uint32), np.zeros(40 * 99, np.uint32)
        with pytest.raises(openptx.Fault) as caught, settings.cache_at(None):
            openptx.load(stencil(32))["k"](1, (16, 4), (a, out, 99, 1000), engine=engine, workers=1)
        texts.append(re.sub(r"0x\w+", "", str(caught.value)))
    assert "thread (10, 3, 0)" in texts[0]
    assert texts[1] == texts[0]


@pytest.mark.parametrize(("sign", "limit"), [("s", 1 << 31), ("u", 1 << 32)])
@pytest.mark.parametrize("thread", [(4, 0), (15, 1), (16, 1)])
def test_an_index_that_wraps_within_a_row_is_far_away(sign: str, limit: int, thread: tuple[int, int]) -> None:
    """Thread (x, y) is the first whose index is beyond the limit; of 16 threads in a row, none. Places are at the end
    of a long array, so that those far away are not in a short one."""
    x, y = thread
    skipped = 1 << 20
    start = limit - x - y * 99
    text = f""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pa, .param .u64 pout, .param .u32 ppitch) {{
.reg .b64 %a, %b, %out; .reg .b32 %x, %y, %r, %v, %pitch; ld.param.u32 %pitch, [ppitch];
ld.param.u64 %a, [pa]; ld.param.u64 %out, [pout]; sub.u64 %a, %a, {4 * (start - skipped)};
mov.u32 %x, %tid.x; mov.u32 %y, %tid.y; mad.lo.u32 %r, %y, 16, %x; mad.wide.u32 %out, %r, 4, %out;
mad.lo.u32 %r, %y, %pitch, %x; add.u32 %r, %r, {start}; mul.wide.{sign}32 %b, %r, 4; add.u64 %b, %b, %a;
ld.global.b32 %v, [%b]; ld.global.b32 %r, [%b+4]; add.u32 %v, %v, %r; st.global.b32 [%out], %v; ret; }}"""
    found: list[tuple[bytes, str]] = []
    for engine in ("interp", "native"):
        a, out, said = np.arange(skipped + 200, dtype=np.uint32), np.zeros(32, np.uint32), ""
        try:
            with settings.cache_at(None):
                openptx.load(text)["k"](1, (16, 2), (a, out, 99), engine=engine, workers=1)
        except openptx.Fault as fault:
            said = str(fault)
        found.append((out.tobytes(), "".join(re.findall(r"thread \(.*?\)", said)[:1])))
    assert found[1] == found[0]
    assert found[0][1] == (f"thread ({x}, {y}, 0)" if x < 16 else "")
