"""Executes control instructions for a group of lanes: branches, calls, returns, exits, barriers, traps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from openptx.array_types import Array
from openptx.engines.common import fault_text
from openptx.engines.common.operands import source_names
from openptx.engines.interp import lane_sets
from openptx.engines.interp.barriers import Barrier, reduction, waits
from openptx.engines.interp.calls import call, return_from_call
from openptx.engines.interp.decode import NoMeaning, member_mask
from openptx.engines.interp.frames import Group
from openptx.engines.interp.memory.spaces import Violation
from openptx.locks import check_cancelled
from openptx.numerics import Bits
from openptx.numerics.reductions import any_set, distinct
from openptx.program import Op, Target, Targets

if TYPE_CHECKING:
    from openptx.engines.interp.batch_state import BatchState
    from openptx.engines.interp.decode import Block
    from openptx.engines.interp.watch import Watch


def execute_control(batch: BatchState, group: Group, block: Block) -> bool:
    """Executes the block's control instruction: `group` continues at its position (True), or is dissolved (False).
    Raises NoMeaning for one that this engine does not know."""
    op = block.control
    assert op is not None
    instruction = op.form.instruction
    if batch.watch is not None:
        observe_control(batch.watch, group, op)
    if instruction.control == "branch":
        return branch(batch, group, op, block.end)
    if op.guard is not None:
        p = lane_sets.take(group.frame.regs[op.guard.index], group.lanes)
        if op.guard.negated:
            p = ~p
        count = np.count_nonzero(p)
        if not count:
            group.pc = block.end
            return True
        if count < p.size:
            batch.add(group.frame, block.end, lane_sets.where(group.lanes, ~p, batch.x.n))
            group.lanes = lane_sets.where(group.lanes, p, batch.x.n)
            batch.x.executing = group.lanes
    group.pc = block.end - 1
    act = ACTIONS.get(instruction.control or "converge")
    if act is None:
        raise NoMeaning(op)
    return act(batch, group, op, block.end)


def observe_control(watch: Watch, group: Group, op: Op) -> None:
    """Observes a control instruction; its sources only if it has no guard, which keeps this simple."""
    watch.guard(op, group.frame, group.lanes)
    if op.guard is None:
        watch.before(op, group.frame, group.lanes)
    watch.after(op, group.frame, group.lanes)


def branch(batch: BatchState, group: Group, op: Op, end: int) -> bool:
    """Executes a `bra` for a group; False if it splits into two groups, which are added to the batch."""
    target = op.operands[0]
    assert isinstance(target, Target)
    if op.guard is None:
        group.pc = target.pc
        return True
    guard, lanes = op.guard, group.lanes
    p = lane_sets.take(group.frame.regs[guard.index], lanes)
    count = np.count_nonzero(p)
    if count == p.size or not count:
        group.pc = target.pc if (count > 0) != guard.negated else end
        return True
    if_set, if_clear = (end, target.pc) if guard.negated else (target.pc, end)
    batch.add(group.frame, if_set, lane_sets.where(lanes, p, batch.x.n))
    batch.add(group.frame, if_clear, lane_sets.where(lanes, ~p, batch.x.n))
    return False


def branch_table(batch: BatchState, group: Group, op: Op, end: int) -> bool:
    """Executes a `brx.idx` for a group, which is split by target; always False."""
    read, targets = group.frame.plan.source(op.operands[0], op.types[0]), op.operands[1]
    assert isinstance(targets, Targets)
    index = read(batch.x, group.frame.regs, group.lanes)
    batch.x.require(
        index < len(targets.pcs), "branch-index", f"an index beyond the {len(targets.pcs)} labels of the list"
    )
    found: list[int] = distinct(index.v).tolist()
    for i in found:
        check_cancelled()
        chosen = index.v == i
        lanes = group.lanes if chosen.size == 1 else lane_sets.where(group.lanes, chosen, batch.x.n)
        batch.add(group.frame, targets.pcs[i], lanes)
    return False


def leave(batch: BatchState, group: Group, op: Op, end: int) -> bool:
    batch.leave(group.lanes)
    return False


def return_from_function(batch: BatchState, group: Group, op: Op, end: int) -> bool:
    return fall_off(batch, group)


def fall_off(batch: BatchState, group: Group) -> bool:
    """A function ends with an implicit `ret`."""
    if group.frame.parent is None:
        batch.leave(group.lanes)
        return False
    return_from_call(batch, group)
    return True


def trap(batch: BatchState, group: Group, op: Op, end: int) -> bool:
    raise Violation("trap", f"the kernel executed `{op.form.instruction.mnemonic}`", lane_sets.first(group.lanes))


def proceed(batch: BatchState, group: Group, op: Op, end: int) -> bool:
    group.pc = end
    return True


# Barriers.


def barrier(batch: BatchState, group: Group, op: Op, end: int) -> bool:
    """bar and barrier: all their operands may be registers, and may differ between lanes."""
    x, regs, plan = batch.x, group.frame.regs, group.frame.plan
    named = dict(zip(source_names(op), plan.sources(op), strict=True))
    number = named["a"](x, regs, group.lanes)
    count = named["b"](x, regs, group.lanes) if "b" in named else None
    x.require(number < 16, "invalid-barrier", "a barrier's number is 0 to 15")
    if count is not None:
        right = ((count & 31) == 0) & (count != 0)
        x.require(right, "invalid-barrier", "a barrier's thread count is a multiple of 32, and not 0")
    predicates = named["c"](x, regs, group.lanes) if op.m.mode == "red" else None
    votes = predicates.v if predicates is not None else None
    write = plan.results(op)[0] if op.m.mode == "red" else None
    batch.arrives(op, group.lanes, number, count, predicates)
    whole = lane_sets.size(group.lanes, x.n) == batch.alive_count
    if whole and number.v.size == 1 and count is None and not batch.expects(int(number.v[0])):
        if votes is not None and write is not None:
            every = x.whole(votes) if votes.size > 1 else np.broadcast_to(votes, x.n)
            result = reduction(op, batch.alive, every, x.geometry.cta, x.geometry.count)
            write(x, regs, group.lanes, x.lanes(result if group.lanes is None else result[group.lanes]))
        batch.opens(int(number.v[0]), batch.alive)
        group.pc = end
        return True
    return arrive(batch, group, op, end, number.v, count.v if count is not None else np.zeros(1, np.uint32), votes)


def arrive(batch: BatchState, group: Group, op: Op, end: int, number: Array, count: Array, votes: Array | None) -> bool:
    """Arrives at barriers of any numbers and counts; the lanes continue when those complete."""
    n = batch.x.n
    k = lane_sets.size(group.lanes, n)
    number, count = np.broadcast_to(number, k), np.broadcast_to(count, k)
    all_lanes, write = group.lanes, group.frame.plan.results(op)[0] if op.m.mode == "red" else None
    for i, expected in sorted(set(zip(number.tolist(), count.tolist(), strict=True))):
        chosen = (number == i) & (count == expected)
        one = batch.barriers.get(i)
        if one is None:
            one = batch.barriers[i] = Barrier(batch, i)
        for some in one.in_turn(all_lanes, chosen, expected):
            group.lanes = lane_sets.where(all_lanes, some, n)
            one.arrive(group.lanes, expected, np.broadcast_to(votes, k)[some] if votes is not None else None)
            if op.m.mode == "arrive":
                batch.add(group.frame, end, group.lanes)
            else:
                one.waiting.append(waits(group, end, n, op, write))
            one.settle()
    return False


def cluster_barrier(batch: BatchState, group: Group, op: Op, end: int) -> bool:
    batch.arrives_in_cluster(op, group.lanes)
    if op.m.mode == "arrive":
        batch.cluster.arrive(group.lanes)
        group.pc = end
        if batch.cluster.waiting:
            batch.cluster.settle()
        return True
    batch.cluster.waiting.append(waits(group, end, batch.x.n, op))
    batch.cluster.settle()
    return False


# Instructions for which the lanes of a warp wait for each other.


def converge(batch: BatchState, group: Group, op: Op, end: int) -> bool:
    """Executes an instruction with a mask of lanes for the warps in which all named lanes have arrived, and parks the
    group's other lanes; False if no lane continues."""
    x, frame = batch.x, group.frame
    parked = batch.parked.pop((frame, group.pc), None)
    if parked is not None:
        group.lanes = x.executing = lane_sets.union(group.lanes, parked.lanes, x.n)
    mask = member_mask(op, frame.plan.sources(op))(x, frame.regs, group.lanes)
    lane = x.lane()
    x.require((mask >> lane & 1) != 0, "invalid-mask", fault_text.wrong_mask(op), mask)
    if group.lanes is not None:
        present = x.ballot(x.const(1, 1))
        missing = mask & batch.living(group.lanes) & ~present
        if any_set(missing.v):
            complete = np.broadcast_to(missing.v == 0, lane_sets.size(group.lanes, x.n))
            waiting = lane_sets.where(group.lanes, ~complete, x.n)
            batch.parked[frame, group.pc] = Group(frame, group.pc, waiting, batch.clock)
            if not any_set(complete):
                return False
            group.lanes = x.executing = lane_sets.where(group.lanes, complete, x.n)
            mask = Bits(x, 32, mask.v if mask.v.size == 1 else mask.v[complete])
    batch.converges(op, group.lanes, mask)
    if op.form.instruction.control is None:
        frame.plan.step(op)(x, frame.regs, group.lanes)
    group.pc = end
    return True


Action = Callable[["BatchState", Group, Op, int], bool]
ACTIONS: dict[str, Action] = {
    "branch-table": branch_table,
    "call": call,
    "return": return_from_function,
    "exit": leave,
    "barrier": barrier,
    "warp-barrier": converge,
    "cluster-barrier": cluster_barrier,
    "trap": trap,
    "breakpoint": proceed,
    "converge": converge,
}
