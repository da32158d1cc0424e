"""The special registers (chapter 10) that say where a lane is, as arrays: one element per lane, or one for all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from openptx.array_types import Array
from openptx.engines.interp.geometry import WARP, Geometry
from openptx.errors import Triple
from openptx.isa.special_registers import MULTIPROCESSORS, RESERVED_SHARED, WARPS

Reader = Callable[[Geometry], Array]


def value(n: int) -> Array:
    return np.array([n & (1 << 64) - 1], np.uint64)


def every(read: Callable[[Geometry], int]) -> Reader:
    return lambda g: value(read(g))


def thread(axis: int) -> Reader:
    return lambda g: g.tid[axis] if g.shape.block[axis] > 1 else value(0)


def extent(of: Callable[[Geometry], Triple], axis: int) -> Reader:
    return lambda g: value(of(g)[axis])


def cta(axis: int) -> Reader:
    return lambda g: g.per_lane(g.ctaid[axis])


def cluster(axis: int) -> Reader:
    return lambda g: g.per_lane(g.place[0][axis])


def inside(axis: int) -> Reader:
    return lambda g: g.per_lane(g.place[1][axis])


def clusters(g: Geometry) -> Triple:
    (x, y, z), (a, b, c) = g.shape.grid, g.shape.cluster
    return x // a, y // b, z // c


def lanemask(of: Callable[[NDArray[np.uint64]], NDArray[np.uint64]]) -> Reader:
    return lambda g: of(np.uint64(1) << g.lane.astype(np.uint64)) & np.uint64(0xFFFFFFFF)


ONE = np.uint64(1)
SPECIALS: dict[str, Reader] = {
    "laneid": lambda g: g.lane,
    "warpid": lambda g: g.thread // np.uint32(WARP),
    "nwarpid": every(lambda g: WARPS),
    "nsmid": every(lambda g: MULTIPROCESSORS),
    "lanemask_eq": lanemask(lambda bit: bit),
    "lanemask_lt": lanemask(lambda bit: bit - ONE),
    "lanemask_le": lanemask(lambda bit: bit | (bit - ONE)),
    "lanemask_gt": lanemask(lambda bit: ~(bit | (bit - ONE))),
    "lanemask_ge": lanemask(lambda bit: ~(bit - ONE)),
    "is_explicit_cluster": every(lambda g: int(g.shape.explicit_cluster)),
    "cluster_ctarank": lambda g: g.per_lane(g.rank),
    "cluster_nctarank": every(lambda g: g.shape.cluster_size),
    "total_smem_size": every(lambda g: g.shape.own_shared),
    "aggr_smem_size": every(lambda g: g.shape.own_shared + RESERVED_SHARED),
    "dynamic_smem_size": every(lambda g: g.shape.dynamic_shared),
}
"""By name with component. Registers that are not listed (`smid`, `gridid`, `pm0`, `envreg0`...) read 0."""

for _axis, _letter in enumerate("xyz"):
    SPECIALS.update(
        {
            f"tid.{_letter}": thread(_axis),
            f"ntid.{_letter}": extent(lambda g: g.shape.block, _axis),
            f"ctaid.{_letter}": cta(_axis),
            f"nctaid.{_letter}": extent(lambda g: g.shape.grid, _axis),
            f"clusterid.{_letter}": cluster(_axis),
            f"nclusterid.{_letter}": extent(clusters, _axis),
            f"cluster_ctaid.{_letter}": inside(_axis),
            f"cluster_nctaid.{_letter}": extent(lambda g: g.shape.cluster, _axis),
        }
    )
