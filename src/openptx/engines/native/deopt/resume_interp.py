"""Resumes in the interpreter what compiled code has started: CTAs in progress, in a worker's memory, and the rest."""

from __future__ import annotations

import logging
import struct
import time
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from openptx.array_types import Array
from openptx.control_flow import control
from openptx.engines.interp import lane_sets
from openptx.engines.interp.barriers import Barrier, Waiting
from openptx.engines.interp.batch import Batch
from openptx.engines.interp.decode import results
from openptx.engines.interp.frames import Frame
from openptx.engines.interp.launch import Launch, ctas_of_a_batch, pieces, run_batches
from openptx.engines.interp.limits import Limits
from openptx.engines.native import abi
from openptx.engines.native.analysis.activations import ARGUMENTS, Activation, Origin, origin
from openptx.engines.native.analysis.capabilities import NANS
from openptx.engines.native.analysis.cfg import Cells
from openptx.engines.native.analysis.lattice import N, as_lanes
from openptx.engines.native.deopt.frame_state import SavedRegister
from openptx.engines.native.runtime.interp_call import file_of
from openptx.engines.native.runtime.run import Run
from openptx.engines.native.runtime.upcalls import shape_of, threads
from openptx.engines.native.runtime.workers import Worker
from openptx.numerics import Bits
from openptx.numerics.numpy_machine import UNSIGNED
from openptx.program import Function

FALLBACK = logging.getLogger("openptx.fallback")


def reference(run: Run, make: Callable[..., Launch] = Launch) -> Launch:
    """The launch as the reference engine sees it; `make` creates it."""
    plan, shape = run.plan, shape_of(run)
    left = max(run.deadline - time.monotonic(), 0.0) if run.deadline is not None else None
    return make(plan.program, plan.function, shape, run.memory, run.image, Limits(left, None, run.timeout), False)


def resume_interp(run: Run, codes: list[int], make: Callable[..., Launch] = Launch) -> None:
    """Runs to its end what workers have left: those with code `HANDED` are in the middle of a CTA."""
    launch, team = reference(run, make), run.team
    FALLBACK.info("kernel `%s`: the interpreter continues, because threads wait for others", run.plan.function.name)
    begun = [resumed(run, launch, worker) for code, worker in zip(codes, team, strict=True) if code == abi.HANDED]
    first, stop = struct.unpack_from("<2q", team[0].launch_memory, abi.NEXT)
    untaken = range(min(first, stop), stop)
    per_batch = ctas_of_a_batch(run.plan.program, run.plan.function, launch.shape)
    rest: Iterator[tuple[int, int]] = chain.from_iterable(
        pieces(each, per_batch)
        for each in (*(unstarted_ctas(code, worker) for code, worker in zip(codes, team, strict=True)), untaken)
    )
    run_batches(launch, begun, rest)


def unstarted_ctas(code: int, worker: Worker) -> range:
    """CTAs that a worker has taken and not started."""
    first, stop = struct.unpack_from("<2q", worker.memory, abi.FROM)
    return range(first + (code == abi.HANDED), stop)


def batch_of(run: Run, launch: Launch, worker: Worker) -> Batch:
    """The worker's CTA, in the worker's memory, still without lanes."""
    worker.cta = None
    batch = launch.batches(launch, threads(run, worker, launch.threads))
    batch.ready.clear()
    return batch


def resumed(run: Run, launch: Launch, worker: Worker) -> Batch:
    """The CTA that a worker has started and not finished."""
    batch, plan = batch_of(run, launch, worker), run.plan
    frame = batch.frame(launch.decoded(plan.function), None, 0, None)
    registers = Registers(plan.executed, batch, frame)
    alive = np.zeros(batch.x.n, np.bool_)
    frames = worker.frames.view()
    for warp in range(plan.warps):
        first = N * warp
        data = frames[warp * plan.code.metadata.frame_size : (warp + 1) * plan.code.metadata.frame_size]
        resume, version, number, ticket, live, _ = struct.unpack_from(abi.FRAME_HEAD, data.data, abi.RESUME)
        all_lanes = lanes(first, 0xFFFFFFFF, plan.threads)
        if resume == -1:
            continue
        if resume == 0:  # not started
            alive[all_lanes] = True
            batch.add(frame, 0, lane_sets.normalize(all_lanes, batch.x.n))
            continue
        live_lanes = lanes(first, live, plan.threads)
        alive[live_lanes] = True
        state = plan.code.frame_states[version][resume]
        for kept in state.cells:
            registers.take(kept, data, first)
        if resume > 0:
            inner, pc = registers.place(resume - 1, live_lanes)
            wait(batch, worker, inner, pc + 1, live_lanes, number, ticket)
            continue
        masks = struct.unpack_from(f"<{1 + len(state.waiting)}I", data.data, abi.SAVED)
        for pc, mask in zip((-2 - resume, *state.waiting), masks, strict=True):
            if mask:
                some = lanes(first, mask, plan.threads)
                batch.add(*registers.place(pc, some), lane_sets.normalize(some, batch.x.n))
    batch.alive[:] = alive
    batch.alive_count = int(np.count_nonzero(alive))
    return batch


def lanes(first: int, mask: int, threads: int) -> NDArray[np.intp]:
    """The threads of the lanes in a mask."""
    return np.array([first + i for i in range(min(N, threads - first)) if mask >> i & 1], np.intp)


def wait(
    batch: Batch, worker: Worker, frame: Frame, pc: int, places: NDArray[np.intp], number: int, ticket: int
) -> None:
    """Lanes wait at a barrier before `pc`, or continue because it is complete."""
    op, n = frame.plan.code[pc - 1], batch.x.n
    parity = ticket & 1
    at = abi.BARRIERS + abi.BARRIER * number
    _, expected, generation, _, *votes = struct.unpack_from("<4I4I", worker.memory, at)
    yes, voters = votes[parity], votes[2 + parity]
    write = results(op)[0] if op.m.values.get("mode") == "red" else None
    if generation != ticket:
        some = lane_sets.normalize(places, n)
        if write is not None:
            verdict = {"popc": yes, "and": yes == voters, "or": yes > 0}[str(op.m.op)]
            value = np.array([verdict], np.uint32 if op.m.op == "popc" else np.bool_)
            write(batch.x, frame.regs, some, batch.x.lanes(value))
        batch.add(frame, pc, some)
        return
    if control(op) == "cluster-barrier":
        batch.cluster.arrive(lane_sets.normalize(places, n))
        batch.cluster.waiting.append(Waiting(frame, pc + 1, places, frame.plan.code[pc], None))
        return
    barrier = batch.barriers.setdefault(number, Barrier(batch, number))
    barrier.arrive(lane_sets.normalize(places, n), expected, None)
    barrier.waiting.append(Waiting(frame, pc, places, op, write))
    # Only the number of lanes that voted yes matters, not which ones.
    arrived = np.flatnonzero(barrier.arrived)
    barrier.votes[arrived] = np.arange(arrived.size) < yes


class Registers:
    """The registers of a kernel's activations, filled in warp by warp."""

    def __init__(self, function: Function, batch: Batch, kernel: Frame) -> None:
        """`function`: the kernel as it is compiled; `kernel`: its own activation."""
        self.function, self.batch, self.kernel = function, batch, kernel
        cells, n = Cells(function), batch.x.n
        self.columns: list[Array] = [np.zeros(n, UNSIGNED[w] if w > 1 else np.bool_) for w in cells.widths]
        self.file = file_of(function, cells, dict(enumerate(self.columns)))
        for i in range(len(kernel.regs)):
            kernel.regs[i] = self.file[i]
        kernel.regs[-1] = self.file[len(function.registers)]

    def place(self, pc: int, some: NDArray[np.intp]) -> tuple[Frame, int]:
        """The activation, and the position in its function, of lanes that are at a position of compiled code."""
        at = origin(self.function, pc)
        if at.pc == ARGUMENTS:  # the call passes all of them
            assert at.activation.caller is not None
            at = Origin(at.activation.caller, at.activation.call)
        return self.frame(at.activation, some), at.pc

    def frame(self, activation: Activation, some: NDArray[np.intp]) -> Frame:
        """The interpreter's activation, with the registers of these lanes."""
        if activation.caller is None:
            self.fill_variables(activation, self.kernel, some)
            return self.kernel
        caller, back = self.frame(activation.caller, some), activation.call + 1
        callee = self.batch.callee(activation.function.name)
        frame = self.batch.frame(callee, caller, back, caller.plan.code[back - 1])
        for register in activation.function.registers:
            frame.regs[register.index] = filled(
                frame.regs[register.index], self.file[activation.first + register.index], some
            )
        self.fill_variables(activation, frame, some)
        return frame

    def fill_variables(self, activation: Activation, frame: Frame, some: NDArray[np.intp]) -> None:
        """Writes what compiled code has in registers to the variables of an activation."""
        x, selected = self.batch.x, lane_sets.normalize(some, self.batch.x.n)
        self.batch.at(frame, selected)
        for offset, register in activation.values.items():
            value = Bits(x, register.width, self.file[register.index][some])
            x.store("frame", x.const(frame.base + offset, 64), [value])

    def take(self, kept: SavedRegister, data: NDArray[np.uint8], first: int) -> None:
        """A register of the warp that begins at thread `first`, from its frame."""
        column = self.columns[kept.cell]
        values = values_of(kept, data)
        some = column[first : first + N]
        some[:] = values[: some.size]


def filled(register: Any, values: Any, some: NDArray[np.intp]) -> Any:
    """A register with the values of some lanes; one of 128 bits has two halves."""
    if isinstance(values, tuple):
        return tuple(filled(*halves, some) for halves in zip(register, cast("tuple[Any, ...]", values), strict=True))
    column = np.array(np.broadcast_to(register, values.shape))
    column[some] = values[some]
    return column


def values_of(kept: SavedRegister, data: NDArray[np.uint8]) -> Array:
    """A register's value in each lane."""
    w = kept.width
    dtype: Any = UNSIGNED[w] if w > 1 else np.bool_
    if kept.known is not None:
        return np.array(as_lanes(kept.known), dtype)
    if kept.lanes is None and w == 1:
        return np.unpackbits(data[kept.offset : kept.offset + 4], bitorder="little").astype(np.bool_)
    count = N if kept.lanes is None else 1
    size = max(w, 8) // 8
    found = data[kept.offset : kept.offset + size * count].view(UNSIGNED[max(w, 8)])
    if kept.lanes is not None:
        found = (int(found[0]) + np.array(kept.lanes, object)) % (1 << w)
        found = found.astype(UNSIGNED[max(w, 8)])
    if kept.raw and w in NANS:
        found = np.where(np.isnan(found.view(f"f{size}")), found.dtype.type(NANS[w]), found)
    return found.astype(dtype)
