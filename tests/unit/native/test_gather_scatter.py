"""Gathers and scatters: by an instruction or element by element, single or combined."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import openptx
from openptx.engines.native import pipeline, settings
from openptx.engines.native.settings import Options
from openptx.llvm.host import host

THREADS, SLOTS, SITES = 72, 50, 2  # three warps, the last of eight lanes; lanes of one warp meet in slots
PROCESSORS = {"as it is": {}, "that gathers": {"gathers": True}, "without AVX-512": {"avx512": False, "gathers": False}}


def text(width: int, count: int, all_lanes: bool) -> str:
    """All or two of three lanes move a vector from one place to another, at each site in other memory."""
    step, region = width * count // 8, width * count // 8 * SLOTS
    registers = ", ".join(f"r{i}" for i in range(count))
    vector, operand = (f".v{count}", f"{{{registers}}}") if count > 1 else ("", "r0")
    moves = " ".join(
        f"@p ld.global{vector}.u{width} {operand}, [a+{at}]; @p st.global{vector}.u{width} [b+{at}], {operand};"
        for at in range(0, SITES * region, region)
    )
    return f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 pfrom, .param .u64 pto, .param .u64 pplaces) {{
.reg .b64 a, b, q; .reg .b32 lane, at, third; .reg .pred p; .reg .b{max(width, 16)} {registers};
ld.param.u64 a, [pfrom]; ld.param.u64 b, [pto]; ld.param.u64 q, [pplaces]; mov.u32 lane, %tid.x;
mad.wide.u32 q, lane, 8, q; rem.u32 third, lane, 3; setp.ne.u32 p, third, {3 if all_lanes else 2};
ld.global.u32 at, [q]; mad.wide.u32 a, at, {step}, a; ld.global.u32 at, [q+4]; mad.wide.u32 b, at, {step}, b;
{moves} ret; }}"""


@pytest.mark.parametrize("odd", [0, 2])
@pytest.mark.parametrize("access", ["ld{}.u32 v, [a+4];", "st{}.u32 [a+8], v;"])
@pytest.mark.parametrize("space", [".global", ".shared", ""])
def test_faults_within_functions_are_the_interpreters(space: str, access: str, odd: int) -> None:
    """Some lanes' places are past the end, or the first one's is odd."""
    source = f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 pq) {{
.reg .b64 a, q, d; .reg .b32 v, lane, at; .shared .align 4 .b8 t[256];
ld.param.u64 q, [pq]; mov.u32 lane, %tid.x; mul.lo.u32 at, lane, lane; and.b32 at, at, 31;
mad.lo.u32 at, at, 12, {odd}; mov.b64 a, {"t" if space == ".shared" else "q"}; cvt.u64.u32 d, at; add.u64 a, a, d;
mov.b32 v, 0; {access.format(space)} ret; }}"""
    found: list[object] = []
    for engine in ("interp", "native"):
        with pytest.raises(openptx.Fault) as raised, settings.cache_at(None):
            openptx.load(source)["k"](1, 32, (np.zeros(49, np.uint32),), engine=engine, workers=1)
        fault = raised.value
        found.append((fault.code, fault.thread, fault.space, fault.span))
    assert found[0] == found[1]
    assert ("PTX9002" in str(found[0])) == bool(odd)


@pytest.mark.parametrize("all_lanes", [True, False])
@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("processor", PROCESSORS)
def test_what_lanes_move(
    processor: str, width: int, count: int, all_lanes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if width * count > 128:
        pytest.skip("no vector is that long on this target")
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), **PROCESSORS[processor]))
    dice = np.random.default_rng(width * count)
    source = dice.integers(0, 256, width * count // 8 * SLOTS * SITES, np.uint8)
    places = dice.integers(0, SLOTS, (THREADS, 2), np.uint32)
    k = openptx.load(text(width, count, all_lanes))["k"]
    found: dict[str, np.ndarray] = {}
    for engine in ("interp", "native"):
        found[engine] = np.zeros_like(source)
        with settings.cache_at(None):
            k(1, THREADS, (source, found[engine], places), engine=engine, workers=1)
    np.testing.assert_array_equal(found["native"], found["interp"])
    moved, into = source.reshape(SITES, SLOTS, -1), np.zeros((SITES, SLOTS, width * count // 8), np.uint8)
    for lane in range(THREADS):
        if all_lanes or lane % 3 != 2:
            into[:, places[lane, 1]] = moved[:, places[lane, 0]]
    np.testing.assert_array_equal(found["interp"], into.reshape(-1))


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("width", [32, 64])
def test_few_lanes_store_one_after_the_other(width: int, shared: bool) -> None:
    """A scatter takes as long for one lane as for all. Of lanes that meet, the highest one's value is kept."""
    step = width // 8
    space, last = (".shared", f"ld.shared.u{width} v, [a]; st.global.u{width} [b], v;") if shared else (".global", "")
    source = f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 pplaces, .param .u64 pto, .param .u32 pmask) {{
.reg .b64 a, b, q; .reg .b32 lane, at, mask; .reg .pred p; .reg .b{width} v; .shared .align 8 .b8 t[{32 * step}];
ld.param.u64 q, [pplaces]; ld.param.u64 b, [pto]; ld.param.u32 mask, [pmask]; mov.u32 lane, %tid.x;
mad.wide.u32 q, lane, 4, q; ld.global.u32 at, [q]; cvt.u{width}.u32 v, lane; add.u{width} v, v, 7;
shr.b32 mask, mask, lane; and.b32 mask, mask, 1; setp.ne.u32 p, mask, 0;
{"mov.u32 mask, t; mad.lo.u32 at, at, " + str(step) + ", mask; cvt.u64.u32 a, at;" if shared else ""}
{"" if shared else f"mad.wide.u32 a, at, {step}, b;"} mad.wide.u32 b, lane, {step}, b;
@p st{space}.u{width} [a], v;
{"mov.u32 mask, t; mad.lo.u32 at, lane, " + str(step) + ", mask; cvt.u64.u32 a, at;" if shared else ""}
{last} ret; }}"""
    k = openptx.load(source)["k"]
    for mask in (1, 1 << 31, 0x80000001, 0x00108010, 0x00118010, 0x7FFFFFFF):
        places = np.random.default_rng(mask).integers(0, 4, 32, np.uint32)
        expected, found = np.zeros(32, f"u{step}"), np.zeros(32, f"u{step}")
        for lane in range(32):
            if mask >> lane & 1:
                expected[places[lane]] = lane + 7
        with settings.cache_at(None):
            k(1, 32, (places, found, np.uint32(mask)), engine="native", workers=1)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("width", [8, 32, 64])
def test_few_lanes_load(width: int, shared: bool) -> None:
    """Others keep what their register has, wherever their addresses are."""
    size, space = width // 8, ".shared" if shared else ".global"
    at = "mov.u32 at, t; add.u32 at, at, i; cvt.u64.u32 a, at;" if shared else "cvt.u64.u32 q, i; add.u64 a, a, q;"
    source = f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 pfrom, .param .u64 pplaces, .param .u64 pto, .param .u32 pmask) {{
.reg .b64 a, b, q; .reg .b32 lane, at, i, mask; .reg .pred p; .reg .b{max(width, 16)} v;
.shared .align 8 .b8 t[{32 * size}];
ld.param.u64 q, [pplaces]; ld.param.u64 a, [pfrom]; ld.param.u64 b, [pto]; ld.param.u32 mask, [pmask];
mov.u32 lane, %tid.x; mad.wide.u32 q, lane, 4, q; ld.global.u32 i, [q]; mul.lo.u32 i, i, {size};
mad.wide.u32 b, lane, {size}, b; mad.wide.u32 q, lane, {size}, a; ld.global.u{width} v, [q];
mov.u32 at, t; mad.lo.u32 at, lane, {size}, at; st.shared.u{width} [at], v; bar.sync 0;
shr.b32 mask, mask, lane; and.b32 mask, mask, 1; setp.ne.u32 p, mask, 0; {at}
@p ld{space}.u{width} v, [a]; st.global.u{width} [b], v; ret; }}"""
    k, values = openptx.load(source)["k"], np.random.default_rng(3).integers(0, 99, 32).astype(f"u{size}")
    for mask in (1, 1 << 31, 0x80000001, 0x00108010, 0x00118010, 0x7FFFFFFF, 0):
        executes = mask >> np.arange(32) & 1 > 0
        inside = np.random.default_rng(mask).integers(0, 32, 32)
        places, found = np.where(executes, inside, 1 << 24).astype(np.uint32), np.zeros_like(values)
        with settings.cache_at(None):
            k(1, 32, (values, places, found, np.uint32(mask)), engine="native", workers=1)
        np.testing.assert_array_equal(found, np.where(executes, values[inside], values))


def test_loops_keep_32_bits_of_addresses_in_shared_memory() -> None:
    """They test for rows in place, and then call the function that takes 32 bits for each lane."""
    source = """.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 pto, .param .u32 pstep) {
.reg .b64 b; .reg .b32 lane, at, i, step, v; .reg .pred p; .shared .align 8 .b8 t[8192];
ld.param.u64 b, [pto]; ld.param.u32 step, [pstep]; mov.u32 lane, %tid.x; mov.u32 i, 0;
again: mad.lo.u32 at, lane, step, i; shl.b32 at, at, 2; mov.u32 v, t; add.u32 at, at, v; ld.shared.u32 v, [at];
add.u32 v, v, lane; st.shared.u32 [at], v; add.u32 i, i, 1; setp.lt.u32 p, i, 3; @p bra again;
mad.wide.u32 b, lane, 4, b; st.global.u32 [b], v; ret; }"""
    module, found = openptx.load(source), [np.zeros(32, np.uint32) for _ in range(2)]
    for engine, out in zip(("interp", "native"), found, strict=True):
        with settings.cache_at(None):
            module["k"](1, 32, (out, np.uint32(2)), engine=engine, workers=1)
    np.testing.assert_array_equal(found[1], found[0])
    made = pipeline.lower_kernel(module.program, module["k"].function, module.image, Options((32, 1, 1), False))
    declared = [one.declaration for one in made.shared if ".lanes." in one.name]
    assert len(declared) == 2
    assert not any("<32 x i64> %places" in one for one in declared)


def moving_rows(width: int) -> str:
    """A loop that moves an element of each lane, at an offset in bytes that is loaded."""
    step = width // 8
    return f""".version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 pfrom, .param .u64 pto, .param .u64 pplaces) {{
.reg .b64 a, b, q; .reg .b32 lane, at, i; .reg .pred p; .reg .b{max(width, 16)} v;
ld.param.u64 a, [pfrom]; ld.param.u64 b, [pto]; ld.param.u64 q, [pplaces]; mov.u32 lane, %tid.x; mov.b32 i, 0;
mad.wide.u32 q, lane, 4, q; ld.global.u32 at, [q]; cvt.u64.u32 q, at; add.u64 a, a, q; add.u64 b, b, q;
again: ld.global.b{width} v, [a]; st.global.b{width} [b], v;
add.u64 a, a, {64 * step}; add.u64 b, b, {64 * step}; add.u32 i, i, 1; setp.lt.u32 p, i, 2; @p bra again; ret; }}"""


@pytest.mark.parametrize("places", ["rows", "odd rows", "past the end", "scattered"])
@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("processor", PROCESSORS)
def test_loops_move_rows_of_half_a_warp(
    processor: str, width: int, places: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loops test for rows in place, and leave anything else to the functions."""
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), **PROCESSORS[processor]))
    step, source = width // 8, moving_rows(width)
    at = np.arange(32, dtype=np.uint32)
    wanted = {
        "rows": at + at // 16 * 9,
        "odd rows": at + at // 16 * 9,
        "past the end": at + at // 16 * 50,
        "scattered": at * 7 % 32,
    }[places]
    offsets = (wanted * step + (places == "odd rows" and step > 1)).astype(np.uint32)
    found: list[object] = []
    for engine in ("interp", "native"):
        values, to = np.arange(125 * step, dtype=np.uint8), np.zeros(125 * step, np.uint8)
        try:
            with settings.cache_at(None):
                openptx.load(source)["k"](1, 32, (values, to, offsets), engine=engine, workers=1)
            found.append(to.tobytes())
        except openptx.Fault as fault:
            found.append((fault.code, fault.thread, fault.space, fault.span, to.tobytes()))
    assert found[0] == found[1]
    assert isinstance(found[0], bytes) == (places in ("rows", "scattered") or (places == "odd rows" and step == 1))


@pytest.mark.parametrize("width", [8, 32])
def test_unchecked_loops_move_rows_too(width: int) -> None:
    module = openptx.load(moving_rows(width))
    texts = [
        pipeline.lower_kernel(
            module.program, module["k"].function, module.image, Options((32, 1, 1), False, checks=checks)
        ).text
        for checks in (True, False)
    ]
    assert [text.count(f"load <16 x i{width}>") for text in texts] == [2, 2]
    assert [text.count(f"store <16 x i{width}>") for text in texts] == [2, 2]
    at = np.arange(32, dtype=np.uint32)
    for places in (at + at // 16 * 9, at * 7 % 32):
        values, to = np.arange(width // 8 * 125, dtype=np.uint8), np.zeros(width // 8 * 125, np.uint8)
        expected = to.copy()
        offsets = (places * (width // 8)).astype(np.uint32)
        module["k"](1, 32, (values, expected, offsets), engine="interp")
        with settings.unchecked(), settings.cache_at(None):
            module["k"](1, 32, (values, to, offsets), engine="native", workers=1)
        np.testing.assert_array_equal(to, expected)
