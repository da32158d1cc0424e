"""Branches, calls and returns: which executions by a warp diverge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from openptx.array_types import Array
from openptx.control_flow import targets as positions
from openptx.engines.interp import lane_sets
from openptx.engines.interp.batch import Batch
from openptx.engines.interp.frames import Group
from openptx.profile.counting.requests import warp_count
from openptx.program import Op, Reg


@dataclass(frozen=True, slots=True)
class Branches:
    """Executions by warps, and how many of them diverged."""

    branches: int
    divergent: int


def targets(batch: Batch, op: Op, group: Group, guard: Array | None) -> Branches | None:
    """Executions and divergence of a branch, a call, or a return from a function; None for other instructions. `guard`
    is True for the lanes that branch."""
    kind, lanes = op.form.instruction.control, group.lanes
    if kind not in ("branch", "branch-table", "call") and (kind != "return" or group.frame.parent is None):
        return None
    warps = warp_count(batch.x.geometry, lanes)
    place = None
    if kind in ("branch-table", "call") and isinstance(op.operands[index_of(op)], Reg):
        i = index_of(op)
        value = group.frame.plan.source(op.operands[i], op.types[i])(batch.x, group.frame.regs, lanes)
        place = value.v.astype(np.uint64)
    if guard is not None:
        place = guard.astype(np.uint64) if place is None else np.where(guard, place, ~np.uint64(0))
    if place is None or place.size == 1 or (place == place[0]).all():
        return Branches(warps, 0)
    return Branches(warps, different(batch, lanes, place))


def targets_taken(batch: Batch, op: Op, group: Group, guard: Array | None) -> Iterator[tuple[int, int]]:
    """Where a branch within its function sends threads: each position, and the number of threads that go there."""
    kind, size = op.form.instruction.control, lane_sets.size(group.lanes, batch.x.n)
    if kind == "branch":
        yield next(positions(op)), size if guard is None else int(np.count_nonzero(guard))
    elif kind == "branch-table":
        i = index_of(op)
        value = group.frame.plan.source(op.operands[i], op.types[i])(batch.x, group.frame.regs, group.lanes)
        index = np.broadcast_to(value.v, size)
        pcs = tuple(positions(op))
        numbers, counts = np.unique(index if guard is None else index[guard], return_counts=True)
        for number, threads in zip(numbers.tolist(), counts.tolist(), strict=True):
            if number < len(pcs):  # others fault
                yield pcs[number], threads


def index_of(op: Op) -> int:
    """The operand that determines the target."""
    return next((i for i, t in enumerate(op.form.operands) if t.role in ("function", "read", "label")), 0)


def different(batch: Batch, lanes: lane_sets.Lanes, place: Array) -> int:
    """How many warps have lanes with different values."""
    geometry = batch.x.geometry
    warps = lane_sets.take(geometry.warp, lanes)
    change = (warps[1:] == warps[:-1]) & (place[1:] != place[:-1])
    return np.unique(warps[1:][change]).size
