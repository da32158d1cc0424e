"""Cells: where a function's registers are kept, and which of them an instruction reads and writes."""

from __future__ import annotations

from collections.abc import Sequence

from openptx.control_flow import places, read_registers, written_registers
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

    def of_all(self, registers: Sequence[int], carry: bool) -> list[int]:
        """The cells of registers and, if asked for, that of the carry flag."""
        found = [*registers, *(self.high[i] for i in registers if i in self.high)]
        if carry:
            found.append(self.carry)
        return found

    def definite_writes(self, op: Op) -> frozenset[int]:
        """The cells that the instruction writes in all lanes."""
        return self.writes(op) if op.guard is None else frozenset()
