"""Lanes at separate addresses of shared memory, which have 32 bits: values, guards, rows, and faults of one lane."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import openptx
from openptx.engines.native.pipeline import lower_kernel
from openptx.engines.native.settings import Options

WORDS = 300
MORE = 6
"""Accesses of a kind, of which the first four are inline and the others call a function."""


def kernel(w: int, step: str, count: int) -> openptx.Kernel:
    """Fills shared memory with its indices, runs `count` copies of `step` on the address in %r1, and copies it back."""
    size, steps = w // 8, "\n".join(step for _ in range(count))
    return openptx.load(f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 at, .param .u64 out, .param .u32 active) {{
    .reg .pred %p<3>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
    .shared .align 8 .b8 s[{WORDS * size}];
    ld.param.u64 %rd1, [at]; ld.param.u64 %rd2, [out]; ld.param.u32 %r7, [active];
    mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd1, %rd1, %rd3;
    ld.global.u32 %r1, [%rd1];
    setp.lt.u32 %p1, %r2, %r7;
    mov.u32 %r6, s;
    mov.u32 %r3, %r2;
FILL: mad.lo.u32 %r4, %r3, {size}, %r6;
    cvt.u64.u32 %rd4, %r3; cvt.u16.u32 %h1, %r3;
    {store(w, "[%r4]", "%rd4", "%h1", "%r3")}
    add.u32 %r3, %r3, 32;
    setp.lt.u32 %p2, %r3, {WORDS}; @%p2 bra FILL;
    bar.sync 0;
    mov.u64 %rd5, 0;
    {steps}
    bar.sync 0;
    mul.wide.u32 %rd3, %r2, 8; add.s64 %rd6, %rd2, %rd3;
    st.global.u64 [%rd6], %rd5;
    mov.u32 %r3, %r2;
BACK: mad.lo.u32 %r4, %r3, {size}, %r6;
    {load(w, "[%r4]")}
    mul.wide.u32 %rd3, %r3, 8; add.s64 %rd6, %rd2, %rd3;
    st.global.u64 [%rd6+256], %rd4;
    add.u32 %r3, %r3, 32;
    setp.lt.u32 %p2, %r3, {WORDS}; @%p2 bra BACK;
    ret;
}}""")["k"]


def store(w: int, where: str, wide: str, half: str, word: str, guard: str = "") -> str:
    value = {8: half, 16: half, 32: word, 64: wide}[w]
    return f"{guard} st.shared.u{w} {where}, {value};"


def load(w: int, where: str, guard: str = "") -> str:
    """Into %rd4."""
    if w == 64:
        return f"{guard} ld.shared.u64 %rd4, {where};"
    if w == 32:
        return f"mov.u32 %r5, 0; {guard} ld.shared.u32 %r5, {where}; cvt.u64.u32 %rd4, %r5;"
    return f"mov.u16 %h2, 0; {guard} ld.shared.u{w} %h2, {where}; cvt.u64.u16 %rd4, %h2;"


def read_step(w: int) -> str:
    return f"mov.u64 %rd4, 0; {load(w, '[%r1+8]', '@%p1')} mad.lo.u64 %rd5, %rd5, 3, %rd4;"


def write_step(w: int) -> str:
    changed = f"{store(w, '[%r1+8]', '%rd5', '%h3', '%r8', '@%p1')} add.u32 %r1, %r1, {w // 8};"
    return f"add.u64 %rd5, %rd5, %rd3; cvt.u32.u64 %r8, %rd5; cvt.u16.u32 %h3, %r8; {changed}"


def run(made: openptx.Kernel, engine: str, at: object, active: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    out = np.zeros(32 + WORDS, np.uint64)
    made(1, 32, (at, out, active), engine=engine)
    return out


@pytest.mark.parametrize("active", [32, 31, 5, 0])
@pytest.mark.parametrize("step", [read_step, write_step], ids=["load", "store"])
@pytest.mark.parametrize("w", [8, 16, 32, 64])
def test_values(w: int, step: Callable[[int], str], active: int) -> None:
    made = kernel(w, step(w), MORE)
    random, size = np.random.default_rng(w), w // 8
    lanes = np.arange(32)
    for places in (random.permutation(200)[:32], lanes, np.r_[lanes[:16] + 90, lanes[:16]], lanes[::-1], lanes // 3):
        at = (places * size).astype(np.uint32)
        assert np.array_equal(run(made, "native", at, active), run(made, "interp", at, active))


@pytest.mark.parametrize("count", [1, MORE])
@pytest.mark.parametrize("bad", [WORDS * 4 - 8, WORDS * 4, 0xFFFFFFF8, 0xFFFFFFF4, 0x80000000, 2])
@pytest.mark.parametrize("step", [read_step, write_step], ids=["load", "store"])
def test_faults_of_one_lane(step: Callable[[int], str], bad: int, count: int) -> None:
    """0xFFFFFFF8 and the offset of 8 are address 0, which is no fault."""
    made = kernel(32, step(32), count)
    at = (np.random.default_rng(1).permutation(200)[:32] * 4).astype(np.uint32)
    at[19] = bad
    found: list[object] = []
    for engine in ("interp", "native"):
        try:
            found.append(run(made, engine, at, 32).tolist())
        except openptx.Fault as fault:
            found.append((fault.code, fault.message, fault.thread, fault.span))
    assert found[0] == found[1]
    assert isinstance(found[0], tuple) == (bad != 0xFFFFFFF8)
    run(made, "native", at, 19)  # where the lane does not execute the access


@pytest.mark.parametrize("count", [1, MORE])
def test_offsets_keep_their_32_bits(count: int) -> None:
    for step in (read_step, write_step):
        made = kernel(16, step(16), count)
        lowered = lower_kernel(made.module.program, made.function, made.module.image, Options((32, 1, 1), False))
        texts = [function.text for function in lowered.shared]
        assert any("icmp uge <32 x i32> %places, " in text for text in texts)
        assert not any("<32 x i64> %places" in text for text in texts)


@pytest.mark.parametrize(("moved", "calls"), [("ldmatrix", 4), ("ldmatrix.trans", 8), ("stmatrix", 4)])
def test_rows_of_matrices_are_at_addresses_of_32_bits(moved: str, calls: int) -> None:
    name, *trans = moved.split(".")
    mode, registers = f"{name}.sync.aligned.m8n8.x4{''.join('.' + e for e in trans)}.shared.b16", "{%r2,%r3,%r4,%r5}"
    moves = f"{mode} {registers}, [%r1];" if name == "ldmatrix" else f"{mode} [%r1], {registers};"
    k = openptx.load(f""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 at) {{
    .reg .b32 %r<6>; .reg .b64 %rd<3>; .shared .align 16 .b8 s[4096]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;
    ld.param.u64 %rd1, [at]; add.u64 %rd1, %rd1, %rd2; ld.global.u32 %r1, [%rd1]; mov.b32 %r2, %r1; mov.b32 %r3, %r1;
    mov.b32 %r4, %r1; mov.b32 %r5, %r1; {moves} xor.b32 %r2, %r2, %r3; xor.b32 %r4, %r4, %r5;
    xor.b32 %r2, %r2, %r4; st.global.u32 [%rd1], %r2; ret; }}""")["k"]
    text = lower_kernel(k.module.program, k.function, k.module.image, Options((32, 1, 1), False)).text
    lines = [line for line in text.splitlines() if "call" in line and "@openptx.shared.lanes" in line]
    assert len(lines) == calls
    assert not any("<32 x i64>" in line for line in lines)
    given = (np.random.default_rng(5).permutation(256)[:32] * 16).astype(np.uint32)
    found = [given.copy(), given.copy()]
    for values, engine in zip(found, ("interp", "native"), strict=True):
        k(1, 32, (values,), engine=engine)
    np.testing.assert_array_equal(found[1], found[0])
