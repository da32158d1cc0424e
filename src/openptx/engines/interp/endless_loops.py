"""Proves that a batch waits forever: its lanes loop, and nothing that decides whether a loop ends can change.

A `Probe` watches the batch for a while. If nothing but arithmetic, loads, waits for mbarriers and branches is executed
meanwhile, shared memory keeps its contents. So does every register that was only written with the value that it had,
if that was computed from such registers and the batch's own memory. A lane executes the same instructions forever if
such registers decide all branches that leave them. Others may change: a counter or a time, by which it sleeps longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from openptx.control_flow import control, converges, places, read_registers, successors, written_registers
from openptx.engines.common.mbarrier_text import lacks_all, progress, remedy
from openptx.engines.common.operands import source_position
from openptx.engines.interp import lane_sets
from openptx.engines.interp.decode import guard_mask
from openptx.engines.interp.frames import Frame
from openptx.engines.interp.operands import arrays
from openptx.isa.instructions import fence, mbarrier, mbarrier_reports, miscellaneous, warp
from openptx.isa.semantics.mbarrier import PHASE
from openptx.numerics.reductions import distinct
from openptx.program import Address, Op, Special

if TYPE_CHECKING:
    from openptx.array_types import Array
    from openptx.engines.interp.batch import Batch

WINDOW = 1 << 21
"""How long (in a batch's clock) it is watched: each of a few groups has several turns."""

MOST_LOOPS = 64
"""The number of different loops that are examined."""

WAITS = frozenset((mbarrier.test_wait, mbarrier.try_wait, mbarrier_reports.test_wait, mbarrier_reports.try_wait))
WITHOUT_EFFECT = frozenset((fence.fence, fence.membar, miscellaneous.nanosleep))
OWN = frozenset(("shared", "shared::cta", "shared::cluster", "const", "param", "param::entry", "param::func", "local"))
"""Spaces that only threads of the batch write."""
TIMES = ("clock", "globaltimer")


class Spin(NamedTuple):
    """Lanes that loop forever around an instruction."""

    lanes: lane_sets.Positions
    op: Op
    what: str
    remedy: str = ""
    follows: bool = False
    """Whether nothing has arrived at the mbarrier: those that lack some arrivals are the cause."""


class Probe:
    """What the lanes of a batch execute, and which registers change."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.executed: dict[tuple[Frame, Op], Array] = {}
        """The lanes that have come to an instruction."""
        self.changed: set[tuple[int, int]] = set()
        """By the identity of a register file, and an index."""
        self._before: list[Array] = []

    def guard(self, op: Op, frame: Frame, lanes: lane_sets.Lanes) -> None:
        if (frame, op) not in self.executed:
            self.executed[frame, op] = np.zeros(self.batch.x.n, np.bool_)
        if not has_no_effect(op) and (
            op.guard is None or guard_mask(op.guard, frame.regs, lanes, self.batch.x.n).any()
        ):
            self.batch.watch = None  # which ends the proof
        self.executed[frame, op][slice(None) if lanes is None else lanes] = True

    def before(self, op: Op, frame: Frame, lanes: lane_sets.Lanes) -> None:
        """Keeps the old values of the registers that an instruction writes."""
        self._before = [lane_sets.take(array, lanes).copy() for _, array in written(op, frame)]

    def after(self, op: Op, frame: Frame, lanes: lane_sets.Lanes) -> None:
        before, self._before = self._before, []  # none of a branch
        for (i, array), old in zip(written(op, frame), before, strict=False):
            if (lane_sets.take(array, lanes) != old).any():
                self.changed.add((id(frame.regs), i))

    def write(self, frame: Frame, i: int, lanes: lane_sets.Lanes) -> None:
        """A call passes an argument; calls end the proof."""


def written(op: Op, frame: Frame) -> list[tuple[int, Array]]:
    """The registers that an instruction writes, and their arrays."""
    return [(i, array) for i in written_registers(op) for array in arrays(frame.regs[i])]


def spins(batch: Batch) -> list[Spin]:
    """Runs a batch for a while. If all its lanes wait forever, then what for; else nothing."""
    if batch.watch is not None:
        return []
    batch.watch = probe = Probe(batch)
    try:
        batch.run_until(batch.clock + WINDOW)
        proved = batch.watch is probe
    finally:
        batch.watch = None
    return of_one_cta(batch, loops(batch, probe)) if proved and batch.ready else []


def of_one_cta(batch: Batch, found: list[Spin]) -> list[Spin]:
    """Those in the CTA of the most likely cause, which comes first; only causes keep their remedy."""
    if not found:
        return []
    found.sort(key=lambda spin: spin.follows)
    least, cta = found[0].follows, batch.x.geometry.cta
    where = cta[found[0].lanes[0]]
    mine = [spin for spin in found if (cta[spin.lanes] == where).any()]
    return [spin if spin.follows == least else spin._replace(remedy="") for spin in mine]


def loops(batch: Batch, probe: Probe) -> list[Spin]:
    """The loops of all lanes that are ready, or nothing if one of them may end."""
    found = list[Spin]()
    places = list(probe.executed)
    came = np.array(list(probe.executed.values()))
    for group in batch.ready.values():
        lanes = lane_sets.positions(group.lanes, batch.x.n)
        kinds, which = np.unique(came[:, lanes], axis=1, return_inverse=True)
        if kinds.shape[1] > MOST_LOOPS:
            return []
        for i, kind in enumerate(kinds.T):
            ops = [op for (_, op), mine in zip(places, kind, strict=True) if mine]
            frames = {id(frame) for (frame, _), mine in zip(places, kind, strict=True) if mine}
            if frames != {id(group.frame)} or not is_endless(group.frame, group.op, ops, probe.changed):
                return []
            some = list(waits(batch, group.frame, ops, lanes[which.ravel() == i]))
            if not some:
                return []
            found += some
    return found


@lru_cache(maxsize=1 << 12)
def has_no_effect(op: Op) -> bool:
    """Whether an instruction leaves everything but registers as it is, and lanes where they are."""
    instruction = op.form.instruction
    if control(op) or converges(op):
        return control(op) == "branch"
    if instruction in WAITS or instruction in WITHOUT_EFFECT or instruction.access == "load":
        return True
    return bool(written_registers(op)) and not any(isinstance(o, Address) for o in op.operands)


def is_endless(frame: Frame, next_op: Op, ops: list[Op], changed: Set[tuple[int, int]]) -> bool:
    """Whether a lane that is at `next_op`, and has executed exactly `ops`, does so forever."""
    pcs = {op: pc for pc, op in enumerate(frame.plan.code)}
    inside = {pcs[op] for op in ops}
    unknown = {i for regs, i in changed if regs == id(frame.regs)}
    for op in ops:
        if reads_what_changes(op):
            unknown.update(written_registers(op))
    grown = -1
    while grown != len(unknown):
        grown = len(unknown)
        for op in ops:
            if not unknown.isdisjoint(inputs(op)):
                unknown.update(written_registers(op))
    return pcs[next_op] in inside and all(
        (op.guard is not None and op.guard.index not in unknown)
        or (has_no_effect(op) and inside.issuperset(successors(op, pcs[op] + 1)))
        for op in ops
    )


def inputs(op: Op) -> tuple[int, ...]:
    return (*read_registers(op), op.guard.index) if op.guard is not None else read_registers(op)


def reads_what_changes(op: Op) -> bool:
    """Whether the result depends on other things than registers and memory of the batch's own."""
    instruction = op.form.instruction
    if instruction.access == "load" and op.m.space not in OWN:
        return True
    if places(op.form).reads_carry or instruction is warp.activemask:
        return True
    return any(isinstance(o, Special) and o.name.startswith(TIMES) for o in op.operands)


def waits(batch: Batch, frame: Frame, ops: list[Op], lanes: lane_sets.Positions) -> Iterator[Spin]:
    """What lanes wait for that execute `ops` forever: phases of mbarriers, or else a value in shared memory."""
    found = False
    for op in ops:
        if op.form.instruction in WAITS:
            done = np.broadcast_to(lane_sets.take(frame.regs[written_registers(op)[0]], lanes), lanes.size)
            if not done.all():
                yield from phases(batch, frame, op, lanes[~done])
                found = True
    polls = [op for op in ops if op.form.instruction.access == "load" and (op.m.space or "").startswith("shared")]
    if not found and polls:
        yield Spin(lanes, polls[0], "in a loop for a value in .shared that no thread writes")


def phases(batch: Batch, frame: Frame, op: Op, lanes: lane_sets.Positions) -> Iterator[Spin]:
    """The mbarriers that an instruction finds incomplete for lanes."""
    x, some = batch.x, lane_sets.normalize(lanes, batch.x.n)
    batch.at(frame, some)
    address = frame.plan.sources(op)[source_position(op, "addr")](x, frame.regs, some)
    (content,) = x.load(op.m.space, address, 64)
    where, words = np.broadcast_to(address.v, lanes.size), np.broadcast_to(content.v, lanes.size)
    cta = batch.x.geometry.cta[lanes]
    for block in distinct(cta).tolist():
        for one in distinct(where[cta == block]).tolist():
            mine = (cta == block) & (where == one)
            word = int(words[mine][0])
            what = f"for the phase of parity {word >> PHASE} of the mbarrier at 0x{one:x} in .shared ({progress(word)})"
            yield Spin(lanes[mine], op, what, remedy(word), lacks_all(word))
