"""Random schedules: orders of lanes, warps and blocks, chosen by a seed."""

from __future__ import annotations

import numpy as np

from openptx.engines.interp import lane_sets
from openptx.engines.interp.batch import Batch
from openptx.engines.interp.frames import Group

SPLITS = 0.5
"""How often a group of lanes is split before it runs; half of these times within its warps."""
LONGEST_TURN = 64
"""The number of instructions after which another group may run."""
MOST_BATCHES = 256
"""Blocks run one by one, in any order, unless there are more than this."""


def take(batch: Batch, order: np.random.Generator) -> Group:
    """A random runnable group of lanes, or a part of it: whole warps, or any lanes. The rest stays ready."""
    key = list(batch.ready)[int(order.integers(len(batch.ready)))]
    group = batch.ready.pop(key)
    if order.random() >= SPLITS:
        return group
    lanes = lane_sets.positions(group.lanes, batch.x.n)
    warps, of = np.unique(batch.x.geometry.warp[lanes], return_inverse=True)
    chosen = order.random(lanes.size) < 0.5
    if warps.size > 1 and order.random() < 0.5:
        chosen = (order.random(warps.size) < 0.5)[of.reshape(-1)]
    if chosen.any() and not chosen.all():
        batch.ready[key] = Group(group.frame, group.pc, lane_sets.normalize(lanes[~chosen], batch.x.n), group.since)
        group.lanes = lane_sets.normalize(lanes[chosen], batch.x.n)
    return group
