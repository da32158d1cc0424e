"""Processors without AVX-512: masks come from words by bytes, and shuffles are made of shuffles of quarters."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from large_kernels import shuffles

import openptx
from openptx.engines.native import pipeline, settings
from openptx.engines.native.settings import Options
from openptx.llvm.host import host

WITHOUT = {"avx512": False, "permute": False, "permutes_bytes": False, "permutes_words": False, "fp16": False}
PROCESSORS = {"as it is": {}, "AVX2": WITHOUT, "less": {**WITHOUT, "avx2": False, "gathers": False}}
THREADS = 72  # the last warp has eight lanes
TEXT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pfrom, .param .u64 pto) {
.reg .b64 %q, %to, %v; .reg .b32 %t, %a, %b, %c; .reg .pred %p; .shared .b32 s[96];
ld.param.u64 %q, [pfrom]; ld.param.u64 %to, [pto]; mov.u32 %t, %tid.x; mad.wide.u32 %q, %t, 4, %q;
mad.wide.u32 %to, %t, 4, %to; ld.global.u32 %a, [%q]; setp.gt.u32 %p, %a, 99; and.b32 %b, %a, 7;
mov.b64 %v, s; mad.wide.u32 %v, %t, 4, %v; st.shared.u32 [%v], %a; bar.sync 0; ld.shared.u32 %c, [%v];
shfl.sync.idx.b32 %a, %c, %b, 31, -1; @%p add.u32 %a, %a, 1000; st.global.u32 [%to], %a; ret; }"""


@pytest.mark.parametrize("crowded", [pipeline.CROWDED, -1])
@pytest.mark.parametrize("processor", PROCESSORS)
def test_partial_warps_shuffle_and_keep_predicates(
    processor: str, crowded: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), **PROCESSORS[processor]))
    monkeypatch.setattr(pipeline, "CROWDED", crowded)
    given, found = np.random.default_rng(3).integers(0, 200, THREADS, np.uint32), np.zeros((2, THREADS), np.uint32)
    with settings.cache_at(None):
        for to, engine in zip(found, ("interp", "native"), strict=True):
            openptx.load(TEXT)["k"](1, THREADS, (given, to), engine=engine, workers=1)
    np.testing.assert_array_equal(found[1], found[0])
    first = np.arange(THREADS) // 32 * 32
    np.testing.assert_array_equal(found[0], given[first + given % 8] + np.where(given > 99, np.uint32(1000), 0))


@pytest.mark.parametrize("crowded", [pipeline.CROWDED, -1])
def test_no_word_becomes_lanes_one_by_one(crowded: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM would take a hundred instructions for each such word."""
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), **WITHOUT))
    monkeypatch.setattr(pipeline, "CROWDED", crowded)
    module = openptx.load(TEXT)
    text = pipeline.lower_kernel(
        module.program, module["k"].function, module.image, Options((THREADS, 1, 1), False)
    ).text
    assert "to <4 x i8>" in text
    in_memory = "%v" if crowded > 0 else "%"
    assert not re.search(rf"bitcast i32 \S+ to <32 x i1>|load <32 x i1>, ptr {in_memory}", text)


def test_registers_are_promoted_unless_the_text_keeps_them_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both change at the same limit: they follow from one count of blocks, which knows no dispatches."""
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), **WITHOUT))
    module = openptx.load(shuffles(4))

    @cache
    def lowered(limit: int) -> tuple[str, bool]:
        monkeypatch.setattr(pipeline, "CROWDED", limit)
        made = pipeline.lower_kernel(module.program, module["k"].function, module.image, Options((64, 1, 1), False))
        return made.text, made.promotes

    limits = range(-1, 200)
    first = bisect_left(limits, True, key=lambda limit: lowered(limit)[1])
    assert 0 < first < len(limits)
    assert lowered(limits[first - 1]) == lowered(limits[0])
    assert lowered(limits[first]) == lowered(limits[-1])
    assert lowered(limits[0])[0] != lowered(limits[-1])[0]


def storing(width: int, count: int) -> str:
    """Threads whose numbers are below 40 store `count` elements each, one row after another."""
    registers = ", ".join(f"r{i}" for i in range(count))
    vector, operand = (f".v{count}", f"{{{registers}}}") if count > 1 else ("", "r0")
    values = " ".join(f"cvt.u{width}.u32 r{i}, t; add.u32 t, t, 72;" for i in range(count))
    return f""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pto) {{
.reg .b64 to; .reg .b32 t; .reg .pred p; .reg .b{max(width, 16)} {registers}; ld.param.u64 to, [pto];
mov.u32 t, %tid.x; mad.wide.u32 to, t, {width * count // 8}, to; setp.lt.u32 p, t, 40; {values}
@p st.global{vector}.b{width} [to], {operand}; ret; }}"""


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("processor", PROCESSORS)
def test_some_lanes_store_their_part_of_a_row(
    processor: str, width: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if width * count > 128:
        pytest.skip("no vector is that long on this target")
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), **PROCESSORS[processor]))
    found = np.zeros((THREADS, count), f"u{width // 8}")
    with settings.cache_at(None):
        openptx.load(storing(width, count))["k"](1, THREADS, (found,), engine="native", workers=1)
    expected = np.zeros((THREADS, count), np.uint64)
    expected[:40] = np.arange(40)[:, None] + 72 * np.arange(count)
    np.testing.assert_array_equal(found, expected.astype(found.dtype))


def test_bytes_are_not_stored_by_thirty_two_branches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), **WITHOUT))
    for width, count, masked in ((8, 1, 0), (16, 1, 0), (16, 2, 1), (32, 1, 1)):
        module = openptx.load(storing(width, count))
        kernel = pipeline.lower_kernel(
            module.program, module["k"].function, module.image, Options((THREADS, 1, 1), False)
        )
        assert kernel.text.count("call void @llvm.masked.store") == masked
        assert not any("llvm.masked" in function.text for function in kernel.shared)


LONG = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pfrom, .param .u64 pto) {
.reg .b64 %q, %to, %a, %b, %c; .reg .b32 %t, %w; .reg .f32 %f; .reg .f64 %d;
.reg .pred %p; mov.u32 %t, 0; loop: add.u32 %t, %t, 1; setp.lt.u32 %p, %t, 3; @%p bra loop;
ld.param.u64 %q, [pfrom]; ld.param.u64 %to, [pto]; mov.u32 %t, %tid.x; mad.wide.u32 %q, %t, 16, %q;
mad.wide.u32 %to, %t, 8, %to; ld.global.v2.u64 {%a, %b}, [%q]; cvt.u32.u64 %w, %b; mov.b32 %f, %w;
OPERATION st.global.u64 [%to], %c; ret; }"""
OPERATIONS = (
    "ex2.approx.f32 %f, %f; mov.b32 %w, %f; cvt.u64.u32 %c, %w;",
    "div.u64 %c, %a, %b;",
    "rem.s64 %c, %a, %b;",
    "cvt.u32.u64 %t, %a; rem.u32 %t, %t, %w; cvt.u64.u32 %c, %t;",
    "cvt.rn.f32.u64 %f, %a; mov.b32 %w, %f; cvt.u64.u32 %c, %w;",
    "cvt.rn.f64.s64 %d, %a; mov.b64 %c, %d;",
    "cvt.rni.s64.f32 %c, %f;",
    "mov.b64 %d, %b; cvt.rzi.u64.f64 %c, %d;",
    "mov.b64 %d, %b; cvt.rpi.s32.f64 %w, %d; cvt.u64.u32 %c, %w;",
)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_takes_hundreds_of_instructions_is_called(operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of loops; its code is shared by kernels, so no kernel's has to be compiled with it."""
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), **WITHOUT))
    module = openptx.load(LONG.replace("OPERATION", operation))
    kernel = pipeline.lower_kernel(module.program, module["k"].function, module.image, Options((THREADS, 1, 1), False))
    assert kernel.shared
    assert not re.search(r"[us](div|rem) <32|fpto[us]i|[us]itofp|fdiv|fmul", kernel.text)
    given = np.random.default_rng(3).integers(0, 1 << 64, (THREADS, 2), np.uint64)
    given >>= np.random.default_rng(4).integers(0, 64, (THREADS, 2), np.uint64)
    given[:8, 1] = 0, 1, 0x7F800000, 0x7FC00001, 0xFF800000, 0x7FF0 << 48, 0x7FF8 << 48, 0x40E86A00
    given[8:40, 1] = np.linspace(-1e9, 1e9, 32).view(np.uint64)
    found = np.zeros((2, THREADS), np.uint64)
    with settings.cache_at(None):
        for to, engine in zip(found, ("interp", "native"), strict=True):
            module["k"](1, THREADS, (given, to), engine=engine, workers=1)
    np.testing.assert_array_equal(found[1], found[0])


GUARDED = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pto, .param .u32 pn) {
.reg .b64 %to; .reg .b32 %t, %n, %v; .reg .pred %p, %q; ld.param.u64 %to, [pto]; ld.param.u32 %n, [pn];
mov.u32 %t, %tid.x; mad.wide.u32 %to, %t, 4, %to; setp.ge.u32 %p, %t, %n; not.pred %q, %p; @%p bra after;
ld.global.u32 %v, [%to]; @%q add.u32 %v, %v, 1; st.global.u32 [%to], %v; after: ret; }"""


@pytest.mark.parametrize("processor", PROCESSORS)
def test_a_guard_of_consecutive_lanes_is_a_word(processor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is compared in scalars, and its lanes become a vector only where one is needed."""
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), **PROCESSORS[processor]))
    module = openptx.load(GUARDED)
    kernel = pipeline.lower_kernel(module.program, module["k"].function, module.image, Options((THREADS, 1, 1), False))
    assert not re.search(r"icmp [us]\w+ <32 x i32>", kernel.text)
    with settings.cache_at(None):
        for n in (0, 1, 31, 32, 33, 63, 64, 65, THREADS, THREADS + 1, 1 << 31, (1 << 32) - 1):
            found = np.zeros(THREADS, np.uint32)
            module["k"](1, THREADS, (found, np.uint32(n)), engine="native", workers=1)
            np.testing.assert_array_equal(found, np.arange(THREADS) < n)


FLOORS = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pfrom, .param .u64 pto) {
.reg .b64 %q, %to; .reg .b32 %t; .reg .f32 %f, %g;
ld.param.u64 %q, [pfrom]; ld.param.u64 %to, [pto]; mov.u32 %t, %tid.x; mad.wide.u32 %q, %t, 4, %q;
mad.wide.u32 %to, %t, 8, %to; ld.global.f32 %f, [%q]; cvt.sat.f32.f32 %f, %f;
fma.rm.f32 %g, %f, 0f437C0000, 0f4B400001; st.global.f32 [%to], %g;
fma.rm.f32 %g, %f, 0fC37C0000, 0f4B400001; st.global.f32 [%to+4], %g; ret; }"""


@pytest.mark.skipif(not host().rounds, reason="only these processors round vectors in a given direction")
def test_sums_that_are_integers_are_rounded_down_without_changing_the_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in CUDA's `expf`; 252 times the numbers is an integer, a little less, or a little more."""
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), **WITHOUT))
    near = (np.arange(252) / np.float32(252)).astype(np.float32)
    tiny = np.array([0, -0.0, 1e-45, 1e-38, 1e-20, 1, 2, -1], np.float32)
    given = np.concatenate([near, np.nextafter(near, np.float32(0)), np.nextafter(near, np.float32(1)), tiny])
    given = np.resize(given, 768)
    found = np.zeros((2, len(given), 2), np.float32)
    module = openptx.load(FLOORS)
    made = pipeline.lower_kernel(module.program, module["k"].function, module.image, Options((768, 1, 1), False))
    assert "ldmxcsr" not in made.text
    with settings.cache_at(None):
        for to, engine in zip(found, ("interp", "native"), strict=True):
            module["k"](1, len(given), (given, to), engine=engine, workers=1)
    np.testing.assert_array_equal(found[1], found[0])
    assert len(np.unique(found[0])) == 505


PARTS = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pfrom, .param .u64 pto) {{
.reg .b64 %q, %to, %v; .reg .b32 %t; .reg .{w} %a, %b; .reg .pred %p; .shared .align 8 .b8 s[512];
ld.param.u64 %q, [pfrom]; ld.param.u64 %to, [pto]; mov.u32 %t, %tid.x; mad.wide.u32 %q, %t, {size}, %q;
mad.wide.u32 %to, %t, {size}, %to; ld.global.{w} %a, [%q]; setp.gt.u{bits} %p, %a, 99;
mov.b64 %v, s; mad.wide.u32 %v, %t, {size}, %v; st.shared.{w} [%v], %a; add.u{bits} %b, %a, 7;
@%p st.shared.{w} [%v], %b; bar.sync 0; ld.shared.{w} %b, [%v]; st.global.{w} [%to], %b; ret; }}"""


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_some_lanes_store_rows_of_shared_memory_by_a_selection(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), **WITHOUT))
    module = openptx.load(PARTS.format(w=f"b{bits}", bits=bits, size=bits // 8))
    made = pipeline.lower_kernel(module.program, module["k"].function, module.image, Options((64, 1, 1), False))
    assert "masked.store" not in made.text
    assert "shared.row." not in made.text
    given = np.random.default_rng(5).integers(0, 200, 64, f"uint{bits}")
    found = np.zeros_like(given)
    with settings.cache_at(None):
        module["k"](1, 64, (given, found), engine="native", workers=1)
    np.testing.assert_array_equal(found, np.where(given > 99, given + 7, given))
