"""A launch that a time limit stops names a thread that still runs."""

from __future__ import annotations

import re

import numpy as np
import pytest

import openptx

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
REGISTERS = ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;"
ENTRY = f"{HEAD}.visible .entry k(.param .u64 x) {{ {REGISTERS}"


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize(
    "body", ["L: @!%p1 bra L;", "@!%p1 call f;"], ids=["a loop of one lane", "a function that one lane calls"]
)
def test_a_lane_that_runs_for_ever_is_named(engine: str, body: str) -> None:
    """Others wait for it, or have done their work."""
    text = f"{HEAD}.func f() {{ L: bra L; ret; }}\n{ENTRY.removeprefix(HEAD)} mov.u32 %r1, %tid.x;"
    kernel = openptx.load(f"{text} setp.ne.u32 %p1, %r1, 43; {body} ret; }}")["k"]
    with pytest.raises(openptx.Fault, match=re.escape("thread (43, 0, 0)")):
        kernel(1, 64, (np.zeros(1, np.uint32),), engine=engine, timeout=0.3)
