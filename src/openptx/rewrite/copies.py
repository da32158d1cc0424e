"""Copy propagation: what reads a copy of a register reads the register itself, and signs change where they are read.

ptxas does it before it moves arithmetic between blocks. Negations and magnitudes are no instructions of machine code,
which has them in the operands of others: so it is the number itself that lives as far as they are read.
"""

from __future__ import annotations

from dataclasses import replace

from openptx.program import Reg
from openptx.rewrite.algebra import SIGNS, algebra
from openptx.rewrite.dead_code import find_dead, without
from openptx.rewrite.dominators import Dominators
from openptx.rewrite.edit import Edit
from openptx.rewrite.operands import read, renamed, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.program import Function, Op
    from openptx.rewrite.blocks import Block
    from openptx.rewrite.constants import Constants

Place = tuple[int, int]
"""The numbers of a block and of an instruction."""


def propagate_copies(function: Function, blocks: list[Block], constants: Constants) -> Function:
    """The function in which nothing reads copies of registers that one instruction writes, and what changes signs
    stands in the blocks that read it; the same object where there is nothing of the kind."""
    definitions = constants.definitions.items()
    known = {i: op for i, op in definitions if forwards(op) and source_of(op).index in constants.definitions}
    if not known:
        return function
    found = Propagation(function, blocks, known).finish()
    return found if found is function else without(found, find_dead(found))


def forwards(op: Op) -> bool:
    """Whether an instruction gives all bits of a register, or all but its signs."""
    if algebra(op) not in SIGNS or op.guard is not None or op.m.ftz:
        return False
    to, source = op.operands[0], op.operands[1]
    return isinstance(to, Reg) and isinstance(source, Reg) and to.width == source.width and not source.negated


def source_of(op: Op) -> Reg:
    source = op.operands[1]
    assert isinstance(source, Reg)
    return source


class Propagation:
    """One function's. `known` are the definitions to look through, by the registers that they write."""

    def __init__(self, function: Function, blocks: list[Block], known: dict[int, Op]) -> None:
        self.function, self.known, self.edit = function, known, Edit(function)
        self.dominators = Dominators(blocks)
        self.block_of = [i for i, block in enumerate(blocks) for _ in range(block.start, block.stop)]
        self.homes: dict[int, Place] = {
            index: (self.block_of[position], position)
            for position, op in enumerate(function.code)
            for index in written(op)
        }
        self.made: dict[tuple[int, int], Reg] = {}  # by block and register

    def dominates(self, a: Place, b: Place) -> bool:
        """Whether every way to b leads through a."""
        if a[0] == b[0]:
            return a[1] < b[1]
        return b[0] in self.dominators.immediate and self.dominators.dominates(a[0], b[0])

    def finish(self) -> Function:
        """The function with all changes."""
        changed = False
        for position, op in enumerate(self.function.code):
            names = {i: reg for i in read(op) if (reg := self.seen(i, position)) is not None}
            if names:
                self.edit.code[position], changed = renamed(op, names), True
        return self.edit.finish() if changed else self.function

    def seen(self, index: int, position: int) -> Reg | None:
        """What an instruction reads in the place of a register; None for the register itself."""
        op = self.known.get(index)
        if op is None:
            return None
        source, block = source_of(op), self.block_of[position]
        home, place = self.homes[index], (block, position)
        if not self.dominates(self.homes[source.index], home) or not self.dominates(home, place):
            return None
        further = self.seen(source.index, position)
        if algebra(op) == "copy":
            return source if further is None else further
        if home[0] == block and further is None:
            return None
        key = block, index
        if key not in self.made:
            self.made[key] = to = self.edit.temporary(source.width)
            operands = (to, source if further is None else further, *op.operands[2:])
            self.edit.insert(position, replace(op, operands=operands))
        return self.made[key]
