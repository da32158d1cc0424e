# ruff: noqa: E501 - PTX in one line reads better here
"""Launches: the interpreter's fault texts, hostile kernels, exits, workers, time limits, Ctrl-C."""

from __future__ import annotations

import signal
import threading
import time

import numpy as np
import pytest

import openptx

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


def entry(body: str, parameters: str = ".param .u64 x", before: str = "") -> str:
    registers = ".reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<8>;"
    return f"{HEAD}{before}\n.visible .entry k({parameters}) {{\n{registers}\n{body}\n}}\n"


def fault_of(source: str, engine: str, grid: int = 1, block: int = 32, **options: object) -> openptx.Fault:
    x = np.zeros(64, np.uint32)
    with pytest.raises(openptx.Fault) as found:
        openptx.load(source)["k"](grid, block, (x,), engine=engine, **options)
    return found.value


START = "ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;"
FAULTS = {
    "past the end": f"{START} st.global.u32 [%rd3+256], %r1; ret;",
    "one lane past the end": f"{START} st.global.u32 [%rd3+132], %r1; ret;",
    "null": "mov.u64 %rd1, 0; ld.global.u32 %r1, [%rd1]; ret;",
    "wild": "mov.u64 %rd1, 0x123456789abcde0; ld.u32 %r1, [%rd1]; ret;",
    "misaligned": f"{START} ld.global.u32 %r1, [%rd3+2]; ret;",
    "misaligned vector": f"{START} ld.global.v2.u32 {{%r1, %r2}}, [%rd3]; ret;",
    "shared": "mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 4; st.shared.u32 [%r1], %r1; ret;",
    "constant": "mov.u64 %rd1, c; cvta.const.u64 %rd1, %rd1; st.u32 [%rd1], 1; ret;",
    "gather": f"{START} mul.lo.s32 %r2, %r1, %r1; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r3, [%rd3]; st.global.u32 [%rd1], %r3; ret;",
    "atomic": f"{START} atom.global.add.u32 %r2, [%rd3+4096], 1; st.global.u32 [%rd1], %r2; ret;",
    "trap": "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 5; @%p1 trap; ret;",
    "guarded": f"{START} setp.eq.u32 %p1, %r1, 9; @%p1 st.global.u32 [%rd3+4096], %r1; ret;",
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_those_of_the_reference_engine(name: str) -> None:
    source = entry(FAULTS[name], before=".const .u32 c = 5;\n.shared .u32 s[16];")
    ours, reference = fault_of(source, "native"), fault_of(source, "interp")
    for fact in ("code", "message", "kernel", "block", "thread", "space", "span", "notes"):
        assert getattr(ours, fact) == getattr(reference, fact), fact
    if reference.address is None:
        assert ours.address is None
    else:  # each launch has an array of its own, in a slot of its own
        assert ours.address is not None
        assert ours.address % (1 << 32) == reference.address % (1 << 32)


def test_a_barrier_that_nobody_completes_is_a_deadlock() -> None:
    body = "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra A; bar.sync 1; ret; A: bar.sync 2; ret;"
    assert fault_of(entry(body), "native", block=64, timeout=10).name == "deadlock"


@pytest.mark.parametrize("body", ["AGAIN: bra AGAIN;", "AGAIN: bar.sync 0; bra AGAIN;"])
def test_endless_loops_end_in_time(body: str) -> None:
    assert fault_of(entry(body), "native", block=64, timeout=0.3).name == "timeout"


def test_endless_recursion_is_a_fault() -> None:
    before = ".func down(.reg .b32 a) { .reg .b32 b; add.s32 b, a, 1; call down, (b); ret; }"
    assert fault_of(entry("call down, (1); ret;", before=before), "native").name == "stack-overflow"


def test_wild_pointers_never_end_the_process() -> None:
    """A hundred kernels with addresses from anywhere: faults, or right by chance."""
    source = entry(
        f"{START} ld.global.u32 %r2, [%rd3]; ld.global.u64 %rd4, [%rd1]; st.u32 [%rd4], %r2; atom.add.u32 %r3, [%rd4+4], 1; ret;"
    )
    kernel = openptx.load(source)["k"]
    random = np.random.default_rng(3)
    faults = 0
    for _ in range(100):
        x = np.zeros(64, np.uint32)
        wild = int(random.integers(0, 1 << int(random.integers(1, 64))))
        x[:2] = wild & 0xFFFFFFFF, wild >> 32
        try:
            kernel(1, 32, (x,), engine="native", workers=1)
        except openptx.Fault:
            faults += 1
    assert faults > 90


OFFSETS = entry(
    """
    ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u32 %r5, [shift];
    mov.u32 %r1, %tid.x; add.s32 %r2, %r1, %r5;
    cvt.u64.u32 %rd3, %r2; cvt.s64.s32 %rd4, %r2; and.b64 %rd3, %rd3, 127; and.b64 %rd4, %rd4, 127;
    shl.b64 %rd3, %rd3, 2; shl.b64 %rd4, %rd4, 2; add.s64 %rd5, %rd1, %rd3; add.s64 %rd6, %rd1, %rd4;
    ld.global.u32 %r6, [%rd5]; ld.global.u32 %r7, [%rd6]; bar.sync 0; add.s32 %r6, %r6, %r7;
    mul.wide.u32 %rd7, %r1, 4; add.s64 %rd8, %rd2, %rd7; st.global.u32 [%rd8], %r6; ret;
    """,
    ".param .u64 x, .param .u64 y, .param .u32 shift",
)


@pytest.mark.parametrize("shift", [0, 5, (1 << 32) - 5, (1 << 32) - 64, (1 << 31) - 7, (1 << 31) + 3])
def test_offsets_that_wrap_are_exact(shift: int) -> None:
    kernel = openptx.load(OFFSETS)["k"]
    x = np.arange(128, dtype=np.uint32) * 7
    y = np.zeros(96, np.uint32)
    kernel(1, 96, (x, y, shift), engine="native", workers=1)
    i = (np.arange(96, dtype=np.uint64) + shift) % (1 << 32)
    assert np.array_equal(y, 2 * x[i % 128])


def test_workers_give_the_same_bits() -> None:
    body = f"{START} mov.u32 %r2, %ctaid.x; shl.b32 %r3, %r2, 7; cvt.u64.u32 %rd4, %r3; add.s64 %rd3, %rd3, %rd4; mad.lo.s32 %r4, %r1, 1000, %r2; st.global.u32 [%rd3], %r4; ret;"
    kernel = openptx.load(entry(body))["k"]
    outputs: list[bytes] = []
    for workers in (1, 2, 5):
        x = np.zeros(32 * 1000, np.uint32)
        kernel(1000, 32, (x,), engine="native", workers=workers)
        outputs.append(x.tobytes())
    assert outputs[0] == outputs[1] == outputs[2]
    assert np.array_equal(x.reshape(1000, 32), np.arange(32) * 1000 + np.arange(1000)[:, None])


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="this system can't send signals to threads")
def test_ctrl_c_stops_a_running_kernel() -> None:
    kernel = openptx.load(entry("AGAIN: bra AGAIN;"))["k"]
    main = threading.get_ident()
    timer = threading.Timer(0.4, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        kernel(1, 32, (np.zeros(4, np.uint32),), engine="native", workers=1, timeout=20)
    assert time.monotonic() - start < 10
