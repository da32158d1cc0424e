"""Loads whose addresses are a few runs of lanes, as with `i / width` and `i % width`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.engines.native import pipeline, settings
from openptx.engines.native.settings import Options
from openptx.llvm.host import host

LENGTH = 700


def kernel(width: int, index: str, guard: str = "", extend: str = "u32", pointer: str = "") -> str:
    """Each thread `%t` loads an element at `%i`, of which `index` makes what it likes."""
    size = width // 8
    return f""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pa, .param .u64 pout, .param .u32 prow, .param .u32 ppitch) {{
.shared .align 8 .b8 s[8192];
.reg .b64 %a, %out; .reg .b32 %t, %i, %j, %row, %pitch; .reg .pred %q; .reg .b{max(width, 16)} %x;
ld.param.u64 %a, [pa]; ld.param.u64 %out, [pout]; ld.param.u32 %row, [prow]; ld.param.u32 %pitch, [ppitch];
mov.u32 %t, %tid.x; mad.wide.u32 %out, %t, {size}, %out; mov.b{max(width, 16)} %x, 5; {pointer}
{index}
setp.ne.u32 %q, %t, 37; {guard}
mad.wide.{extend} %a, %i, {size}, %a; @%q ld.global.b{width} %x, [%a];
st.global.b{width} [%out], %x; ret; }}"""


FOLDED = "div.u32 %j, %t, %row; rem.u32 %i, %t, %row; mad.lo.u32 %i, %j, %pitch, %i;"
DIVIDED = "div.u32 %i, %t, %row; mul.lo.u32 %i, %i, %pitch;"


def results(text: str, width: int, row: int, pitch: int, block: int = 100) -> list[Any]:
    found: list[Any] = []
    a = (np.arange(LENGTH, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)).astype(f"u{width // 8}")
    out = np.zeros(block, a.dtype)
    with settings.cache_at(None):
        for engine in ("interp", "native"):
            out[:] = 0
            try:
                openptx.load(text)["k"](1, block, (a, out, row, pitch), engine=engine, workers=1)
                found.append(out.tolist())
            except openptx.Fault as fault:
                found.append(re.sub(r"0x\w+|array \d+", "", str(fault)))
    return found


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_results_are_those_of_separate_loads(width: int) -> None:
    for index in (FOLDED, DIVIDED):
        text = kernel(width, index)
        for row, pitch in ((10, 13), (10, 10), (12, 3), (33, 40), (7, 0), (2, 5), (1, 6)):
            expected, found = results(text, width, row, pitch)
            assert found == expected
            assert isinstance(found, list)


@pytest.mark.parametrize("guard", [
    "setp.lt.u32 %q, %t, 5;",                                  # some lanes of the first run
    "and.b32 %j, %t, 8; setp.ne.u32 %q, %j, 0;",               # some of all
    "and.b32 %j, %t, 9; setp.eq.u32 %q, %j, 9;",               # each alone
    "add.u32 %j, %t, 24; and.b32 %j, %j, 31; setp.lt.u32 %q, %j, 2; @!%q mov.u32 %i, 0x7fffffff;",  # elsewhere invalid
])  # fmt: skip
def test_some_lanes_load(guard: str) -> None:
    for index in (FOLDED, DIVIDED):
        for row, pitch in ((10, 13), (30, 40)):
            expected, found = results(kernel(32, index, guard), 32, row, pitch)
            assert found == expected
            assert isinstance(found, list)


@pytest.mark.parametrize("row", [20, 1000])
@pytest.mark.parametrize(("index", "extend", "pointer"), [
    (FOLDED + "add.u32 %i, %i, 601;", "u32", ""),              # the end of a run is beyond the array
    (FOLDED + "sub.u32 %i, %i, 3;", "s32", ""),                # the start is before it
    (DIVIDED + "add.u32 %i, %i, 700;", "u32", ""),
    (FOLDED, "u32", "add.u64 %a, %a, 2;"),                     # misaligned
])  # fmt: skip
def test_what_is_not_valid_faults(index: str, extend: str, pointer: str, row: int) -> None:
    expected, found = results(kernel(32, index, extend=extend, pointer=pointer), 32, row, 30)
    assert found == expected
    assert "fault" in found


@pytest.mark.parametrize(("extend", "first", "pointer"), [
    ("u32", 0xFFFFFFFC, "sub.u64 %a, %a, 0x3fffffff0;"),
    ("s32", 0x7FFFFFFC, "sub.u64 %a, %a, 0x1fffffff0;"),
])  # fmt: skip
def test_lanes_whose_32_bits_wrap_are_elsewhere(extend: str, first: int, pointer: str) -> None:
    text = kernel(32, f"{FOLDED} add.u32 %i, %i, {first};", extend=extend, pointer=pointer)
    expected, found = results(text, 32, 1000, 0, block=32)
    assert found == expected  # a fault, unless another array happens to be there


def test_runs_of_shared_memory() -> None:
    text = kernel(32, FOLDED).replace(
        "mad.wide.u32 %a, %i, 4, %a; @%q ld.global.b32 %x, [%a];",
        "mov.u32 %j, s; mad.lo.u32 %row, %t, 4, %j; st.shared.b32 [%row], %t; bar.sync 0;"
        "mad.lo.u32 %j, %i, 4, %j; @%q ld.shared.b32 %x, [%j];",
    )
    expected, found = results(text, 32, 10, 9)
    assert found == expected
    assert found[36:39] == [33, 5, 35]


@pytest.mark.skipif(not host().avx512, reason="looked for with AVX-512 only")
def test_only_addresses_that_are_computed_are_expected_to_be_runs() -> None:
    loaded = "mad.wide.u32 %a, %t, 4, %a; ld.global.u32 %i, [%a]; rem.u32 %i, %i, 9; ld.param.u64 %a, [pa];"

    def moves(index: str) -> list[bool]:
        module = openptx.load(kernel(32, index))
        made = pipeline.lower_kernel(module.program, module["k"].function, module.image, Options((100, 1, 1), False))
        return ["@llvm.masked.load" in one.text for one in made.shared if ".lanes." in one.name]

    assert (moves(FOLDED), moves(loaded)) == ([True], [False])
