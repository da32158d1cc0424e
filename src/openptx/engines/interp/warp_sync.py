"""Lanes of a warp that wait for each other at different instructions of one kind.

`shfl.sync` in both branches of an `if` is one exchange: the instruction's qualifiers and the member mask must be the
same, not its position (9.7.9.6). Groups at one position have merged before; this applies when nothing else can
continue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from openptx.engines.interp import lane_sets
from openptx.engines.interp.decode import member_mask
from openptx.engines.interp.frames import Group
from openptx.engines.interp.operands import Reader
from openptx.numerics import Bits

if TYPE_CHECKING:
    from openptx.engines.interp.batch_state import BatchState

Mask = NDArray[np.bool_]


def resolve_split_sync(batch: BatchState) -> bool:
    """Lets warps continue whose lanes have all arrived, though at several positions; returns whether there were any."""
    kinds: dict[tuple[object, object], list[Group]] = {}
    for group in batch.parked.values():
        kinds.setdefault((group.op.form, group.op.m), []).append(group)
    resumed = [exchange(batch, groups) for groups in kinds.values() if len(groups) > 1]  # all, not just the first
    return any(resumed)


def whole(batch: BatchState, groups: list[Group], readers: list[Reader]) -> NDArray[Any]:
    """A source of all groups, as an array with one element per lane."""
    found = None
    for group, read in zip(groups, readers, strict=True):
        batch.at(group.frame, group.lanes)
        value: Bits = read(batch.x, group.frame.regs, group.lanes)
        if found is None:
            found = np.zeros(batch.x.n, value.v.dtype)
        found[group.lanes] = value.v
    assert found is not None
    return found


def exchange(batch: BatchState, groups: list[Group]) -> bool:
    """Executes one warp-level instruction for the lanes of groups parked at several positions of it, in the warps whose
    named lanes have all arrived; returns whether there are any."""
    x = batch.x
    present = np.zeros(x.n, np.bool_)
    for group in groups:
        present[group.lanes] = True
    arrived = lane_sets.normalize(np.flatnonzero(present), x.n)
    masks = whole(batch, groups, [member_mask(g.op, g.frame.plan.sources(g.op)) for g in groups])
    x.executing = arrived
    missing = lane_sets.take(masks, arrived) & batch.living(arrived).v & ~x.ballot(x.const(1, 1)).v
    complete = np.broadcast_to(missing == 0, lane_sets.size(arrived, x.n))
    if not complete.any():
        return False
    chosen = lane_sets.where(arrived, complete, x.n)
    go = np.zeros(x.n, np.bool_)
    go[chosen] = True
    batch.converges(groups[0].op, chosen, Bits(x, 32, lane_sets.take(masks, chosen)))
    perform(batch, groups, chosen, go)
    for group in groups:
        del batch.parked[group.frame, group.pc]
        inside = np.broadcast_to(go[group.lanes], lane_sets.size(group.lanes, x.n))
        if inside.any():
            batch.add(group.frame, group.pc + 1, lane_sets.where(group.lanes, inside, x.n))
        if not inside.all():
            rest = lane_sets.where(group.lanes, ~inside, x.n)
            batch.parked[group.frame, group.pc] = Group(group.frame, group.pc, rest, batch.clock)
    return True


def perform(batch: BatchState, groups: list[Group], chosen: lane_sets.Lanes, go: Mask) -> None:
    """Executes the instruction on the values of all groups together; each group gets its lanes' results."""
    x, op = batch.x, groups[0].op
    meaning: Any = op.form.instruction.meaning
    if op.form.instruction.control is not None:
        return
    columns = list(zip(*(group.frame.plan.sources(group.op) for group in groups), strict=True))
    values = [whole(batch, groups, list(readers)) for readers in columns]
    x.executing = chosen
    found: Bits | tuple[Bits, ...] = meaning(x, op.m, *[x.lanes(lane_sets.take(v, chosen)) for v in values])
    outcomes: list[Bits] = list(found) if isinstance(found, tuple) else [found]
    spread: list[NDArray[Any]] = []
    for outcome in outcomes:
        row = np.zeros(x.n, outcome.v.dtype)
        row[chosen] = outcome.v
        spread.append(row)
    for group in groups:
        mine = np.zeros(x.n, np.bool_)
        mine[group.lanes] = True
        mine &= go
        if mine.any():
            lanes = lane_sets.normalize(np.flatnonzero(mine), x.n)
            for write, row in zip(group.frame.plan.results(group.op), spread, strict=True):
                if write is not None:
                    write(x, group.frame.regs, lanes, x.lanes(np.ascontiguousarray(lane_sets.take(row, lanes))))
