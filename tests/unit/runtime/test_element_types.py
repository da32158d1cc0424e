"""An array whose element type differs from the kernel's accesses: a warning that names both."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import openptx

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
REGISTERS = ".reg .b64 %rd<8>; .reg .b32 %r<4>; .reg .f32 %f<8>; .reg .f64 %d<4>;"
LOADS = "ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; cvta.to.global.u64 %rd3, %rd1; mov.u32 %r1, %tid.x;"
INDEX = "mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd3, %rd4;"


def kernel(body: str, more: str = "") -> openptx.Kernel:
    text = f"{HEAD}{more}.visible .entry k(.param .u64 x, .param .u64 y) {{\n{REGISTERS}\n{LOADS}\n{body}\nret; }}\n"
    return openptx.load(text)["k"]


SAXPY = INDEX + "ld.global.f32 %f1, [%rd5]; st.global.f64 [%rd2], 0d3FF0000000000000;"


def test_the_warning_names_both_and_the_caller() -> None:
    with pytest.warns(openptx.ArgumentWarning) as caught:
        kernel(SAXPY)(1, 1, (np.zeros(4), np.zeros(4)), engine="interp")
    (warning,) = caught
    assert str(warning.message) == (
        "argument 0 (`.u64 x`) is an array of float64, and kernel `k` accesses `.f32` through it:"
        " `ld.global.f32 %f1, [%rd5]`; pass `a.astype(numpy.float32)`"
    )
    assert warning.filename == __file__
    with pytest.warns(openptx.ArgumentWarning) as caught:
        kernel(SAXPY)[1, 1](np.zeros(4), np.zeros(4))
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("body", "x"),
    [
        (SAXPY, np.zeros(4, np.int64)),
        (SAXPY, np.arange(4)),
        (INDEX + "ld.global.v2.f32 {%f1, %f2}, [%rd5+8];", np.zeros(4)),
        (SAXPY, np.zeros(4, np.complex128)),
        (INDEX + "ld.global.v2.f32 {%f1, %f2}, [%rd5+8];", np.zeros(4, np.complex128)),
        (SAXPY, np.zeros(4, np.clongdouble)),
        (INDEX + "red.global.add.f32 [%rd5], 0f3F800000;", np.zeros(4)),
        ("st.global.f64 [%rd3], 0d3FF0000000000000;", np.zeros(4, np.float32)),
        ("ld.global.f32 %f1, [%rd3]; ld.global.f64 %d1, [%rd2];", np.zeros(4)),
    ],
)
def test_mistakes(body: str, x: object) -> None:
    with pytest.warns(openptx.ArgumentWarning, match=r"argument 0 \(`.u64 x`\) is an array of"):
        kernel(body)(1, 1, (x, np.zeros(4)), engine="interp")


CALLEE = ".func g(.param .b64 p) { ret; }\n"
CALL = "{ .param .b64 a; st.param.b64 [a], %rd3; call g, (a); }"


@pytest.mark.parametrize(
    ("body", "x"),
    [
        (SAXPY, np.zeros(4, np.float32)),
        (SAXPY, np.zeros(4, np.int32)),
        (SAXPY, np.zeros(32, np.uint8)),
        (SAXPY, np.zeros(4, np.complex64)),
        (SAXPY, None),
        ("ld.global.v2.f64 {%d1, %d2}, [%rd3]; ld.shared.f32 %f1, [s];", np.zeros(2, np.complex128)),
        ("ld.global.b32 %r1, [%rd3]; ld.global.f64 %d1, [%rd2];", np.zeros(4)),
        ("ld.global.f32 %f1, [%rd3]; ld.global.u64 %rd6, [%rd3];", np.zeros(4)),
        ("ld.global.f32 %f1, [%rd3]; ld.global.f64 %d1, [%rd3+8];", np.zeros(4)),
        ("ld.global.u64 %rd6, [%rd3]; cvta.to.global.u64 %rd6, %rd6; @!%p1 ld.global.f32 %f1, [%rd6];", np.zeros(4)),
        ("ld.global.f32 %f1, [%rd3];" + CALL, np.zeros(4)),
        ("selp.b64 %rd6, %rd3, %rd2, %p1; ld.global.f32 %f1, [%rd6];", np.zeros(4)),
    ],
)
def test_what_may_be_meant(body: str, x: object) -> None:
    body = ".shared .f32 s; .reg .pred %p1; setp.eq.u32 %p1, 0, 0;" + body
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel(body, CALLEE)(1, 1, (x if x is not None else np.zeros(4, np.float32), np.zeros(4)), engine="interp")


def test_an_array_of_another_kernels_launch_is_asked_about() -> None:
    x, y = np.zeros(4), np.zeros(4)
    right = kernel("ld.global.f64 %d1, [%rd3]; st.global.f64 [%rd2], %d1;")
    wrong = kernel(SAXPY)
    wrong(1, 1, (np.zeros(4, np.float32), y), engine="interp")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        right(1, 1, (x, y), engine="interp")
    with pytest.warns(openptx.ArgumentWarning, match="an array of float64"):
        wrong(1, 1, (x, y), engine="interp")


def test_a_launch_with_the_same_array_again_does_not_ask_again() -> None:
    x, y = np.zeros(4), np.zeros(4)
    launched = kernel(SAXPY)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            launched(1, 1, (x, y), engine="interp")
    assert len(caught) == 1
