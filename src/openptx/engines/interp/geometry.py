"""The thread of each lane: the CTAs of a batch, their threads and warps, as arrays that are computed on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from openptx.errors import Triple
from openptx.program import SharedLayout

T = TypeVar("T")
U32 = NDArray[np.uint32]
WARP = 32


@dataclass(frozen=True, slots=True)
class Shape:
    """The geometry shared by all CTAs of a launch."""

    grid: Triple
    block: Triple
    cluster: Triple  # (1, 1, 1) without clusters
    explicit_cluster: bool
    layout: SharedLayout
    shared: int  # bytes of a CTA
    dynamic_shared: int
    own_shared: int  # `%total_smem_size`

    @property
    def threads(self) -> int:
        """The number of threads of a CTA."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def ctas(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def cluster_size(self) -> int:
        return self.cluster[0] * self.cluster[1] * self.cluster[2]


def block_number(block: Triple, grid: Triple, cluster: Triple) -> int:
    """The linear index of the block at a position, cluster by cluster; x varies fastest."""
    (x, y, z), (gx, gy, _), (cx, cy, cz) = block, grid, cluster
    number = x // cx + (gx // cx) * (y // cy + (gy // cy) * (z // cz))
    rank = x % cx + cx * (y % cy + cy * (z % cz))
    return number * cx * cy * cz + rank


def split(linear: NDArray[np.integer], extent: Triple) -> tuple[U32, U32, U32]:
    """x, y, z of linear positions, x varying fastest."""
    x, rest = linear % extent[0], linear // extent[0]
    y, z = rest % extent[1], rest // extent[1]
    return np.ascontiguousarray(x, np.uint32), np.ascontiguousarray(y, np.uint32), np.ascontiguousarray(z, np.uint32)


class lazy(Generic[T]):
    """`functools.cached_property` without its lock up to Python 3.11, which all instances of a class share: in a
    process forked while another thread held the lock, it would never be released."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute, self.__doc__ = compute, compute.__doc__

    def __get__(self, instance: object, owner: type | None = None) -> T:
        value = instance.__dict__[self._compute.__name__] = self._compute(instance)
        return value


class Geometry:
    """The lanes of CTAs `first` to `first + count`, numbered cluster by cluster, so that no cluster is split."""

    def __init__(self, shape: Shape, first: int, count: int) -> None:
        self.shape, self.first, self.count = shape, first, count
        self.threads = shape.threads
        self.n = count * self.threads
        self.warps_per_cta = -(-self.threads // WARP)
        self.whole_warps = self.threads % WARP == 0

    @lazy
    def cta(self) -> NDArray[np.intp]:
        """The position of the lane's CTA in the batch."""
        return np.repeat(np.arange(self.count), self.threads)

    @lazy
    def thread(self) -> U32:
        """The lane's position in its CTA."""
        return np.tile(np.arange(self.threads, dtype=np.uint32), self.count)

    @lazy
    def lane(self) -> U32:
        """The lane's position in its warp."""
        return self.thread % np.uint32(WARP)

    @lazy
    def warp(self) -> NDArray[np.intp]:
        """The position of the lane's warp in the batch."""
        return self.cta * self.warps_per_cta + self.thread // WARP

    @lazy
    def warp_start(self) -> NDArray[np.intp]:
        """The first lane of the lane's warp."""
        return np.arange(self.n) - self.lane

    @lazy
    def warp_starts(self) -> NDArray[np.intp]:
        """The first lane of every warp."""
        return np.flatnonzero(self.lane == 0)

    @lazy
    def tid(self) -> tuple[U32, U32, U32]:
        return split(self.thread, self.shape.block)

    @lazy
    def rank(self) -> U32:
        """The rank of every CTA in its cluster."""
        return ((np.arange(self.count) + self.first) % self.shape.cluster_size).astype(np.uint32)

    @lazy
    def place(self) -> tuple[tuple[U32, U32, U32], tuple[U32, U32, U32]]:
        """For every CTA, the cluster's position in the grid of clusters and the CTA's position in its cluster."""
        (x, y, z), (w, h, d) = self.shape.grid, self.shape.cluster
        number = (np.arange(self.count) + self.first) // self.shape.cluster_size
        return split(number, (x // w, y // h, z // d)), split(self.rank, (w, h, d))

    @lazy
    def ctaid(self) -> tuple[U32, U32, U32]:
        """The index of every CTA of the batch."""
        (a, b, c), (x, y, z) = self.place
        w, h, d = (np.uint32(size) for size in self.shape.cluster)
        return a * w + x, b * h + y, c * d + z

    def per_lane(self, per_cta: U32) -> U32:
        """A value of each CTA, broadcast to its lanes."""
        return per_cta if self.count == 1 else np.repeat(per_cta, self.threads)

    def block_of(self, lane: int) -> Triple:
        x, y, z = (int(v[lane // self.threads]) for v in self.ctaid)
        return x, y, z

    def thread_of(self, lane: int) -> Triple:
        x, y, z = (int(v[lane]) for v in self.tid)
        return x, y, z
