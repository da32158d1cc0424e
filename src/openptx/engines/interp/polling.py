"""Finds loops that poll memory by plain loads: their groups are then preempted as early as those with strong loads.

A loop around plain loads may as well compute something: then a group that is preempted early would run in parts, and
each iteration would take as long for fewer lanes. A lane waits if it comes back with the registers that it had.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from openptx.engines.interp import lane_sets
from openptx.engines.interp.decode import Block
from openptx.isa.memory_consistency import may_poll

if TYPE_CHECKING:
    from openptx.array_types import Array
    from openptx.engines.interp.frames import Frame, Group

TRIP = 8
"""The largest number of blocks of such a loop."""


def found_poll(ready: dict[tuple[Frame, int], Group], group: Group, run_block: Callable[[], None]) -> bool:
    """Runs a ready group once more around its loop. If that polls, its loads weigh as much from now on as instructions
    that may wait, also in later launches. `run_block` runs the group's next block and makes it ready again."""
    frame, pc, polls = group.frame, group.pc, list[Block]()
    before = registers(group)
    for _ in range(TRIP):
        block = frame.plan.block(group.pc)
        if block.weight < frame.plan.waiting and any(may_poll(op.m) for op in block.ops):
            polls.append(block)
        del ready[frame, group.pc]
        run_block()
        if ready.get((frame, group.pc)) is not group:
            return False  # it has ended, diverged or met another one
        if group.pc == pc:
            break
    if group.pc != pc or registers(group) != before:
        return False
    for block in polls:
        block.weight = frame.plan.waiting
    return bool(polls)


def registers(group: Group) -> list[Any]:
    """The registers of the first lane."""
    lane = lane_sets.first(group.lanes)
    return [value(register, lane) for register in group.frame.regs]


def value(register: Array | tuple[Array, Array], lane: int) -> Any:
    if isinstance(register, tuple):  # the halves of 128 bits
        return value(register[0], lane), value(register[1], lane)
    return register.item(lane if register.size > 1 else 0)
