"""Users can see which engine ran a kernel, and why."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import openptx

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x) {\n"
PLAIN = HEAD + ".reg .b64 d; ld.param.u64 d, [x]; st.global.b64 [d], d; ret; }\n"
SAMPLES = (
    HEAD + ".reg .b64 d; .reg .b32 a, b, c, e; ld.param.u64 d, [x]; tex.1d.v4.u32.s32 {a, b, c, e}, [d, {a}]; ret; }\n"
)


def test_a_kernel_says_why_it_is_interpreted() -> None:
    assert openptx.load(PLAIN)["k"].why_interp(32) is None
    assert openptx.load(SAMPLES)["k"].why_interp((8, 4)) == "textures and surfaces"


def test_the_log_is_told(caplog: pytest.LogCaptureFixture) -> None:
    kernel = openptx.load(PLAIN)["k"]
    with caplog.at_level(logging.INFO, "openptx.fallback"):
        kernel(1, 1, (np.zeros(1, np.uint64),), engine="native")
        assert not caplog.messages
        kernel(1, 1, (np.zeros(1, np.uint64),), engine="native", max_instructions=100)
    assert caplog.messages == ["kernel `k` runs on the reference engine: clusters, or counted instructions"]
