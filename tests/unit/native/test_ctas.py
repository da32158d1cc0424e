"""Every CTA of the grid runs exactly once, with its own index, however the code reaches it."""

from __future__ import annotations

import re

import numpy as np
import pytest

import openptx

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
PLACES = (
    HEAD
    + """
.visible .entry places(.param .u64 pout) {
.reg .b32 x, y, z, wide, high, at; .reg .b64 out;
ld.param.u64 out, [pout];
mov.u32 x, %ctaid.x; mov.u32 y, %ctaid.y; mov.u32 z, %ctaid.z; mov.u32 wide, %nctaid.x; mov.u32 high, %nctaid.y;
mad.lo.u32 at, z, high, y; mad.lo.u32 at, at, wide, x; mad.wide.u32 out, at, 4, out;
shl.b32 y, y, 10; shl.b32 z, z, 20; add.u32 x, x, y; add.u32 x, x, z;
ld.global.u32 at, [out]; add.u32 at, at, x; st.global.u32 [out], at; ret; }"""
)
GRIDS = [
    (1, 1, 1), (2, 1, 1), (255, 1, 1), (257, 1, 1), (1000, 1, 1), (1, 9, 1), (1, 1, 9), (8, 3, 2), (9, 2, 3),
    (16, 33, 1), (40, 7, 1), (24, 3, 5),
]  # fmt: skip


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_each_runs_once(grid: tuple[int, int, int], workers: int) -> None:
    x, y, z = grid
    k = openptx.load(PLACES)["places"]
    for blocks in (None, (x * y * z // 3, x * y * z)):
        out = np.zeros((z, y, x), np.uint32)
        k(grid, 1, (out,), engine="native", workers=workers, blocks=blocks)
        k2, j, i = np.indices(out.shape, np.uint32)
        wanted = i + (j << 10) + (k2 << 20)
        if blocks is not None:
            wanted.reshape(-1)[: blocks[0]] = 0
        np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("wrong", [0, 1, 254, 255, 256, 300, 599])
def test_a_fault_tells_its_place(wrong: int) -> None:
    """And that those before it have run."""
    text = PLACES.replace("ld.global.u32 at, [out];", f"setp.eq.u32 p, at, {wrong}; @p trap; ld.global.u32 at, [out];")
    k = openptx.load(text.replace(".reg .b64 out;", ".reg .b64 out; .reg .pred p;"))["places"]
    words: list[str] = []
    for engine in ("interp", "native"):
        out = np.full((3, 10, 20), 1, np.uint32)
        with pytest.raises(openptx.Fault) as found:
            k((20, 10, 3), 1, (out,), engine=engine, workers=1)
        words.append(str(found.value))
        if engine == "native":
            np.testing.assert_array_equal(out.reshape(-1)[wrong:], 1)
            assert (out.reshape(-1)[1:wrong] != 1).all()
    assert words[0] == words[1]
    assert re.search(rf"\({wrong % 20}, {wrong // 20 % 10}, {wrong // 200}\)", words[1]), words[1]


def test_local_memory_is_another_for_each() -> None:
    """What one CTA leaves there the next one does not find."""
    text = (
        HEAD
        + """
.visible .entry left(.param .u64 pout) {
.local .align 4 .b8 mine[64]; .reg .b32 x, found, tid; .reg .b64 out, at;
ld.param.u64 out, [pout]; mov.u32 x, %ctaid.x; mov.u32 tid, %tid.x; and.b32 tid, tid, 15;
mov.u64 at, mine; mad.wide.u32 at, tid, 4, at;
ld.local.u32 found, [at]; add.u32 tid, x, 1; st.local.u32 [at], tid;
mad.wide.u32 out, x, 4, out; st.global.u32 [out], found; ret; }"""
    )
    k = openptx.load(text)["left"]
    out = np.ones(300, np.uint32)
    k(300, 64, (out,), engine="native", workers=1)
    assert not out.any()
