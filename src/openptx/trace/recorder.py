"""Records executions: the observer that creates a trace."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openptx.control_flow import BARRIERS, control, read_registers, written_registers
from openptx.engines.interp import lane_sets
from openptx.errors import Triple
from openptx.line_table import LineTable
from openptx.program import Function, Op, Program
from openptx.trace.observer import ObservedBatch, Observer
from openptx.trace.operands import Part, read_parts, written_parts
from openptx.trace.record import Record, Value


@dataclass(frozen=True, slots=True)
class TraceFilter:
    """What to record: executions by some of these threads of these blocks, of instructions on these lines (rows of the
    PTX, or lines of a file as ("kernel.cu", 12)) that read or write one of these registers. None means all."""

    threads: frozenset[Triple] | None = None
    blocks: frozenset[Triple] | None = None
    lines: frozenset[int | tuple[str, int]] | None = None
    registers: frozenset[str] | None = None


@dataclass(slots=True)
class Begun:
    """An execution by one warp whose results are not available yet; `position` is that of its first lane in the
    batch."""

    position: int
    lanes: lane_sets.Lanes
    mask: int
    operands: tuple[Value, ...]


class Recorder(Observer):
    """Collects up to `limit` records; `left_out` counts those beyond the limit."""

    def __init__(self, program: Program, wanted: TraceFilter, limit: int) -> None:
        super().__init__()
        self.wanted, self.limit = wanted, limit
        self.places = LineTable(program.file)
        self.records: list[Record] = []
        self.left_out = 0
        self.steps = 0
        self._begun: list[Begun] = []
        self._chosen: dict[Op, bool] = {}
        self._lanes: dict[ObservedBatch, NDArray[np.bool_] | None] = {}

    def begins(self, batch: ObservedBatch) -> None:
        self._lanes[batch] = self.watched_lanes(batch)

    def watched_lanes(self, batch: ObservedBatch) -> NDArray[np.bool_] | None:
        """Whether the thread of each lane of a batch is wanted; None where all are."""
        threads, blocks, geometry = self.wanted.threads, self.wanted.blocks, batch.x.geometry
        if threads is None and blocks is None:
            return None
        chosen = np.ones(geometry.n, np.bool_)
        if blocks is not None:
            ctas = [geometry.block_of(i * geometry.threads) in blocks for i in range(geometry.count)]
            chosen &= np.repeat(np.array(ctas), geometry.threads)
        if threads is not None:
            x, y, _ = geometry.shape.block
            numbers = [a + x * (b + y * c) for a, b, c in threads]
            chosen &= np.isin(geometry.thread, numbers)
        return chosen

    def is_recorded(self, function: Function, op: Op) -> bool:
        """Whether an instruction is on a wanted line and has a wanted register."""
        found = self._chosen.get(op)
        if found is None:
            found = self._chosen[op] = self.on_line(op) and self.has_register(function, op)
        return found

    def on_line(self, op: Op) -> bool:
        if self.wanted.lines is None:
            return True
        row = self.places.file.location(op.span[0])[0]
        rows_and_lines: set[int | tuple[str, int]] = {row}
        for file, line, _ in self.places.of(op):
            rows_and_lines |= {(file, line), (file.rpartition("/")[2], line)}
        return not rows_and_lines.isdisjoint(self.wanted.lines)

    def has_register(self, function: Function, op: Op) -> bool:
        if self.wanted.registers is None:
            return True
        named = [*read_registers(op), *written_registers(op), *([op.guard.index] if op.guard is not None else [])]
        return any(function.registers[i].name in self.wanted.registers for i in named)

    def executes(self, pc: int, op: Op, lanes: lane_sets.Lanes) -> None:
        self.steps += 1
        self._begun.clear()
        frame = self.batch.frame_running
        if not self.is_recorded(frame.plan.function, op):
            return
        x = self.batch.x
        places = lane_sets.positions(lanes, x.n)
        watched = self._lanes[self.batch]
        if watched is not None:
            places = places[watched[places]]
            if not places.size:
                return
        sources = read_parts(frame.plan.function, op)
        before = x.executing
        warps = x.geometry.warp[places]
        for group in np.split(places, np.flatnonzero(np.diff(warps)) + 1):
            if len(self.records) + len(self._begun) >= self.limit:
                self.left_out += 1
                continue
            mask = sum(1 << lane for lane in x.geometry.lane[group].tolist())
            x.executing = warp_lanes = lane_sets.normalize(group, x.n)
            self._begun.append(Begun(int(group[0]), warp_lanes, mask, self.values(sources, warp_lanes)))
        x.executing = before

    def values(self, parts: tuple[Part, ...], lanes: lane_sets.Lanes) -> tuple[Value, ...]:
        x, frame = self.batch.x, self.batch.frame_running
        count = lane_sets.size(lanes, x.n)
        found = [(part, part.read(x, frame, lanes)) for part in parts]
        return tuple(Value(p.name, p.type, tuple(bits if len(bits) == count else bits * count)) for p, bits in found)

    def executed(self, pc: int, op: Op, lanes: lane_sets.Lanes) -> None:
        if self._begun:
            self.end(op, written_parts(self.batch.frame_running.plan.function, op))

    def suspended(self, pc: int, op: Op, lanes: lane_sets.Lanes) -> None:
        self.end(op, (), waits=control(op) in BARRIERS)

    def end(self, op: Op, written: tuple[Part, ...], *, waits: bool = False) -> None:
        """Completes the records of started executions whose results are now available."""
        geometry = self.batch.x.geometry
        text = op.one_line
        line, source = self.places.file.location(op.span[0])[0], self.places.of(op)
        function = self.batch.frame_running.plan.function.name
        for begun in self._begun:
            warp = int(geometry.thread[begun.position]) // 32
            results = self.values(written, begun.lanes)
            self.records.append(
                Record(
                    self.steps, geometry.block_of(begun.position), warp, begun.mask, function, text, line, source,
                    begun.operands, results, waits,
                )
            )  # fmt: skip
        self._begun.clear()

    def finish(self) -> None:
        """The launch has ended: started executions have no results."""
        if self._begun and self.batch.running is not None:
            self.end(self.batch.running, ())
