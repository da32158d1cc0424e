"""Tensor-core sums near and below 2^-126: single `mma.sync` of an H100, whose zero addend counts as 2^-133."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recordings import recording

import openptx
from openptx.numerics import FORMATS, Arithmetic, Bits
from openptx.numerics.dot import Factors
from openptx.numerics.formats import F32
from openptx.numerics.numpy_machine import NumpyMachine

SAMPLE = Path(__file__).parent / "sm_90-13.0-2026-11-23" / "small_sums.npz"
KINDS = ("one", "two", "many", "one_c", "two_c", "many_c", "only_c")  # products of a sum that are not zero; an addend
SHAPES = {"bf16": "m16n8k16.row.col.f32.bf16.bf16.f32", "tf32": "m16n8k8.row.col.f32.tf32.tf32.f32"}
TEXT = """.version 8.0
.target sm_90
.address_size 64
.visible .entry product(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) {{
    .reg .b64 %p<4>, %at<2>; .reg .b32 %n, %t, %a<4>, %b<2>; .reg .f32 %c<4>, %d<4>;
    ld.param.u64 %p0, [a]; ld.param.u64 %p1, [b]; ld.param.u64 %p2, [c]; ld.param.u64 %p3, [d];
    mov.u32 %n, %ctaid.x; mov.u32 %t, %tid.x; mad.lo.u32 %n, %n, 32, %t;
    mul.wide.u32 %at0, %n, 16; mul.wide.u32 %at1, %n, 8;
    add.u64 %p0, %p0, %at0; add.u64 %p1, %p1, %at1; add.u64 %p2, %p2, %at0; add.u64 %p3, %p3, %at0;
    ld.global.v4.u32 {{%a0, %a1, %a2, %a3}}, [%p0]; ld.global.v2.u32 {{%b0, %b1}}, [%p1];
    ld.global.v4.f32 {{%c0, %c1, %c2, %c3}}, [%p2];
    mma.sync.aligned.{shape} {{%d0, %d1, %d2, %d3}}, {{%a0, %a1, %a2, %a3}}, {{%b0, %b1}}, {{%c0, %c1, %c2, %c3}};
    st.global.v4.f32 [%p3], {{%d0, %d1, %d2, %d3}};
    ret;
}}
"""


def differing(file: Path, type: str, kind: str, engine: str) -> int:
    """How many of the recorded results the engine does not give."""
    with np.load(file) as recorded:
        a, b, c, d = (recorded[f"{type}_{kind}_{r}"] for r in "abcd")
    found = np.zeros_like(d)
    kernel = openptx.load(TEXT.format(shape=SHAPES[type]))["product"]
    kernel(len(a), 32, (a, b, c, found), engine=engine)
    return int((found != d).sum())


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("type", SHAPES)
def test_sample(type: str, kind: str, engine: str) -> None:
    assert not differing(SAMPLE, type, kind, engine)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("type", SHAPES)
def test_whole_recording(type: str, kind: str) -> None:
    """24,576 results each."""
    assert not differing(recording("mma_small_numbers.npz"), type, kind, "interp")


@pytest.mark.parametrize("machine", [NumpyMachine, Arithmetic])
@pytest.mark.parametrize(("c", "expected"), [(0, 1), (0x80000000, 1), (1, 1)])
def test_what_counts_as_largest(machine: Any, c: int, expected: int) -> None:
    """Eight products of 2^-152: kept 25 bits below a zero's 2^-133, cut off below a subnormal addend's 2^-126."""
    x = NumpyMachine()
    f = Factors(16, FORMATS["bf16"])
    line = (Bits(x, 16, np.array([127 - 76 << 7], np.uint16)),) * 8
    addend = Bits(x, 32, np.array([c], np.uint32))
    found = machine.dots(x, f, f, (line,), (line,), ((addend,),), F32, F32)[0][0]
    assert int(found.v[0]) == expected
