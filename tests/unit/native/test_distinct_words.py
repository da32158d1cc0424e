"""Sums of floats at separate addresses per lane: at once where no two lanes meet, else in order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import openptx
from openptx.engines.native import pipeline, settings
from openptx.engines.native.settings import Options
from openptx.llvm.host import host

WIDTHS = {"add.f32": 32, "add.f64": 64, "add.noftz.f16x2": 32, "add.noftz.bf16x2": 32, "add.u32": 32}
PLACES = {
    "apart": "mul.lo.u32 %u, %t, 13; and.b32 %u, %u, 63;",
    "two halves": "mul.lo.u32 %u, %t, 13; and.b32 %u, %u, 15;",
    "in a half": "mul.lo.u32 %u, %t, %t; and.b32 %u, %u, 63;",
    "pairs": "shr.u32 %u, %t, 1; xor.b32 %u, %u, 5;",
}


def text(operation: str, places: str, space: str = "global", read: bool = True, guard: str = "") -> str:
    w = WIDTHS[operation]
    place, before, after = "%o", "", ""
    if space == "shared":
        place, before = "%s", f"ld.global.b{w} %d, [%b]; st.shared.b{w} [%z], %d; bar.sync 0;"
        after = f"bar.sync 0; ld.shared.b{w} %v, [%z]; st.global.b{w} [%b], %v;"
    kind, old = ("atom", "%d, ") if read else ("red", "")
    return f""".version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 pin, .param .u64 pout, .param .u64 pold, .param .u32 pn) {{
.reg .b64 %i, %b, %o, %q, %s, %z; .reg .b32 %t, %n, %u; .reg .b{w} %v, %d; .reg .pred %p;
.shared .align 8 .b8 s[1024];
ld.param.u64 %i, [pin]; ld.param.u64 %b, [pout]; ld.param.u64 %q, [pold]; ld.param.u32 %n, [pn];
mov.u32 %t, %tid.x; setp.lt.u32 %p, %t, %n; {PLACES[places]}
mov.u64 %z, s; mad.wide.u32 %s, %u, {w // 8}, %z; mad.wide.u32 %z, %t, {w // 8}, %z;
mad.wide.u32 %o, %u, {w // 8}, %b; mad.wide.u32 %b, %t, {w // 8}, %b;
mad.wide.u32 %i, %t, {w // 8}, %i; mad.wide.u32 %q, %t, {w // 8}, %q; mov.b{w} %d, 0; {before}
ld.global.b{w} %v, [%i]; {guard} {kind}.{space}.{operation} {old}[{place}], %v; {after}
st.global.b{w} [%q], %d; ret; }}"""


@pytest.mark.parametrize("gathers", [True, False])
@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("operation", [o for o in WIDTHS if o != "add.u32"])
def test_the_sums_are_those_of_the_reference(
    operation: str, places: str, gathers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of whole warps and of some lanes, with and without the old words, in global and in shared memory."""
    monkeypatch.setattr(pipeline, "host", lambda: replace(host(), gathers=gathers))
    w, random = WIDTHS[operation], np.random.default_rng(3)
    given = random.integers(0, 1 << w, (2, 64), f"u{w // 8}")
    given[:, ::5], given[0, 1::5], given[1, 2::5] = 3, 1 << w - 9, 0  # subnormal numbers, normal ones and zeros
    for space, read, n, guard in (
        ("global", True, 64, ""), ("global", False, 64, ""), ("global", True, 50, "@%p"), ("shared", True, 64, ""),
    ):  # fmt: skip
        found = np.zeros((2, 2, 64), given.dtype)
        module = openptx.load(text(operation, places, space, read, guard))
        with settings.cache_at(None):
            for (out, old), engine in zip(found, ("interp", "native"), strict=True):
                out[:] = given[1]
                module["k"](1, 64, (given[0], out, old, n), engine=engine, workers=1)
        np.testing.assert_array_equal(found[0], found[1], err_msg=f"{space} {read} {n}")


def test_equal_operands_at_one_word_are_all_added() -> None:
    """A word that the first half of the warp changes by what the second one adds again."""
    out = np.zeros(64, np.float32)
    with settings.cache_at(None):
        given = np.ones(64, np.float32), out, np.zeros(64, np.float32), 64
        openptx.load(text("add.f32", "two halves"))["k"](1, 64, given, engine="native", workers=1)
    assert out.tolist() == [4.0] * 16 + [0.0] * 48


@pytest.mark.parametrize("words", [63, 40, 1])
def test_lanes_out_of_bounds_are_faults(words: int) -> None:
    found = list[tuple[object, ...]]()
    with settings.cache_at(None):
        for engine in ("interp", "native"):
            out, given = np.zeros(words, np.float32), np.ones(64, np.float32)
            with pytest.raises(openptx.Fault, match="atomic operation on 4 bytes outside") as caught:
                openptx.load(text("add.f32", "apart"))["k"](
                    1, 64, (given, out, given.copy(), 64), engine=engine, workers=1
                )
            found.append((caught.value.thread, caught.value.span))
    assert found[0] == found[1]


def lowered(operation: str, *, locked: bool = False, avx512: bool = True) -> str:
    module, before = openptx.load(text(operation, "apart")), pipeline.host
    pipeline.host = lambda: replace(host(), avx512=avx512)
    try:
        options = Options((64, 1, 1), locked)
        return pipeline.lower_kernel(module.program, module["k"].function, module.image, options).text
    finally:
        pipeline.host = before


def test_what_other_workers_see_and_sums_of_integers_are_updated_in_order() -> None:
    at_once = "avx512.conflict"
    assert at_once in lowered("add.f32")
    assert at_once not in lowered("add.f32", locked=True)
    assert at_once not in lowered("add.f32", avx512=False)
    assert at_once not in lowered("add.u32")
