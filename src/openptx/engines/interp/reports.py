"""Faults in the user's terms: the instruction and its thread, the nearest allocation, and where threads wait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from openptx.engines.common import fault_text
from openptx.engines.common.fault_text import describe_exited, waits
from openptx.engines.interp import lane_sets
from openptx.errors import Fault

if TYPE_CHECKING:
    from openptx.engines.interp.batch_state import BatchState
    from openptx.engines.interp.endless_loops import Spin
    from openptx.engines.interp.frames import Frame
    from openptx.engines.interp.launch_state import LaunchState
    from openptx.engines.interp.memory.spaces import Violation
    from openptx.program import Op


def fault(run: LaunchState, batch: BatchState, violation: Violation) -> Fault:
    """The violation of a lane at the running instruction, as a Fault."""
    op, geometry = batch.running, batch.x.geometry
    lane = violation.lane if violation.lane >= 0 else lane_sets.first(batch.x.executing)
    nearest = None
    if violation.address is not None and violation.space in ("generic", "global"):
        nearest = run.memory.nearest(violation.address, violation.size, violation.space, run.shape.shared)
    elif violation.address is not None and violation.limit >= 0:
        nearest = fault_text.beyond(violation.address, violation.size, violation.space, violation.limit)
    return Fault(
        violation.code,
        fault_text.of_instruction(violation.message, op),
        kernel=run.function.name,
        block=geometry.block_of(lane),
        thread=geometry.thread_of(lane),
        address=violation.address,
        space=violation.space.replace("frame", "param") or None,
        nearest=nearest,
        file=run.program.file,
        span=op.span if op is not None else None,
        notes=(
            *fault_text.dynamic_memory(violation.space, violation.limit, run.shape.layout, run.shape.dynamic_shared),
            *(fault_text.source_line(op) if op is not None else ()),
            *call_chain(batch),
        ),
    )


def call_chain(batch: BatchState) -> tuple[str, ...]:
    """The calls that led to the position, innermost first."""
    frame: Frame | None = batch.current
    names: list[str] = []
    while frame is not None and len(names) <= fault_text.CHAINED:
        names.append(frame.plan.function.name)
        frame = frame.parent
    return fault_text.calls(names)


def deadlock(run: LaunchState, batch: BatchState, spins: Sequence[Spin] = ()) -> Fault:
    """Lanes wait for others that cannot arrive: says which, where, and which have exited; `spins` loop forever."""
    geometry = batch.x.geometry
    places = [(spin.lanes, spin.op, spin.what) for spin in spins]
    for number, barrier in sorted(batch.barriers.items()):
        for w in barrier.waiting:
            wanted = int(barrier.expected[geometry.cta[w.lanes[0]]])
            what = f"at barrier {number} for {wanted or 'all'} threads"
            places.append((w.lanes, w.op, what))
    places += [(w.lanes, w.op, "at the cluster's barrier") for w in batch.cluster.waiting]
    for group in batch.parked.values():
        places.append((lane_sets.positions(group.lanes, batch.x.n), group.op, "for other lanes of their warp"))
    places = merged(places)
    lane, op = int(places[0][0][0]), places[0][1]
    block = geometry.block_of(lane)
    return Fault(
        "deadlock",
        "threads wait for others that can never arrive",
        kernel=run.function.name,
        block=block,
        thread=geometry.thread_of(lane),
        file=run.program.file,
        span=op.span,
        notes=(
            *fault_text.source_line(op),
            *(waits_where(run, batch, lane, *place) for place in places[:16]),
            exited_threads(batch, lane),
            *dict.fromkeys(f"help: {spin.remedy}" for spin in spins if spin.remedy),
        ),
    )


def merged(places: list[tuple[lane_sets.Positions, Op, str]]) -> list[tuple[lane_sets.Positions, Op, str]]:
    """Merges the rows of lanes that wait at one instruction for the same thing, by whichever path they came."""
    rows: dict[tuple[int, str], tuple[list[lane_sets.Positions], Op]] = {}
    for lanes, op, what in places:
        rows.setdefault((id(op), what), ([], op))[0].append(lanes)
    return [(np.sort(np.concatenate(lanes)), op, what) for (_, what), (lanes, op) in rows.items()]


def waits_where(run: LaunchState, batch: BatchState, lane: int, lanes: lane_sets.Positions, op: Op, what: str) -> str:
    """A note that says which of `lanes`, as threads of the CTA of `lane`, wait at an instruction, and for what."""
    geometry = batch.x.geometry
    lanes_of_cta = lanes[geometry.cta[lanes] == geometry.cta[lane]]
    return waits(op, run.program.file, what, [int(geometry.thread[i]) for i in lanes_of_cta])


def exited_threads(batch: BatchState, lane: int) -> str:
    """A note that lists the threads of a lane's CTA that have exited."""
    geometry = batch.x.geometry
    first = lane // geometry.threads * geometry.threads
    gone = ~batch.alive[first : first + geometry.threads]
    return describe_exited([i for i, is_gone in enumerate(gone.tolist()) if is_gone], geometry.threads)
