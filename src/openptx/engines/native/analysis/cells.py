"""Cells: where a function's registers are kept, and which of them an instruction reads and writes."""

from __future__ import annotations

from collections.abc import Iterator

from openptx.control_flow import read_registers, written_registers
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
            found = self._reads[op] = frozenset(self._read(op))
        return found

    def sources(self, op: Op) -> tuple[int, ...]:
        """The registers that the instruction reads besides its guard, in order."""
        found = self._sources.get(op)
        if found is None:
            found = self._sources[op] = tuple(sorted({*self._operands(op)}))
        return found

    def writes(self, op: Op) -> frozenset[int]:
        found = self._writes.get(op)
        if found is None:
            found = self._writes[op] = frozenset(self._written_cells(op))
        return found

    def definite_writes(self, op: Op) -> frozenset[int]:
        """The cells that the instruction writes in all lanes."""
        return self.writes(op) if op.guard is None else frozenset()

    def _read(self, op: Op) -> Iterator[int]:
        if op.guard is not None:
            yield from self.of(op.guard)
        yield from self._operands(op)

    def _operands(self, op: Op) -> Iterator[int]:
        for r in read_registers(op):
            yield from self.of(r)
        if "in" in op.form.instruction.carry.split():
            yield self.carry

    def _written_cells(self, op: Op) -> Iterator[int]:
        for r in written_registers(op):
            yield from self.of(r)
        if "out" in op.form.instruction.carry.split():
            yield self.carry
