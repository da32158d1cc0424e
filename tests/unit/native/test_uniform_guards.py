"""Accesses under a guard that all lanes share: one branch, after which all lanes execute."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from golden_ir import lowered

import openptx

TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 from, .param .u64 to, .param .u32 some) {
.reg .b64 %from, %to, %wide; .reg .b32 %t, %a, %some; .reg .pred %p;
ld.param.u64 %from, [from]; ld.param.u64 %to, [to]; ld.param.u32 %some, [some]; mov.u32 %t, %tid.x;
mad.wide.u32 %from, %t, 4, %from; mad.wide.u32 %to, %t, 4, %to; setp.ne.u32 %p, %some, 0; mov.u32 %a, 7;
@%p ld.global.u32 %a, [%from];
@%p st.global.u32 [%to], %a;
@!%p red.global.add.u32 [%to], %a;
ret; }"""


def test_neither_masks_nor_a_masked_store(tmp_path: Path) -> None:
    source = tmp_path / "k.ptx"
    source.write_text(TEXT)
    text = lowered(source)
    assert "store <32 x i32>" in text
    assert "masked.store" not in text


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("threads", [32, 44])
@pytest.mark.parametrize("some", [0, 1])
def test_all_or_none(engine: str, threads: int, some: int) -> None:
    given, found = np.arange(64, dtype=np.uint32), np.full(64, 100, np.uint32)
    openptx.load(TEXT)["k"](1, threads, (given, found, some), engine=engine)
    want = np.full(64, 100, np.uint32)
    want[:threads] = given[:threads] if some else 107
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_a_fault_of_one_lane(engine: str) -> None:
    given, found = np.arange(64, dtype=np.uint32), np.zeros(40, np.uint32)
    with pytest.raises(openptx.Fault) as caught:
        openptx.load(TEXT)["k"](1, 64, (given, found, 1), engine=engine)
    assert (caught.value.name, caught.value.thread) == ("out-of-bounds", (40, 0, 0))


def test_a_condition_of_the_warp_becomes_a_mask_without_vectors(tmp_path: Path) -> None:
    source = tmp_path / "k.ptx"
    source.write_text(
        TEXT.replace("@%p ld.global.u32 %a, [%from];", "setp.lt.and.u32 %p, %t, %a, %p;").replace("@!%p", "@%p")
    )
    text = lowered(source)
    assert "sext i1" in text
    assert "shufflevector <32 x i1>" not in text
