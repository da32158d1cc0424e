"""Loops fetch the rows that the next warps will read."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.settings import Options

TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to, .param .u32 turns) {{
.reg .b64 %a, %b; .reg .b32 %t, %n, %x, %sum; .reg .pred %p;
ld.param.u64 %a, [from]; ld.param.u64 %b, [to]; ld.param.u32 %n, [turns]; mov.u32 %t, %tid.x; mov.b32 %sum, 0;
mad.wide.u32 %a, %t, {step}, %a; mad.wide.u32 %b, %t, 4, %b;
LOOP: ld.global.{load} %x, [%a]; add.u32 %sum, %sum, %x; add.s64 %a, %a, 1024; sub.s32 %n, %n, 1;
{back} st.global.u32 [%b], %sum; ret; }}"""
BACK = "setp.ne.s32 %p, %n, 0; @%p bra LOOP;"
# fmt: off
#       bytes from lane to lane, load, how the loop goes on, block,        lines fetched for a row
CASES = {
    "words":         (4, "u32", BACK, (256, 1, 1), 2),
    "bytes":         (1, "u8",  BACK, (256, 1, 1), 1),
    "one warp":      (4, "u32", BACK, (32, 1, 1),  0),
    "a warp a row":  (4, "u32", BACK, (32, 8, 1),  0),
    "apart":         (8, "u32", BACK, (256, 1, 1), 0),
    "no loop":       (4, "u32", "",   (256, 1, 1), 0),
}
# fmt: on


@pytest.mark.parametrize("case", CASES)
def test_what_is_fetched(case: str) -> None:
    step, load, back, block, lines = CASES[case]
    module = openptx.load(TEXT.format(step=step, load=load, back=back))
    kernel = lower_kernel(module.program, module.program.function("k"), module.image, Options(block, False))
    fetches = kernel.text.count("call void @llvm.prefetch")
    assert fetches in (lines, 2 * lines)  # a loop may be emitted twice


def test_rows_at_addresses_of_which_nothing_is_known_are_fetched() -> None:
    """They are rows where a test says so; each of two halves is fetched."""
    text = TEXT.format(step=4, load="u32", back=BACK)
    unknown = text.replace("LOOP:", "setp.lt.u32 %p, %t, %n; @%p mov.u64 %a, %b; LOOP:")
    module = openptx.load(unknown)
    for block, lines in (((256, 1, 1), 2), ((16, 16, 1), 0)):
        kernel = lower_kernel(module.program, module.program.function("k"), module.image, Options(block, False))
        assert kernel.text.count("call void @llvm.prefetch") == lines


@pytest.mark.parametrize("case", CASES)
def test_sums_up_to_the_end_of_an_array(case: str) -> None:
    step, load, back, block, _ = CASES[case]
    kernel = openptx.load(TEXT.format(step=step, load=load, back=back))["k"]
    x = np.random.default_rng(3).integers(0, 256, 1024 * 3 + step * block[0], np.uint8)
    expected, found = np.zeros(block, np.uint32), np.zeros(block, np.uint32)
    kernel(1, block, (x, expected, 4), engine="interp")
    kernel(1, block, (x, found, 4), engine="native")
    np.testing.assert_array_equal(found, expected)
