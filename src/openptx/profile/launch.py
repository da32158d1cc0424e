"""A launch of which every batch, or every batch of a sample of blocks, is profiled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from openptx.engines.interp.geometry import Geometry
from openptx.engines.interp.launch import Launch
from openptx.profile.batch import ProfiledBatch
from openptx.profile.machine import ProfiledThreads

if TYPE_CHECKING:
    from openptx.profile.recorder import Recorder


@dataclass(frozen=True, slots=True)
class ProfiledLaunch(Launch):
    """`sample` is how many CTAs are executed, spread evenly over the grid; None for all of them."""

    recorder: Recorder
    sample: int | None

    def batch(self, first: int, count: int) -> ProfiledBatch:
        x = ProfiledThreads(Geometry(self.shape, first, count), self.memory, self.image)
        return ProfiledBatch(self.program, self.recorder.decoded(self.function), x, self.limits, self.recorder)

    def pieces(self, ctas: range) -> Iterator[tuple[int, int]]:
        if self.sample is None:
            return Launch.pieces(self, ctas)
        return spread(len(ctas), self.shape.cluster_size, self.sample)


def spread(ctas: int, cluster: int, wanted: int) -> Iterator[tuple[int, int]]:
    """So many CTAs at least, in whole clusters, at equal distances: the first of each piece, and how many."""
    clusters = ctas // cluster
    count = min(clusters, -(-wanted // cluster))
    return ((i * clusters // count * cluster, cluster) for i in range(count))
