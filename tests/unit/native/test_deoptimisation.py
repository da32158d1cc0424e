# ruff: noqa: E501 - PTX in one line reads better here
"""Waits that compiled code cannot express: the interpreter continues in the middle of a CTA, with the same result."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import openptx
from openptx.engines.native import pipeline, settings
from openptx.engines.native.runtime import execution
from openptx.llvm.host import host

START = "ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2; add.s64 %rd3, %rd3, 64;"
REGISTERS = ".reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<24>; .reg .b64 %rd<8>; .reg .b128 %w<2>; .reg .f32 %f<4>; .shared .align 8 .b32 s[64];"


def entry(body: str, before: str = "") -> str:
    return f".version 8.8\n.target sm_90\n.address_size 64\n{before}\n.visible .entry k(.param .u64 x) {{\n{REGISTERS}\n{START}\n{body}\n}}\n"


# fmt: off
#   name                 body, blocks, threads
WAITS = {
    "shuffles of both sides": (
        "and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; @%p1 bra A; add.u32 %r6, %r1, 7; shfl.sync.bfly.b32 %r6, %r6, 1, 31, -1; bra B;"
        "A: mul.lo.u32 %r6, %r1, 3; shfl.sync.bfly.b32 %r6, %r6, 1, 31, -1; B: st.global.u32 [%rd3], %r6; ret;", 3, 64),
    "barriers of both sides": (
        "and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; shl.b32 %r7, %r1, 2; mov.u32 %r8, s; add.u32 %r7, %r7, %r8; st.shared.u32 [%r7], %r1;"
        "@%p1 bra A; bar.sync 0; mov.u32 %r6, 1000; bra B; A: bar.sync 0; mov.u32 %r6, 2000; B: xor.b32 %r9, %r7, 12; ld.shared.u32 %r10, [%r9]; add.u32 %r6, %r6, %r10;"
        "st.global.u32 [%rd3], %r6; ret;", 3, 64),
    "lanes that lock": (
        "AGAIN: atom.global.cas.b32 %r5, [%rd1], 0, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra AGAIN;"
        "ld.volatile.global.u32 %r6, [%rd1+4]; add.u32 %r6, %r6, 1; st.volatile.global.u32 [%rd1+4], %r6; membar.gl; atom.global.exch.b32 %r7, [%rd1], 0;"
        "st.global.u32 [%rd3], %r1; ret;", 2, 64),
    "a warp that waits for another": (
        "setp.ge.u32 %p1, %r1, 32; @%p1 bra GIVE; AGAIN: ld.volatile.shared.u32 %r5, [s]; setp.eq.u32 %p2, %r5, 0; @%p2 bra AGAIN; bra END;"
        "GIVE: mov.u32 %r5, 77; st.volatile.shared.u32 [s], %r5; END: st.global.u32 [%rd3], %r5; ret;", 2, 64),
    "blocks that wait for later ones": (
        "setp.ne.u32 %p1, %r1, 0; @%p1 bra ALL; atom.global.add.u32 %r5, [%rd1], 1; AGAIN: ld.acquire.gpu.global.u32 %r5, [%rd1]; setp.lt.u32 %p2, %r5, 6; @%p2 bra AGAIN;"
        "ALL: bar.sync 0; ld.acquire.gpu.global.u32 %r5, [%rd1]; st.global.u32 [%rd3], %r5; ret;", 6, 40),
}
# fmt: on


def outputs(source: str, blocks: int, threads: int, monkeypatch: Any, **options: Any) -> tuple[bytes, int]:
    """What a kernel leaves on the native engine, and how often the reference engine went on."""
    times = list[int]()
    go_on = execution.resume_interp

    def counted(*arguments: Any) -> None:
        times.append(1)
        go_on(*arguments)

    monkeypatch.setattr(execution, "resume_interp", counted)
    monkeypatch.setattr(importlib.import_module("openptx.engines.native.entry"), "interp", None)  # no other way out
    x = np.zeros(2048, np.uint32)
    openptx.load(source)["k"](blocks, threads, (x,), engine="native", timeout=60, **options)
    return x.tobytes(), len(times)


def reference(source: str, blocks: int, threads: int) -> bytes:
    x = np.zeros(2048, np.uint32)
    openptx.load(source)["k"](blocks, threads, (x,), engine="interp", timeout=60)
    return x.tobytes()


@pytest.mark.parametrize("shapes", [True, False])
@pytest.mark.parametrize("name", WAITS)
def test_threads_that_wait_go_on(name: str, shapes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    body, blocks, threads = WAITS[name]
    wanted = reference(entry(body), blocks, threads)
    with settings.lane_facts(shapes):
        found, times = outputs(entry(body), blocks, threads, monkeypatch, workers=1)
    assert found == wanted
    assert times == 1


def test_two_workers_leave_two_ctas(monkeypatch: pytest.MonkeyPatch) -> None:
    body, _, threads = WAITS["shuffles of both sides"]
    assert outputs(entry(body), 30, threads, monkeypatch, workers=2)[0] == reference(entry(body), 30, threads)


EVERYTHING = (
    "setp.lt.u32 %p3, %r1, 20; cvt.u16.u32 %h1, %r1; mul.wide.u32 %rd4, %r1, 0x10001; mov.b128 %w1, {%rd4, %rd2}; mov.b32 %f1, 0f7FC12345; add.f32 %f2, %f1, %f1;"
    "mov.b32 %r20, -1; add.cc.u32 %r21, %r20, %r1; mov.u32 %r5, 0; mov.u32 %r11, 12345; cvt.rn.f32.u32 %f3, %r1; mul.f32 %f3, %f3, 0f3F000000;"
    "barrier.cta.red.popc.u32 %r12, 0, %p3;"  # other warps wait at it, or after it, when the first one leaves
    "LOOP: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 9; @%p1 bra LOOP;"
    "addc.u32 %r13, %r12, 0; selp.u32 %r14, 5, 9, %p3; cvt.u32.u16 %r15, %h1; mov.b128 {%rd5, %rd6}, %w1; add.s64 %rd5, %rd5, %rd6; cvt.u32.u64 %r16, %rd5; mov.b32 %r17, %f2; mov.b32 %r18, %f3;"
    "xor.b32 %r13, %r13, %r14; mad.lo.u32 %r13, %r13, 31, %r15; mad.lo.u32 %r13, %r13, 31, %r16; mad.lo.u32 %r13, %r13, 31, %r17; mad.lo.u32 %r13, %r13, 31, %r18; add.u32 %r13, %r13, %r11;"
    "barrier.cta.red.or.pred %p4, 0, %p3; selp.u32 %r19, 1, 0, %p4; add.u32 %r13, %r13, %r19; st.global.u32 [%rd3], %r13; ret;"
)


@pytest.mark.parametrize("turns", [1, 5, 8])
@pytest.mark.parametrize("threads", [32, 70, 96])
def test_registers_of_all_kinds_are_taken_along(threads: int, turns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with settings.deoptimize_after(turns):
        found, times = outputs(entry(EVERYTHING), 3, threads, monkeypatch, workers=1)
    assert times == 1
    assert found == reference(entry(EVERYTHING), 3, threads)


NANS = (
    "setp.lt.u32 %p3, %r1, 20; mov.b16 %h1, 0x7C00; selp.b16 %h2, 0x3C00, %h1, %p3; sub.f16 %h3, %h1, %h2; mov.u32 %r5, 0; bar.sync 0;"
    "LOOP: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 9; @%p1 bra LOOP; bar.sync 0; cvt.u32.u16 %r6, %h3; st.global.u32 [%rd3], %r6; ret;"
)


def test_halves_that_the_processor_computes_have_their_nan(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second warp waits at the barrier when the first one leaves. x86's NaN of f16 is 0xFE00, PTX's 0x7FFF."""
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), fp16=True))
    with settings.cache_at(None), settings.deoptimize_after(2):
        found, times = outputs(entry(NANS), 1, 64, monkeypatch, workers=1)
    assert times == 1
    assert found == reference(entry(NANS), 1, 64)


def test_who_waits_for_ever_is_stopped_in_time() -> None:
    body = "AGAIN: ld.volatile.global.u32 %r6, [%rd1]; setp.eq.u32 %p2, %r6, 0; @%p2 bra AGAIN; ret;"
    kernel = openptx.load(entry(body))["k"]
    with pytest.raises(openptx.Fault, match=r"longer than 0\.5 seconds") as found:
        kernel(1, 32, (np.zeros(64, np.uint32),), engine="native", timeout=0.5)
    assert found.value.name == "timeout"


ASSERTS = """
.version 8.0
.target sm_80
.address_size 64
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .align 1 .b8 said[6] = {110, 32, 60, 32, 57, 0};
.global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};
.visible .entry k(.param .u64 x, .param .u32 most) {
    .reg .b32 t, n; .reg .b64 d, s, f; .reg .pred p;
    ld.param.u64 d, [x]; ld.param.u32 n, [most]; mov.u32 t, %tid.x; mul.wide.u32 s, t, 4; add.s64 d, d, s;
    st.global.u32 [d], t; setp.lt.u32 p, t, n; @p bra FINE;
    mov.u64 s, said; cvta.global.u64 s, s; mov.u64 f, file; cvta.global.u64 f, f;
    { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 e; .param .b64 g;
      st.param.b64 [a], s; st.param.b64 [b], f; st.param.b32 [c], 7; st.param.b64 [e], s; st.param.b64 [g], 1;
      call __assertfail, (a, b, c, e, g); }
FINE: ret;
}
"""


@pytest.mark.parametrize("most", [40, 64])
def test_an_assertion_costs_nothing_until_it_fails(most: int) -> None:
    ends: list[object] = []
    kernel = openptx.load(ASSERTS)["k"]
    assert kernel.why_interp(64) is None
    for engine in ("interp", "native"):
        x = np.zeros(64, np.uint32)
        try:
            kernel(1, 64, (x, most), engine=engine)
            ends.append(x.tobytes())
        except openptx.Fault as fault:
            ends.append((fault.name, fault.message, fault.thread, fault.span))
    assert ends[0] == ends[1]
    assert isinstance(ends[0], bytes) == (most == 64)
