"""Arrays of more than 4 GiB of which a launch accesses a few pages."""

from __future__ import annotations

import mmap
import sys
from typing import Any

import numpy as np
import pytest

import openptx

SIZE = 6 << 30
NO_RESERVE = 0x4000  # Linux's MAP_NORESERVE, which `mmap` has from Python 3.13 on
TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry ends(.param .u64 x, .param .u64 size) {
    .reg .u64 a, b, n; .reg .u32 i, v; .reg .pred first;
    ld.param.u64 a, [x]; ld.param.u64 n, [size]; mov.u32 i, %ctaid.x; setp.eq.u32 first, i, 0;
    add.u64 b, a, n; sub.u64 b, b, 4; selp.b64 b, a, b, first;
    ld.global.u32 v, [b]; add.u32 v, v, 7; st.global.u32 [b], v;
    ret;
}
"""


@pytest.fixture
def sparse() -> Any:
    """Pages that take no room before they are touched."""
    if sys.platform != "linux":
        pytest.skip("reserves memory as Linux does")
    memory = mmap.mmap(-1, SIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE)
    return np.frombuffer(memory, np.uint32)


def resident() -> int:
    """Bytes of the process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * mmap.PAGESIZE


@pytest.mark.parametrize("engine", ["interp", "native", "auto"])
def test_both_ends(sparse: Any, engine: str) -> None:
    kernel = openptx.load(TEXT)["ends"]
    before = resident()
    kernel(2, 1, (sparse, SIZE), engine=engine)
    assert sparse[0] == sparse[-1] == 7
    assert resident() - before < 512 << 20


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_past_the_end(sparse: Any, engine: str) -> None:
    with pytest.raises(openptx.Fault, match="ends 4 bytes past it"):
        openptx.load(TEXT)["ends"](2, 1, (sparse, SIZE + 4), engine=engine)
