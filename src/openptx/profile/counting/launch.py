"""A launch whose batches, or those of a sample of blocks, are profiled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from openptx.engines.interp.batch import Batch
from openptx.engines.interp.geometry import Shape
from openptx.engines.interp.launch import Launch, ctas_of_a_batch
from openptx.profile.counting.batch import ProfiledBatch
from openptx.profile.counting.decoded import ProfiledFunction
from openptx.profile.counting.machine import ProfiledThreads
from openptx.profile.counting.recorder import Recorder
from openptx.program import Function, Program

PIECES = 16
"""The minimum number of pieces of a sample."""


@dataclass(frozen=True, slots=True)
class ProfiledLaunch(Launch):
    """`sample` is the number of CTAs to execute, spread evenly over the grid; None for all of them."""

    recorder: Recorder
    sample: int | None

    threads = ProfiledThreads
    batches = ProfiledBatch

    def decoded(self, function: Function) -> ProfiledFunction:
        return self.recorder.decoded(function)

    def batch(self, first: int, count: int) -> Batch:
        self.recorder.begins(count)
        return Launch.batch(self, first, count)

    def pieces(self, ctas: range) -> Iterator[tuple[int, int]]:
        if self.sample is None:
            return Launch.pieces(self, ctas)
        return sampled(self.program, self.function, self.shape, self.sample)


def sampled(program: Program, function: Function, shape: Shape, wanted: int) -> Iterator[tuple[int, int]]:
    """Pieces of a launch of which `wanted` CTAs are executed."""
    return sample_pieces(shape.ctas, shape.cluster_size, wanted, ctas_of_a_batch(program, function, shape))


def sample_pieces(ctas: int, cluster: int, wanted: int, most: int) -> Iterator[tuple[int, int]]:
    """Pieces of `wanted` CTAs or a few more, in whole clusters, evenly spread: the first of each, and how many.

    A piece has at most as many CTAs as a batch, and there are several, because CTAs at the edges may behave
    differently.
    """
    clusters, need = ctas // cluster, min(-(-wanted // cluster), ctas // cluster)
    count = min(max(PIECES, -(-need * cluster // most)), need)
    for i in range(count):
        begin, end = i * need // count, (i + 1) * need // count
        gap = i * (clusters - need) // max(count - 1, 1)
        yield (begin + gap) * cluster, (end - begin) * cluster
