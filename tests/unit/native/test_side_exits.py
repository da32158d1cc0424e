"""Side exits to a kernel's generic version: it is compiled once, and the saved state fits the frame."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.dataflow import bits_of, set_of
from openptx.engines.native import abi, settings
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.runtime import compiled_kernel as kernel
from openptx.engines.native.settings import Options

sys.path.insert(0, str(Path(__file__).parents[2] / "properties"))
from guards import guards  # type: ignore[import-not-found]

COUNT = 40
LOADS = " ".join(f"ld.global.u32 %a{i}, [%rd1+{4 * i}];" for i in range(COUNT))
SUM = " ".join(f"add.u32 %r2, %r2, %a{i};" for i in range(COUNT))
SOURCE = f"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 shift) {{
    .reg .b32 %r<9>; .reg .b32 %a<{COUNT}>; .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u32 %r5, [shift];
    mov.u32 %r1, %tid.x; add.s32 %r2, %r1, %r5; cvt.u64.u32 %rd3, %r2; and.b64 %rd3, %rd3, 127;
    shl.b64 %rd3, %rd3, 2; add.s64 %rd3, %rd1, %rd3; ld.global.u32 %r2, [%rd3];
    {LOADS}
    bar.sync 0;
    {SUM}
    mul.wide.u32 %rd4, %r1, 4; add.s64 %rd4, %rd2, %rd4; st.global.u32 [%rd4], %r2; ret;
}}
"""


def test_a_warp_that_left_for_the_slow_version_waits_in_its_frame() -> None:
    """Scalars become vectors there: 40 registers that all lanes share take 5 kB instead of 160 bytes."""
    x, y = np.arange(128, dtype=np.uint32), np.zeros(96, np.uint32)
    shift = (1 << 32) - 40
    with guards():
        openptx.load(SOURCE)["k"](1, 96, (x, y, shift), engine="native", workers=1)
    i = (np.arange(96, dtype=np.uint64) + shift) % (1 << 32) % 128
    assert np.array_equal(y, x[i] + x[:COUNT].sum())


def test_what_lanes_share_is_saved_as_one_number() -> None:
    """Registers that the block has written, too: two pointers."""
    module = openptx.load(SOURCE)
    text = lower_kernel(module.program, module["k"].function, module.image, Options((96, 1, 1), False)).text
    (leaving,) = [block for block in text.split("\nb") if f"\nret i32 {abi.SIDE_EXIT}" in block]
    assert "store i64" in leaving
    assert "store <32 x i64>" not in leaving


def test_workers_that_leave_at_once_share_one_slow_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second one would take the place of the first, which another worker is running."""
    lower, made = kernel.lower_kernel, list[int]()

    def slowly(*options: Any) -> Any:
        if len(options) > 4:  # entries: it is the slow version
            made.append(1)
            time.sleep(0.3)  # the other worker comes, too
        return lower(*options)

    monkeypatch.setattr(kernel, "lower_kernel", slowly)
    x, y = np.arange(128, dtype=np.uint32), np.zeros(96, np.uint32)
    with settings.cache_at(None):
        openptx.load(SOURCE)["k"](64, 96, (x, y, (1 << 32) - 40), engine="native", workers=2)
    assert len(made) == 1


@pytest.mark.parametrize("numbers", [(), (0,), (1, 2, 5), (0, 63, 64, 2047)])
def test_sets_as_bits(numbers: tuple[int, ...]) -> None:
    assert set_of(bits_of(numbers)) == frozenset(numbers)


NAMED = f"""{SOURCE.split("    .reg", maxsplit=1)[0]}
    .reg .b32 %i, %b, %v, %n; .reg .b64 %x, %o, %w; ld.param.u64 %x, [x]; ld.param.u32 %n, [shift]; mov.u32 %i, %tid.x;
    mul.wide.u32 %o, %i, 4; add.s64 %o, %x, %o; ld.global.u32 %v, [%o]; add.u32 %v, %v, 1; st.global.u32 [%o], %v;
    shr.u32 %b, %i, 6; add.u32 %b, %b, 1; bar.sync %b, 64;
    add.s32 %v, %i, %n; cvt.s64.s32 %w, %v; and.b64 %w, %w, 252; add.s64 %w, %x, %w; ld.global.u32 %v, [%w];
    bar.sync %b, 64; ld.global.u32 %v, [%o]; add.u32 %v, %v, 10; st.global.u32 [%o], %v; ret; }}"""


@pytest.mark.parametrize("shift", [0, 0x7FFFFFF0, 0x7FFFFFE8])
def test_generic_version_has_barriers_whose_numbers_differ_between_warps(shift: int) -> None:
    """It knows nothing of lanes. The kernel was run again from its beginning by the interpreter."""
    x = np.zeros(128, np.uint32)
    with settings.cache_at(None):
        openptx.load(NAMED)["k"](1, 128, (x, x, shift), engine="native", workers=1)
    assert set(x) == {11}


def test_a_kernel_that_has_begun_does_not_begin_again(monkeypatch: pytest.MonkeyPatch) -> None:
    x, lower = np.zeros(128, np.uint32), kernel.lower_kernel

    def lower_first(program: Any, function: Any, image: Any, options: Any, *more: Any) -> Any:
        if more:
            raise UnsupportedByJit("a reason")
        return lower(program, function, image, options)

    monkeypatch.setattr(kernel, "lower_kernel", lower_first)
    with settings.cache_at(None), pytest.raises(openptx.Unsupported, match="a reason, after a part"):
        openptx.load(NAMED)["k"](1, 128, (x, x, 0x7FFFFFF0), engine="native", workers=1)
    assert set(x) == {1}
