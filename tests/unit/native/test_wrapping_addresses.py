"""Addresses of shared memory whose lanes are a base plus offsets modulo 2^32: values, faults, and no side exits."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.settings import Options
from openptx.isa.address_windows import window

SOURCE = """.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 base, .param .u32 first, .param .u32 last) {
    .reg .pred %p<4>; .reg .b32 %r<19>; .reg .b64 %rd<4>;
    .shared .align 16 .b8 s[1024];
    ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [base]; ld.param.u32 %r7, [first]; ld.param.u32 %r8, [last];
    mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 3; add.u32 %r4, %r3, %r1;
    mov.u32 %r5, s; add.u32 %r6, %r5, %r3;
    st.shared.v2.u32 [%r6+512], {%r2, %r3}; st.shared.v2.u32 [%r6+256], {%r3, %r2}; bar.sync 0;
    mov.b32 %r9, 0; mov.b32 %r10, 0;
    setp.ge.u32 %p1, %r2, %r7; setp.lt.u32 %p2, %r2, %r8; and.pred %p3, %p1, %p2;
    mad.lo.u32 %r11, %r2, 7, 100;
    @%p3 st.shared.v2.u32 [%r4], {%r11, %r2};
    @%p3 ld.shared.u32 %r9, [%r4+STEP];
    @%p3 atom.shared.add.u32 %r10, [%r4+4], 1;
    bar.sync 0;
    ld.shared.v2.u32 {%r12, %r13}, [%r6]; add.u32 %r9, %r9, %r12; xor.b32 %r10, %r10, %r13;
    mul.wide.u32 %rd2, %r3, 1; add.u64 %rd3, %rd1, %rd2; st.global.v2.u32 [%rd3], {%r9, %r10}; ret;
}
"""


def launched(engine: str, *given: int, step: int) -> tuple[bytes, str]:
    """What the kernel writes, and the fault that it ends with."""
    out, said = np.zeros(64, np.uint32), ""
    try:
        openptx.load(SOURCE.replace("STEP", str(step)))["k"](1, 32, (out, *given), engine=engine)
    except openptx.Fault as fault:
        said = str(fault)
    return out.tobytes(), said


@pytest.mark.parametrize("step", [0, 8])
@pytest.mark.parametrize(
    ("base", "first", "last"),
    [
        (64, 0, 32),
        (2**32 - 128, 16, 32),  # lanes from 16 on wrap to valid addresses
        (2**32 - 128, 15, 32),  # lane 15 is at the end of the space
        (2**32 - 132, 17, 32),  # misaligned
        (2**32 - 128, 4, 5),
        (1020, 0, 1),
        (1024 - 8, 0, 1),
        (1024 - 8, 0, 2),
    ],
)
def test_lanes_wrap_at_32_bits(base: int, first: int, last: int, step: int) -> None:
    expected = launched("interp", base, first, last, step=step)
    assert launched("native", base, first, last, step=step) == expected
    assert bool(expected[1]) == ((base, first) not in {(64, 0), (2**32 - 128, 16), (1024 - 8, 0)} or last == 2 or
                                 (base == 1024 - 8 and step == 8))  # fmt: skip


def test_no_side_exits() -> None:
    kernel = openptx.load(SOURCE.replace("STEP", "8"))["k"]
    made = lower_kernel(kernel.module.program, kernel.function, kernel.module.image, Options((32, 1, 1), locked=False))
    assert not made.metadata.exits


WIDE = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 high) {
    .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<9>;
    .shared .align 8 .b8 pad[128]; .shared .align 8 .b8 s[512]; .shared .align 8 .b64 barrier;
    ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [high];
    mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd1, %rd1, %rd3;
    mov.u64 %rd4, s; add.u64 %rd4, %rd4, %rd3; add.u64 %rd4, %rd4, %rd2;
    mov.u64 %rd5, barrier; add.u64 %rd5, %rd5, %rd2;
    setp.eq.u32 %p, %r1, 0; @%p mbarrier.init.shared.b64 [%rd5], 64; bar.sync 0;
    st.shared.u32 [%rd4], %r1;
    atom.shared.add.u32 %r2, [%rd4], 100;
    mbarrier.arrive.shared.b64 %rd6, [%rd5];
    ld.shared.u32 %r3, [%rd4]; add.u32 %r3, %r3, %r2;
    st.global.u32 [%rd1], %r3; ret;
}
"""


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("sanitize", [(), ("race", "mem")])
def test_a_generic_address_is_a_shared_address(engine: str, sanitize: tuple[str, ...]) -> None:
    """Its low 32 bits are (manual, 6.4.1)."""
    out, kernel = np.zeros(64, np.uint32), openptx.load(WIDE)["k"]
    kernel(1, 64, (out, window("shared")), engine=engine, sanitize=sanitize)
    assert out.tolist() == [2 * i + 100 for i in range(64)]


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_other_high_bits_are_a_fault(engine: str) -> None:
    with pytest.raises(openptx.Fault, match=r"outside of the \d+ bytes of \.shared"):
        openptx.load(WIDE)["k"](1, 64, (np.zeros(64, np.uint32), 1 << 40), engine=engine)
