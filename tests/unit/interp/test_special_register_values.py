"""Who and where a thread is (chapter 10), in blocks, grids and clusters of three dimensions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import openptx

Triple = tuple[int, int, int]

AXES = ("tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid")
WORDS = ("laneid", "warpid", "cluster_ctarank", "cluster_nctarank", "lanemask_eq", "lanemask_lt", "lanemask_le",
         "lanemask_gt", "lanemask_ge", "total_smem_size", "aggr_smem_size", "dynamic_smem_size")  # fmt: skip
NAMES = (*(f"{name}.{axis}" for name in AXES for axis in "xyz"), *WORDS)
DYNAMIC, STATIC, RESERVED = 200, 40, 1024


def kernel() -> str:
    reads = "\n".join(f"mov.u32 v, %{name}; st.global.u32 [at+{4 * i}], v;" for i, name in enumerate(NAMES))
    return f""".version 8.6
.target sm_90
.address_size 64
.extern .shared .b8 more[];
.visible .entry k(.param .u64 out) {{
    .shared .b8 own[{STATIC}];
    .reg .b64 at; .reg .b32 i, j, v; .reg .pred p;
    ld.param.u64 at, [out];
    mov.u32 i, own; mov.u32 v, more; // both are used
    mov.u32 i, %ctaid.z; mov.u32 v, %nctaid.y; mov.u32 j, %ctaid.y; mad.lo.u32 i, i, v, j;
    mov.u32 v, %nctaid.x; mov.u32 j, %ctaid.x; mad.lo.u32 i, i, v, j;
    mov.u32 v, %ntid.z; mov.u32 j, %tid.z; mad.lo.u32 i, i, v, j;
    mov.u32 v, %ntid.y; mov.u32 j, %tid.y; mad.lo.u32 i, i, v, j;
    mov.u32 v, %ntid.x; mov.u32 j, %tid.x; mad.lo.u32 i, i, v, j;
    mad.wide.u32 at, i, {4 * len(NAMES)}, at;
    {reads}
    ret;
}}"""


def positions(extent: Triple) -> list[Triple]:
    """All of them, x fastest."""
    return [(x, y, z) for z, y, x in itertools.product(*(range(n) for n in reversed(extent)))]


def expected(grid: Triple, block: Triple, cluster: Triple) -> list[list[int]]:
    """A row for each thread: CTAs in the order of the grid, threads in that of the block."""
    rows: list[list[int]] = []
    size = -(-(STATIC + DYNAMIC) // 128) * 128  # in units of 128 bytes
    for cta in positions(grid):
        of = [i // c for i, c in zip(cta, cluster, strict=True)]
        inside = [i % c for i, c in zip(cta, cluster, strict=True)]
        rank = inside[0] + cluster[0] * (inside[1] + cluster[1] * inside[2])
        clusters = [n // c for n, c in zip(grid, cluster, strict=True)]
        for i, thread in enumerate(positions(block)):
            lane = i % 32
            below = (1 << lane) - 1
            masks = [1 << lane, below, below * 2 + 1, ~(below * 2 + 1) & 0xFFFFFFFF, ~below & 0xFFFFFFFF]
            axes = [*thread, *block, *cta, *grid, *of, *clusters, *inside, *cluster]
            ranks = [rank, cluster[0] * cluster[1] * cluster[2]]
            rows.append([*axes, lane, i // 32, *ranks, *masks, size, size + RESERVED, DYNAMIC])
    return rows


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize(
    ("grid", "block", "cluster"),
    [
        ((3, 2, 2), (5, 3, 4), None),
        ((2, 1, 3), (32, 2, 1), None),
        ((1, 3, 1), (1, 1, 33), None),
        ((4, 6, 2), (5, 3, 2), (2, 3, 1)),
        ((2, 2, 6), (7, 1, 1), (1, 2, 3)),
    ],
)
def test_registers_that_say_who_a_thread_is(grid: Triple, block: Triple, cluster: Triple | None, engine: str) -> None:
    wanted = np.array(expected(grid, block, cluster or (1, 1, 1)), np.uint32)
    found = np.zeros_like(wanted)
    openptx.load(kernel())["k"](grid, block, (found,), engine=engine, shared_mem=DYNAMIC, cluster=cluster)
    for i, name in enumerate(NAMES):
        np.testing.assert_array_equal(found[:, i], wanted[:, i], name)
