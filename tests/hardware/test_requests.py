"""Requests that send a launch to a GPU, tested without one: the module's text for the device, and each array once."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

from hardware.requests import Elsewhere, alone, fitted, request

import openptx
from openptx import Texture

TEXT = """.version 9.1
.target sm_100a
.address_size 64
.global .b32 kept;
.func (.reg .b32 d) one (.reg .b32 a) { add.s32 d, a, 1; ret; }
.func (.reg .b32 d) two (.reg .b32 a) { add.s32 d, a, 2; ret; }
.visible .entry k(.param .u64 p, .param .u64 q, .param .f32 x) {
    .reg .b32 a; mov.b32 a, 3; call (a), one, (a); ret;
}
.visible .entry openptx_run_two(.param .u64 p) { .reg .b32 x, y; mov.b32 x, 0; call (y), two, (x); ret; }
"""


def test_functions_that_are_not_needed_are_left_out() -> None:
    text = alone(openptx.load(TEXT)["k"])
    assert ".func (.reg .b32 d) one" in text
    assert "two" not in text
    assert ".global .b32 kept" in text


def test_a_tested_function_stands_in_its_kernel() -> None:
    text = TEXT.replace("(y), two, (x)", "(openptx_r0), two, (openptx_a0)")
    text = text.replace(".reg .b32 x, y; mov.b32 x, 0;", ".reg .b32 openptx_r0, openptx_a0; mov.b32 openptx_a0, 0;")
    inside = alone(openptx.load(text)["openptx_run_two"]).rpartition(".entry")[2]
    assert "add.s32 openptx_r0, openptx_a0, 2" in inside
    assert "call" not in inside
    openptx.load(text)["openptx_run_two"](1, 1, (np.zeros(1),))


@pytest.mark.parametrize(("text", "expected"), [
    (".version 9.1\n.target sm_100a\n", ".version 9.0\n.target sm_90a\n"),
    (".version 7.0\n.target sm_80\n", ".version 7.0\n.target sm_80\n"),
    (".version 8.0\n.target sm_90a\n", ".version 8.0\n.target sm_90a\n"),
])  # fmt: skip
def test_a_text_is_fitted_to_a_device(text: str, expected: str) -> None:
    assert fitted(text, 90, (9, 0)) == expected


def test_memory_is_named_once() -> None:
    a, b = np.zeros(4, np.float32), np.ones(4, np.float32)
    kernel = openptx.load(TEXT)["k"]
    made = request(kernel, 2, (32, 1), (a, a, 1.5), 0, None)
    assert made.arguments == [("array", 0, None), ("array", 0, None), b"\0\0\xc0\x3f"]
    assert (made.grid, made.block, len(made.arrays)) == ((2, 1, 1), (32, 1, 1), 1)
    assert len(request(kernel, 2, 32, (a, b, 0.0), 0, None).arrays) == 2
    image = request(kernel, 1, 1, (Texture(b), b, 0), 0, None).arguments[0]
    assert image[0] == "image"
    with pytest.raises(Elsewhere):
        request(kernel, 1, 1, (openptx.Sampler(), b, 0), 0, None)
