"""Directed rounding of scalars and lanes, and the processor's rounding mode for it."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import openptx
from openptx.llvm.codegen import compile
from openptx.llvm.host import MXCSR, host
from openptx.llvm.jit import Library

MODES = ("rn", "rz", "rm", "rp")
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry directed(.param .u64 in, .param .u64 out, .param .{t} u, .param .{t} v) {{
    .reg .b64 %rd<8>;
    .reg .b32 %r<4>;
    .reg .{t} %f<8>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    ld.param.{t} %f1, [u];
    ld.param.{t} %f2, [v];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, {size};
    add.s64 %rd1, %rd1, %rd3;
    add.s64 %rd2, %rd2, %rd3;
    ld.global.{t} %f3, [%rd1];
    {body}
    ret;
}}
"""
OPERATIONS = ("add.{m}.{t} %f4, {a}, %f2", "mul.{m}.{t} %f4, {a}, %f2", "div.{m}.{t} %f4, {a}, %f2",
              "sqrt.{m}.{t} %f4, {a}", "fma.{m}.{t} %f4, {a}, %f2, {a}", "fma.{m}.{t} %f4, {a}, {a}, %f2")  # fmt: skip
COUNT = len(OPERATIONS) * len(MODES) * 2


@pytest.mark.parametrize("t", ["f32", "f64"])
def test_scalars_and_lanes(t: str) -> None:
    """A parameter's operations are a scalar's; each is followed by one to nearest, whose mode must be its own."""
    dtype, size = (np.float32, 4) if t == "f32" else (np.float64, 8)
    lines: list[str] = []
    for a in ("%f1", "%f3"):
        for op in OPERATIONS:
            for m in MODES:
                at = len(lines) // 3 * 32 * 2 * size
                lines.append(op.format(m=m, t=t, a=a) + ";")
                lines.append(f"st.global.{t} [%rd2+{at}], %f4; add.rn.{t} %f5, {a}, 0D3FB999999999999A;")
                lines.append(f"st.global.{t} [%rd2+{at + 32 * size}], %f5;")
    text = "\n".join(lines)
    kernel = openptx.load(
        PTX.format(t=t, size=size, body=text.replace("0D3FB999999999999A", "0f3DCCCCCD") if t == "f32" else text)
    )["directed"]
    random = np.random.default_rng(5)
    given = random.standard_normal(32).astype(dtype)
    given[:6] = 0, -0.0, np.inf, np.finfo(dtype).tiny / 8, np.finfo(dtype).max, -np.finfo(dtype).max
    for u, v in ((0.1, 0.3), (1.0, 3.0), (-0.0, 0.0), (2.5, -2.5), (1e-30, 1e-20)):
        ours, theirs = (np.zeros((COUNT, 2, 32), dtype) for _ in range(2))
        kernel(1, 32, (given, ours, dtype(u), dtype(v)), engine="native")
        kernel(1, 32, (given, theirs, dtype(u), dtype(v)), engine="interp")
        assert ours.tobytes() == theirs.tobytes(), (u, v)


FLUSHING = MXCSR | 0x8040  # subnormal operands and results become zeros
SET_MODE = """
define void @set(i32 %mode) {
  %p = alloca i32
  store i32 %mode, ptr %p
  call void @llvm.x86.sse.ldmxcsr(ptr %p)
  ret void
}
define i32 @get() {
  %p = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %p)
  %mode = load i32, ptr %p
  ret i32 %mode
}
"""


@pytest.mark.skipif(not host().x86, reason="MXCSR is an x86's")
def test_the_callers_mode_is_neither_used_nor_lost() -> None:
    """Of a thread that flushes subnormal numbers, as torch.set_flush_denormal(True) makes it do."""
    library = Library(compile(SET_MODE), ("set", "get"))
    set_mode = ctypes.CFUNCTYPE(None, ctypes.c_uint32)(library["set"])
    get_mode = ctypes.CFUNCTYPE(ctypes.c_uint32)(library["get"])
    body = "mul.rn.f32 %f4, %f3, %f1; fma.rm.f32 %f4, %f4, %f2, %f3; st.global.f32 [%rd2], %f4;"
    kernel = openptx.load(PTX.format(t="f32", size=4, body=body))["directed"]
    given, found = np.full(32, 1e-39, np.float32), np.zeros(32, np.float32)
    arguments = (given, found, np.float32(0.5), np.float32(1))
    kernel(1, 32, arguments, engine="interp")
    wanted = found.tobytes()
    set_mode(FLUSHING)
    try:
        kernel(1, 32, arguments, engine="native")
        left = get_mode()
    finally:
        set_mode(MXCSR)
    assert found.tobytes() == wanted
    assert left & 0xFFC0 == FLUSHING
