"""The values of special registers (chapter 10), as arrays: one element per lane, or one for all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from openptx.array_types import Array
from openptx.engines.interp.geometry import WARP
from openptx.isa.special_registers import MULTIPROCESSORS, RESERVED_SHARED, WARPS

if TYPE_CHECKING:
    from openptx.engines.interp.machine import Threads
    from openptx.errors import Triple

Reader = Callable[["Threads"], Array]


def value(n: int) -> Array:
    return np.array([n & (1 << 64) - 1], np.uint64)


def every(read: Callable[[Threads], int]) -> Reader:
    return lambda t: value(read(t))


def thread(axis: int) -> Reader:
    return lambda t: t.geometry.tid[axis] if t.geometry.shape.block[axis] > 1 else value(0)


def extent(of: Callable[[Threads], Triple], axis: int) -> Reader:
    return lambda t: value(of(t)[axis])


def cta(axis: int) -> Reader:
    return lambda t: t.geometry.per_lane(t.geometry.ctaid[axis])


def cluster(axis: int) -> Reader:
    return lambda t: t.geometry.per_lane(t.geometry.place[0][axis])


def inside(axis: int) -> Reader:
    return lambda t: t.geometry.per_lane(t.geometry.place[1][axis])


def clusters(t: Threads) -> Triple:
    (x, y, z), (a, b, c) = t.geometry.shape.grid, t.geometry.shape.cluster
    return x // a, y // b, z // c


def lanemask(of: Callable[[NDArray[np.uint64]], NDArray[np.uint64]]) -> Reader:
    return lambda t: of(np.uint64(1) << t.geometry.lane.astype(np.uint64)) & np.uint64(0xFFFFFFFF)


ONE = np.uint64(1)
SPECIALS: dict[str, Reader] = {
    "laneid": lambda t: t.geometry.lane,
    "warpid": lambda t: t.geometry.thread // np.uint32(WARP),
    "nwarpid": every(lambda t: WARPS),
    "nsmid": every(lambda t: MULTIPROCESSORS),
    "lanemask_eq": lanemask(lambda bit: bit),
    "lanemask_lt": lanemask(lambda bit: bit - ONE),
    "lanemask_le": lanemask(lambda bit: bit | (bit - ONE)),
    "lanemask_gt": lanemask(lambda bit: ~(bit | (bit - ONE))),
    "lanemask_ge": lanemask(lambda bit: ~(bit - ONE)),
    "envreg1": every(lambda t: t.memory.workspace >> 32),
    "envreg2": every(lambda t: t.memory.workspace & 0xFFFFFFFF),
    "clock": every(lambda t: t.tick() & 0xFFFFFFFF),
    "clock_hi": every(lambda t: t.tick() >> 32),
    "clock64": every(lambda t: t.tick()),
    "globaltimer": every(lambda t: t.now()),
    "globaltimer_lo": every(lambda t: t.now() & 0xFFFFFFFF),
    "globaltimer_hi": every(lambda t: t.now() >> 32),
    "is_explicit_cluster": every(lambda t: int(t.geometry.shape.explicit_cluster)),
    "cluster_ctarank": lambda t: t.geometry.per_lane(t.geometry.rank),
    "cluster_nctarank": every(lambda t: t.geometry.shape.cluster_size),
    "total_smem_size": every(lambda t: t.geometry.shape.own_shared),
    "aggr_smem_size": every(lambda t: t.geometry.shape.own_shared + RESERVED_SHARED),
    "dynamic_smem_size": every(lambda t: t.geometry.shape.dynamic_shared),
}
"""By name with component. Registers that are not listed (`smid`, `gridid`, `pm0`, `envreg0`...) read 0."""

for _axis, _letter in enumerate("xyz"):
    SPECIALS.update(
        {
            f"tid.{_letter}": thread(_axis),
            f"ntid.{_letter}": extent(lambda t: t.geometry.shape.block, _axis),
            f"ctaid.{_letter}": cta(_axis),
            f"nctaid.{_letter}": extent(lambda t: t.geometry.shape.grid, _axis),
            f"clusterid.{_letter}": cluster(_axis),
            f"nclusterid.{_letter}": extent(clusters, _axis),
            f"cluster_ctaid.{_letter}": inside(_axis),
            f"cluster_nctaid.{_letter}": extent(lambda t: t.geometry.shape.cluster, _axis),
        }
    )
