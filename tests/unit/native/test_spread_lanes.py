"""Atomics at one address plus 32 bits per lane: valid ones take a short way, all others have the reference's faults."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import openptx
from openptx.engines.native import pipeline, settings
from openptx.engines.native.settings import Options
from openptx.errors import Fault
from openptx.llvm.host import host

N, WORDS = 64, 80
WITHOUT = {"avx512": False, "permute": False, "permutes_bytes": False, "permutes_words": False, "fp16": False}
ATOMS = {"add.u32": 4, "exch.b32": 4, "max.s32": 4, "add.u64": 8, "xor.b64": 8}


def kernel(op: str, sign: str, factor: int, shared: bool = False, guard: str = "") -> str:
    """Words are numbered from 16 on: lane t of a warp updates word `at[t]` with 5 + t, and stores what was there."""
    size = ATOMS[op]
    place = "mov.u64 %to, s;" if shared else "ld.param.u64 %to, [pto];"
    space = "shared" if shared else "global"
    moves = [
        f"ld.global.b{size * 8} %v, [%q+{size * i}]; st.shared.b{size * 8} [%to+{size * i}], %v;" for i in range(WORDS)
    ]
    copies = " ".join(moves) if shared else ""
    return f""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pat, .param .u64 pto, .param .u64 pold, .param .s32 skew) {{
.reg .b64 %at, %to, %q, %old, %o, %far; .reg .b32 %t, %i, %skew; .reg .b{size * 8} %v; .reg .pred %p;
.shared .align 8 .b8 s[{WORDS * size}];
ld.param.u64 %at, [pat]; ld.param.u64 %q, [pto]; ld.param.u64 %old, [pold]; ld.param.s32 %skew, [skew];
cvt.s64.s32 %far, %skew; {place}
mov.u32 %t, %tid.x; {copies} bar.sync 0;
mad.wide.u32 %at, %t, 4, %at; ld.global.u32 %i, [%at];
add.u64 %to, %to, {16 * size}; add.s64 %to, %to, %far;
mul.wide.{sign}32 %o, %i, {factor}; add.s64 %o, %to, %o; setp.lt.u32 %p, %t, 40;
cvt.u{size * 8}.u32 %v, %t; add.u{size * 8} %v, %v, 5;
{guard} atom.{space}.{op} %v, [%o], %v;
mad.wide.u32 %old, %t, {size}, %old; st.global.b{size * 8} [%old], %v; ret; }}"""


def text_of(source: str) -> str:
    """LLVM's text of the kernel."""
    module = openptx.load(source)
    return pipeline.lower_kernel(module.program, module["k"].function, module.image, Options((N, 1, 1), False)).text


def outcomes(text: str, at: list[int], size: int, skew: int = 0) -> list[object]:
    """Of both engines: the words and what was there, or the fault's message."""
    found: list[object] = []
    for engine in ("interp", "native"):
        words = np.arange(WORDS, dtype=f"u{size}")
        old = np.zeros(N, words.dtype)
        with settings.cache_at(None):
            try:
                openptx.load(text)["k"](
                    1, N, (np.array(at, np.int32), words, old, np.int32(skew)), engine=engine, workers=1
                )
                found.append((words.tobytes(), old.tobytes()))
            except Fault as fault:
                found.append(str(fault))  # before it, warps may have run in any order
    return found


@pytest.mark.parametrize("cpu", [{}, WITHOUT], ids=["as it is", "AVX2"])
@pytest.mark.parametrize("guard", ["", "@%p"])
@pytest.mark.parametrize("sign", ["u", "s"])
@pytest.mark.parametrize("op", ATOMS)
def test_words(op: str, sign: str, guard: str, cpu: dict[str, bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), **cpu))
    random, size = np.random.default_rng(4), ATOMS[op]
    first, last = (-16 if sign == "s" else 0), WORDS - 17
    text = kernel(op, sign, size, guard=guard)
    for low in {0, first}:
        at = [*random.integers(low, last, N - 2, endpoint=True), low, last]
        interp, native = outcomes(text, at, size)
        assert interp == native
        assert not isinstance(native, str)


@pytest.mark.parametrize("lane", [0, 31, 33])
@pytest.mark.parametrize(
    ("sign", "bad"), [("u", WORDS - 16), ("u", -1), ("u", -(1 << 31)), ("s", -17), ("s", WORDS - 16), ("s", 1 << 29)]
)
def test_one_bad_lane_has_its_fault(sign: str, bad: int, lane: int) -> None:
    at = [i % 50 for i in range(N)]
    at[lane] = bad
    interp, native = outcomes(kernel("add.u32", sign, 4), at, 4)
    assert interp == native
    assert isinstance(native, str)


@pytest.mark.parametrize(
    ("factor", "skew"), [(4, 2), (2, 0), (1, 0), (8, 0), (8, 4), (4, -4 * 16), (4, -4 * 17), (4, 1 << 30)]
)
def test_steps_and_bases(factor: int, skew: int) -> None:
    at = [4 * (i % 8) for i in range(N)]
    interp, native = outcomes(kernel("add.u32", "u", factor), at, 4, skew)
    assert interp == native


@pytest.mark.parametrize(
    "op", [pytest.param(op, marks=[pytest.mark.sweep] if op in ("max.s32", "add.u64") else []) for op in ATOMS]
)
def test_shared_memory(op: str) -> None:
    """By addresses of 32 bits, one of which may not be a multiple of the word's size."""
    size = ATOMS[op]
    for at in ([i * 7 % 60 for i in range(N)], [i % 60 for i in range(N)]):
        interp, native = outcomes(kernel(op, "u", size, shared=True), at, size)
        assert interp == native
    given = f"cvt.u32.u64 %i, %o; atom.shared.{op} %v, [%i], %v"
    text = re.sub(r"(?m)^ *atom\S+ %v, \[%o\], %v", given, kernel(op, "u", 1, shared=True))
    assert given in text
    assert "reduce.umax" in text_of(text)
    for bad in (0, 1, size // 2, -17 * size, (WORDS - 16) * size):
        at = [i * 7 % 60 * size for i in range(N)]
        at[9] += bad
        interp, native = outcomes(text, at, size)
        assert interp == native, bad


@pytest.mark.parametrize("avx512", [True, False])
def test_the_short_way_is_taken(avx512: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """No pointers are made of addresses of 64 bits on it: they are made where some lane is not valid. By AVX-512 two
    lanes leave a vector at once; else each is loaded where it is used, as LLVM has no registers for all."""
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), avx512=avx512))
    text = text_of(kernel("add.u32", "u", 4))
    assert "vector.reduce.umax.v32i32" in text
    assert text.count("extractelement <16 x i64>") == (16 if avx512 else 0)
    _, *each = text.split("load volatile i32,")
    assert len(each) == (0 if avx512 else N // 2)
    assert all("store i32" in part for part in each)


def test_pointers_leave_vectors_before_the_first_word_changes() -> None:
    """Otherwise a Zen 4 takes 5 times as long where lanes meet."""
    text = text_of(kernel("add.u64", "u", 8).replace("mul.wide.u32 %o, %i, 8", "ld.global.u64 %o, [%at]"))
    found = [i for i, line in enumerate(text.splitlines()) if "extractelement <32 x ptr>" in line]
    assert found == [*range(found[0], found[0] + 32)]
