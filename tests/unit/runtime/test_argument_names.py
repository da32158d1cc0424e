"""What faults call an array: the argument of this launch that points to it."""

from __future__ import annotations

import numpy as np
import pytest

from openptx import memory
from openptx.errors import Fault
from openptx.runtime import Kernel, load

TEXT = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry store(.param .u64 {0}, .param .u64 {1}) {{
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [{0}];
    st.global.u32 [%rd1+64], 1;
    ret;
}}
"""


def fault_of(kernel: Kernel, engine: str, *arguments: object) -> str:
    with pytest.raises(Fault) as found:
        kernel(1, 1, arguments, engine=engine)
    return str(found.value)


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_an_array_has_its_name_in_the_launch_that_faults(engine: str) -> None:
    x, y = np.zeros(32, np.uint32), np.zeros(4, np.uint32)
    load(TEXT.format("first", "second"))["store"](1, 1, (x, y), engine=engine)
    kernel = load(TEXT.format("left", "right"))["store"]
    assert "nearest allocation: argument 0 `left`, 16 bytes" in fault_of(kernel, engine, y, x)
    y.flags.writeable = x.flags.writeable = False
    assert "a write to argument 0 `left`, 128 bytes" in fault_of(kernel, engine, x, y)


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_a_part_of_an_array_is_named_as_one(engine: str) -> None:
    kernel, data = load(TEXT.format("left", "right"))["store"], np.zeros(16, np.uint32)
    start = memory.address(data)
    assert "memory of argument 0 `left`, 64 bytes" in fault_of(kernel, engine, start + 16, 0)
    assert "memory of argument 0 `left`, 64 bytes" in fault_of(kernel, engine, start + 16, start)  # the last before it


def test_an_array_that_no_argument_points_to_is_an_array() -> None:
    data = np.zeros(16, np.uint32)
    kernel = load(TEXT.format("left", "right"))["store"]
    assert "nearest allocation: array, 64 bytes" in fault_of(kernel, "interp", memory.address(data) + 4096, 0)
