"""Copy propagation: readers of a copy of a register read the register itself, and sign changes move to their readers.

ptxas does it before it moves arithmetic between blocks. Machine code has negation and absolute value as operand
modifiers, not as instructions, so the original number is live up to their last reader.
"""

from __future__ import annotations

from dataclasses import replace

from openptx.control_flow import written_registers
from openptx.program import Function, Op, Reg, temporary
from openptx.rewrite.algebra import SIGNS, algebra
from openptx.rewrite.blocks import Block
from openptx.rewrite.constants import Constants
from openptx.rewrite.dead_code import find_dead, without
from openptx.rewrite.edit import Edit
from openptx.rewrite.operands import read, renamed


def propagate_copies(function: Function, blocks: list[Block], constants: Constants) -> Function:
    """The function in which no instruction reads a copy of a register with a single definition, and sign changes are in
    the blocks that read them; the same object if nothing changes."""
    definitions = constants.definitions.items()
    known = {i: op for i, op in definitions if forwards(op) and source_of(op).index in constants.definitions}
    if not known:
        return function
    found = Propagation(function, blocks, known).finish()
    return found if found is function else without(found, find_dead(found))


def forwards(op: Op) -> bool:
    """Whether an instruction copies all bits of a register, or all but its signs."""
    if algebra(op) not in SIGNS or op.guard is not None or op.m.ftz:
        return False
    to, source = op.operands[0], op.operands[1]
    return isinstance(to, Reg) and isinstance(source, Reg) and to.width == source.width and not source.negated


def source_of(op: Op) -> Reg:
    source = op.operands[1]
    assert isinstance(source, Reg)
    return source


class Propagation:
    """Copy propagation in one function. `known` are the definitions to look through, by the registers that they
    write."""

    def __init__(self, function: Function, blocks: list[Block], known: dict[int, Op]) -> None:
        self.function, self.known, self.edit = function, known, Edit(function)
        self.block_of = [i for i, block in enumerate(blocks) for _ in range(block.start, block.stop)]
        self.homes = {
            index: block
            for op, block in zip(function.code, self.block_of, strict=True)
            for index in written_registers(op)
        }
        self.made: dict[tuple[int, int], Reg] = {}  # by block and register

    def finish(self) -> Function:
        """The function with all changes."""
        changed = False
        for position, op in enumerate(self.function.code):
            names = {i: reg for i in read(op) if (reg := self.replacement_of(i, position)) is not None}
            if names:
                self.edit.code[position], changed = renamed(op, names), True
        return self.edit.finish() if changed else self.function

    def replacement_of(self, index: int, position: int) -> Reg | None:
        """The replacement of a register in an instruction; None to keep the register."""
        found = None
        for each, op in reversed(self.chain(index)):
            source = source_of(op) if found is None else found
            if algebra(op) == "copy":
                found = source
            elif found is not None or self.homes[each] != self.block_of[position]:
                found = self.again(each, op, source, position)
        return found

    def chain(self, index: int) -> list[tuple[int, Op]]:
        """The chain of definitions that a register is computed by."""
        found: list[tuple[int, Op]] = []
        while (op := self.known.get(index)) is not None:
            found.append((index, op))
            index = source_of(op).index
        return found

    def again(self, index: int, op: Op, source: Reg, position: int) -> Reg:
        """A sign change in the block that reads it."""
        key = self.block_of[position], index
        if key not in self.made:
            self.made[key] = to = temporary(self.edit.registers, source.width)
            self.edit.insert(position, replace(op, operands=(to, source, *op.operands[2:])))
        return self.made[key]
