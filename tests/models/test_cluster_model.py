"""Clusters of all shapes in random grids: special registers (10.11 to 10.17), mapa and getctarank (9.7.9.23, 9.7.9.24),
and the memory of other CTAs between barriers of the cluster (9.7.13.4)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import openptx

THREADS = 33
REGISTERS = [
    f"{name}.{axis}" for name in ("%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid") for axis in "xyz"
]
REGISTERS += ["%cluster_ctarank", "%cluster_nctarank"]
RANKS = ["getctarank.shared::cluster.u32 v, there;", "getctarank.shared::cluster.u64 v, wide;",
         "getctarank.u64 v, generic;", "getctarank.shared::cluster.u32 v, word + 4;"]  # fmt: skip
ADDRESSES = ["mapa.shared::cluster.u32 there, word, peer;", "mapa.shared::cluster.u32 there, own, peer;",
             "mapa.shared::cluster.u64 wide, word + 4, peer;", "mapa.u64 generic, generic, peer;"]  # fmt: skip
READS = ["ld.shared::cluster.u32 v, [there];", "ld.shared::cluster.u32 v, [wide + -4];", "ld.u32 v, [generic];"]
WORDS = len(REGISTERS) + 1 + len(READS) + len(RANKS) + 1
"""What a CTA writes down, in this order; the last one is what others added to its memory."""


@cache
def kernel() -> Any:
    steps = [f"mov.u32 v, {register};" for register in REGISTERS]
    steps += ["mov.pred q, %is_explicit_cluster; selp.u32 v, 1, 0, q;", *READS, *RANKS]
    return openptx.load(f""".version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 presults, .param .u64 ppeers) {{
.shared .align 8 .u32 word[2];
.reg .b64 out, from, wide, generic; .reg .b32 n, m, v, own, there, peer; .reg .pred p, q;
mov.u32 n, %ctaid.z; mov.u32 m, %nctaid.y; mov.u32 v, %ctaid.y; mad.lo.u32 n, n, m, v;
mov.u32 m, %nctaid.x; mov.u32 v, %ctaid.x; mad.lo.u32 n, n, m, v;
ld.param.u64 out, [presults]; mad.wide.u32 out, n, {4 * WORDS}, out;
ld.param.u64 from, [ppeers]; mad.wide.u32 from, n, 4, from; ld.global.u32 peer, [from];
mov.u32 own, word; cvt.u64.u32 generic, own; cvta.shared.u64 generic, generic;
mov.u32 m, %tid.x; setp.ne.u32 p, m, 0; @p bra MEET;
st.shared.u32 [word], n; st.shared.u32 [word+4], 0;
MEET: barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
{" ".join(ADDRESSES)}
{" ".join(f"{step} @!p st.global.u32 [out+{4 * i}], v;" for i, step in enumerate(steps))}
mapa.shared::cluster.u32 there, word + 4, peer; red.relaxed.cluster.shared::cluster.add.u32 [there], n;
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
ld.shared.u32 v, [word+4]; @!p st.global.u32 [out+{4 * WORDS - 4}], v;
ret; }}""")["k"]


def model(grid: tuple[int, ...], cluster: tuple[int, ...], peers: Any) -> Any:
    """Axes are x, y and z. A CTA's rank counts x first."""
    counts = [n // size for n, size in zip(grid, cluster, strict=True)]
    places = [(x, y, z) for z in range(grid[2]) for y in range(grid[1]) for x in range(grid[0])]
    number = {place: n for n, place in enumerate(places)}
    found, added = np.zeros((len(places), WORDS), np.uint32), np.zeros(len(places), np.uint32)
    for n, place in enumerate(places):
        home = [i // size for i, size in zip(place, cluster, strict=True)]
        within = [i % size for i, size in zip(place, cluster, strict=True)]
        rank = within[0] + cluster[0] * (within[1] + cluster[1] * within[2])
        peer = int(peers[n])
        there = (peer % cluster[0], peer // cluster[0] % cluster[1], peer // cluster[0] // cluster[1])
        other = number[tuple(h * size + i for h, size, i in zip(home, cluster, there, strict=True))]  # type: ignore[index]
        added[other] += THREADS * n
        registers = [*home, *counts, *within, *cluster, rank, np.prod(cluster), 1]
        found[n, :-1] = [*registers, *[other] * len(READS), *[peer] * 3, rank]
    found[:, -1] = added
    return found


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_clusters(engine: str) -> None:
    rng = np.random.default_rng(1)
    shapes = [(1, 1, 1), (2, 1, 1), (1, 1, 4), (2, 2, 2), (3, 1, 2), (1, 5, 1), (8, 1, 1), (2, 3, 1)]
    for cluster in shapes:
        grid = tuple(int(size * rng.integers(1, 4)) for size in cluster)
        peers = rng.integers(0, np.prod(cluster), np.prod(grid)).astype(np.uint32)
        found = np.zeros((int(np.prod(grid)), WORDS), np.uint32)
        kernel()(grid, THREADS, (found, peers), cluster=cluster, engine=engine)
        np.testing.assert_array_equal(found, model(grid, cluster, peers), f"{grid} {cluster}")
