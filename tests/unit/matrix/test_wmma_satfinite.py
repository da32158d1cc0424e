"""`.satfinite` of floats, which wmma.mma had before PTX 6.5: the CUDA guide's `mma_sync` with `satf`."""

from __future__ import annotations

import numpy as np
import pytest

import openptx


@pytest.mark.parametrize("target", ["sm_70", "sm_90"])
@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("dtype", ["f32", "f16"])
@pytest.mark.parametrize(
    ("addend", "expected"), [(1, 17), (np.inf, "max"), (-np.inf, "-max"), (np.nan, 0), (-1000, -984)]
)
def test_results_are_finite(addend: float, expected: float | str, dtype: str, engine: str, target: str) -> None:
    """All factors are 1, so that every element is 16 and the addend; an H200 leaves what is not finite."""
    real = np.dtype(np.float32 if dtype == "f32" else np.float16)
    value = np.array([addend] * (4 // real.itemsize), real).view(np.uint32)[0]
    count = 8 if dtype == "f32" else 4
    names = ", ".join(f"%d{i}" for i in range(count))
    addends = ", ".join(["%c"] * count)
    ones = ", ".join(["%one"] * 8)
    kind = "f32" if dtype == "f32" else "b32"
    text = f""".version 6.4
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) {{ .reg .b64 %p; .reg .b32 %one; .reg .{kind} %c; .reg .{kind} %d<8>; .reg .b32 %t;
ld.param.u64 %p, [p]; mov.u32 %one, 0x3C003C00; mov.b32 %c, 0x{value:08x};
wmma.mma.sync.aligned.row.col.m16n16k16.{dtype}.{dtype}.satfinite {{{names}}}, {{{ones}}}, {{{ones}}}, {{{addends}}};
{" ".join(f"st.global.b32 [%p+{4 * i}], %d{i};" for i in range(count))} ret; }}"""
    out = np.zeros(count, np.uint32)
    openptx.load(text, target=target)["k"](1, 32, (out,), engine=engine)
    limit = float(np.finfo(real).max)
    wanted = {"max": limit, "-max": -limit}.get(str(expected), expected)
    if target == "sm_90" and not np.isfinite(addend):
        wanted = addend
    np.testing.assert_array_equal(out.view(real), np.full(8, wanted, real))
