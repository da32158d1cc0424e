"""Indirect calls of addresses that are no functions: both engines name the first thread."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

TEXT = """.version 8.0
.target sm_80
.address_size 64
.func f() { ret; }
.visible .entry k(.param .u64 targets) {
.reg .b64 %p; .reg .b32 %t; .reg .bWIDTH %f;
ld.param.u64 %p, [targets]; mov.u32 %t, %tid.x; mad.wide.u32 %p, %t, 8, %p; ld.global.bWIDTH %f, [%p];
prototype: .callprototype _ ();
call %f, prototype; ret; }"""


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("width", [32, 64])
def test_the_first_thread_whose_target_is_no_function(engine: str, width: int) -> None:
    targets = np.arange(64, 32, -1, dtype=np.uint64)  # the last thread has the lowest address
    with pytest.raises(openptx.Fault) as caught:
        openptx.load(TEXT.replace("WIDTH", str(width)))["k"]((1,), (32,), (targets,), engine=engine)
    assert (caught.value.name, caught.value.thread) == ("invalid-call-target", (0, 0, 0))
