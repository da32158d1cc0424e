"""Clusters of blocks: the maximum size for a kernel, and how many the device holds at a time.

A GPU runs the blocks of a cluster in one group of multiprocessors (a GPC). The number of working multiprocessors in a
group differs from chip to chip, so the number of clusters given here is an upper bound: as many as all multiprocessors
hold together.
"""

from __future__ import annotations

import math

from openptx.driver.calls import Failure, initialized, put_int
from openptx.driver.execution.functions import cluster_of, largest_cluster
from openptx.driver.execution.launches import configuration
from openptx.driver.execution.occupancy import most_together
from openptx.driver.modules.module import Function
from openptx.driver.results import Result


@initialized("cuOccupancyMaxPotentialClusterSize")
def largest(out: int, function: Function, config: int) -> None:
    shape, _ = configuration(config)
    together = most_together(function, math.prod(shape.block), shape.shared)
    put_int(out, min(largest_cluster(function), together))


@initialized("cuOccupancyMaxActiveClusters")
def most_clusters(out: int, function: Function, config: int) -> None:
    shape, _ = configuration(config)
    size = math.prod(shape.cluster or cluster_of(function))
    if not 0 < size <= largest_cluster(function):
        why = f"clusters of {size} blocks, and kernel `{function.kernel.name}` may have {largest_cluster(function)}"
        raise Failure(Result.INVALID_CLUSTER_SIZE, why)
    put_int(out, most_together(function, math.prod(shape.block), shape.shared) // size)
