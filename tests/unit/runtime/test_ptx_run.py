"""`openptx.tinygrad.ptx_run`, called as tinygrad's mock of CUDA does."""

from __future__ import annotations

import builtins
import ctypes
from functools import partial

import numpy as np
import pytest

from openptx.errors import ArgumentError, CheckError, Fault
from openptx.tinygrad import ptx_run

SCALE = b""".version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 to, .param .u64 from, .param .s32 by) {
    .reg .b64 a, b; .reg .b32 t, v, k;
    ld.param.u64 a, [to]; ld.param.u64 b, [from]; ld.param.s32 k, [by];
    mov.u32 t, %tid.x; mad.wide.u32 a, t, 4, a; mad.wide.u32 b, t, 4, b;
    ld.global.s32 v, [b]; mul.lo.s32 v, v, k; st.global.s32 [a], v; ret;
}
"""


def address(view: memoryview) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(view))


def pointers(*values: int) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(values))(*values)


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_a_kernel_runs_on_the_hosts_memory(engine: str) -> None:
    memory = {address(view): view for view in (memoryview(bytearray(128)) for _ in range(2))}
    to, source = memory
    memory[source][:] = np.arange(32, dtype=np.int32).tobytes()
    run = partial(ptx_run, memory=lambda: memory, engine=engine)
    run(ctypes.cast(SCALE, ctypes.c_char_p), 3, pointers(to, source, -3 & (1 << 64) - 1), 32, 1, 1, 1, 1, 1, 0)
    assert [*memory[to].cast("i")] == [-3 * i for i in range(32)]
    run(SCALE, 3, pointers(to + 64, source, 0), 16, 1, 1, 1, 1, 1)  # an offset
    assert [*memory[to].cast("i")] == [-3 * i for i in range(16)] + [0] * 16
    with pytest.raises(Fault, match="ends 4 bytes past it"):
        run(SCALE, 3, pointers(to + 4, source, 1), 32, 1, 1, 1, 1, 1)


def test_memoryview_may_be_another_class(monkeypatch: pytest.MonkeyPatch) -> None:
    view = memoryview(bytearray(128))
    memory = {address(view): view}
    real = memoryview
    monkeypatch.setattr(builtins, "memoryview", type("memoryview", (), {"__new__": lambda _, data: real(data)}))
    (at,) = memory
    ptx_run(SCALE, 3, pointers(at, at, 2), 32, 1, 1, 1, 1, 1, memory=memory)


def test_memory_that_the_mock_frees_is_gone() -> None:
    memory = {address(view): view for view in (memoryview(bytearray(128)) for _ in range(2))}
    to, source = memory
    ptx_run(SCALE, 3, pointers(to, source, 1), 32, 1, 1, 1, 1, 1, memory=memory)
    del memory[to]
    with pytest.raises(Fault, match="outside of every allocation"):
        ptx_run(SCALE, 3, pointers(to, source, 1), 32, 1, 1, 1, 1, 1, memory=memory)


def test_what_can_not_be_run() -> None:
    with pytest.raises(ArgumentError, match="takes 3 arguments, not 2"):
        ptx_run(SCALE, 2, pointers(1, 2), 1, 1, 1, 1, 1, 1)
    with pytest.raises(ArgumentError, match="one kernel, not 2"):
        ptx_run(SCALE + b".visible .entry other() { ret; }", 3, pointers(1, 2, 3), 1, 1, 1, 1, 1, 1)
    with pytest.raises(CheckError):
        ptx_run(SCALE.replace(b"mul.lo", b"mul.low"), 3, pointers(1, 2, 3), 1, 1, 1, 1, 1, 1)
    with pytest.raises(Fault, match="null pointer"):
        ptx_run(SCALE, 3, pointers(0, 0, 0), 1, 1, 1, 1, 1, 1)
