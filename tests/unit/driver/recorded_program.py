"""The program of test_record.py: a kernel that finds its data through a pointer in memory."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).with_name("programs")))

from driver_calls import Address, Size, Word, allocate, call, context, kernel, launch, load, words

TEXT = """
.visible .global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 table, .param .u32 n) {
    .reg .b64 %rd<5>;
    .reg .b32 %r<4>;
    ld.param.u64 %rd1, [table];
    ld.global.u64 %rd2, [%rd1];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd3, %r1, 4, %rd2;
    ld.global.u32 %r2, [%rd3];
    ld.global.u32 %r3, [factor];
    mul.lo.u32 %r2, %r2, %r3;
    st.global.u32 [%rd3], %r2;
    ret;
}
.visible .entry other(.param .u64 table) { ret; }
"""


def store(place: Address, value: int) -> None:
    call("cuMemcpyHtoD_v2", place, (ctypes.c_uint64 * 1)(value), Size(8))


def main(what: str) -> None:
    owner = context()
    module = load(TEXT)
    scale, other = kernel(module, "scale"), kernel(module, "other")
    numbers, table, large = allocate(256), allocate(8), allocate(2 << 20)
    call("cuMemcpyHtoD_v2", numbers, (Word * 64)(*range(1000, 1064)), Size(256))
    store(table, numbers.value)
    for _ in range(3):
        launch(scale, 32, table, Word(7))
    assert words(numbers, 64) == [27 * n for n in range(1000, 1032)] + [*range(1032, 1064)]
    launch(other, 32, large)
    call("cuLaunchKernel", other, 1, 1, 1, 2048, 1, 1, 0, None, None, None, result=1)  # too many threads
    if what == "fault":
        store(table, numbers.value + 4096)
        launch(scale, 32, table, Word(7), result=700)
    else:
        call("cuCtxDestroy_v2", owner)
    print("done")


main(sys.argv[1])
