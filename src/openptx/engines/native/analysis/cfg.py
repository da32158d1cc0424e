"""The control-flow graph of a function: its basic blocks, in the order of the text."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from openptx.control_flow import (
    END,
    ENDS,
    block_bounds,
    control,
    converges,
    falls_through,
    jump_targets,
    places,
    read_registers,
    written_registers,
)
from openptx.dataflow import Effect
from openptx.engines.native.analysis.activations import only_interpreted
from openptx.program import Function, Op, Reg


class Cells:
    """Where a function's registers are kept: one cell each, two for 128 bits, and one for the carry flag."""

    def __init__(self, function: Function) -> None:
        self.widths: list[int] = [min(64, r.type.width) for r in function.registers]
        self.high: dict[int, int] = {}
        for r in function.registers:
            if r.type.width == 128:
                self.high[r.index] = len(self.widths)
                self.widths.append(64)
        self.carry = len(self.widths)
        self.widths.append(1)
        self._reads: dict[Op, frozenset[int]] = {}
        self._sources: dict[Op, tuple[int, ...]] = {}
        self._writes: dict[Op, frozenset[int]] = {}

    def of(self, r: Reg) -> tuple[int, ...]:
        return (r.index, self.high[r.index]) if r.index in self.high else (r.index,)

    def reads(self, op: Op) -> frozenset[int]:
        found = self._reads.get(op)
        if found is None:
            guard = () if op.guard is None else self.of(op.guard)
            found = self._reads[op] = frozenset((*guard, *self.sources(op)))
        return found

    def sources(self, op: Op) -> tuple[int, ...]:
        """The registers that the instruction reads besides its guard, in order."""
        found = self._sources.get(op)
        if found is None:
            cells = self.of_all(read_registers(op), places(op.form).reads_carry)
            found = self._sources[op] = tuple(sorted({*cells}))
        return found

    def writes(self, op: Op) -> frozenset[int]:
        found = self._writes.get(op)
        if found is None:
            cells = self.of_all(written_registers(op), places(op.form).writes_carry)
            found = self._writes[op] = frozenset(cells)
        return found

    def passed(self, op: Op) -> tuple[list[int], list[int]]:
        """The cells that an instruction reads and writes, in the order in which an upcall passes them."""
        return sorted(self.reads(op)), sorted(self.writes(op))

    def of_all(self, registers: Sequence[int], carry: bool) -> list[int]:
        """The cells of registers and, if asked for, that of the carry flag."""
        found = [*registers, *(self.high[i] for i in registers if i in self.high)]
        if carry:
            found.append(self.carry)
        return found

    def definite_writes(self, op: Op) -> frozenset[int]:
        """The cells that the instruction writes in all lanes."""
        return self.writes(op) if op.guard is None else frozenset()


_LEAVES = frozenset(("return", "exit"))


class Block:
    """Operations `start` to `stop` of a function. `last` is the control instruction that ends it, if any."""

    __slots__ = (
        "effect", "index", "is_cta_barrier", "last", "live_in", "live_out", "only_interpreted", "start", "stop",
        "successors", "syncs_warp",
    )  # fmt: skip

    def __init__(self, index: int, start: int, stop: int, function: Function) -> None:
        first = function.code[start]
        self.index, self.start, self.stop = index, start, stop
        self.last: Op | None = None
        self.successors: tuple[int, ...] = ()  # successor blocks, possibly END; a guarded branch has its target first
        self.syncs_warp = syncs_warp(first)  # begins with an operation that waits for other lanes
        self.is_cta_barrier = control(first) == "barrier"  # which all running lanes of the warp must reach
        self.only_interpreted = only_interpreted(function, start)
        self.effect = Effect(0, 0)  # these three are set by liveness.py
        self.live_in: frozenset[int] = frozenset()
        self.live_out: frozenset[int] = frozenset()


def syncs_warp(op: Op) -> bool:
    """Whether lanes of the warp must be together for an operation: those of a mask, or all."""
    return converges(op) or control(op) == "barrier"


class Graph:
    """The blocks of a function. Blocks also begin at operations that wait for lanes or are only interpreted, and at
    positions `entered`."""

    def __init__(
        self, function: Function, cells: Cells, entered: Collection[int] = (), ends_early: bool = True
    ) -> None:
        """`ends_early`: lanes end at a branch to a return or an exit, instead of going there and waiting for others."""
        self.function, self.cells, self.ends_early = function, cells, ends_early
        code = function.code
        after_ends = (pc + 1 for pc, op in enumerate(code) if control(op) in ENDS)
        waits = (pc for pc, op in enumerate(code) if syncs_warp(op) or only_interpreted(function, pc))
        bounds = block_bounds(function, (*entered, *after_ends, *waits))
        self.blocks = [Block(i, start, stop, function) for i, (start, stop) in enumerate(bounds)]
        self.at = {b.start: b.index for b in self.blocks}
        self.live_results: dict[tuple[int, frozenset[int]], list[frozenset[int]]] = {}
        """The memo of `liveness.live_results`."""
        for b in self.blocks:
            self._connect(b)

    def target(self, pc: int) -> int:
        """The block at `pc`; END if the code ends there, or there is only a return or an exit and `ends_early`."""
        code = self.function.code
        if not 0 <= pc < len(code):
            return END
        return END if self.ends_early and control(code[pc]) in _LEAVES and code[pc].guard is None else self.at[pc]

    def _connect(self, b: Block) -> None:
        op = self.function.code[b.stop - 1]
        b.last = op if control(op) in ENDS else None
        onward = (self.target(b.stop),) if falls_through(op) else ()
        b.successors = tuple(dict.fromkeys(map(self.target, jump_targets(op)))) + onward

    def writes(self, b: int, stop: int | None = None) -> frozenset[int]:
        """The cells that a block's operations, or those before `stop`, write."""
        block = self.blocks[b]
        operations = self.function.code[block.start : block.stop if stop is None else stop]
        return frozenset[int]().union(*map(self.cells.writes, operations))
