"""Sinking: ptxas moves arithmetic to later blocks before it contracts, if that reduces register pressure.

A value whose every use is in later blocks moves to the end of the block that dominates those uses, together with a copy
of the arithmetic that computes it. The operands of that must be live across blocks anyway. Found by experiment:
docs/contraction.md.
"""

from __future__ import annotations

from dataclasses import replace

from openptx.control_flow import ENDS, control, written_registers
from openptx.dataflow import live_before
from openptx.program import Address, Function, Op, Reg, temporary
from openptx.rewrite.algebra import SIGNS, algebra
from openptx.rewrite.blocks import Block, ends_block
from openptx.rewrite.constants import Constants
from openptx.rewrite.dead_code import computes
from openptx.rewrite.dominators import Dominators
from openptx.rewrite.edit import Edit
from openptx.rewrite.operands import definitely_written, read, renamed

MOST = 10
"""The maximum weight of instructions that move together; one whose result has several uses counts twice, except for the
last."""

FAR = 19
"""The minimum number of instructions between a non-arithmetic definition and its reader in the same block for which the
value may stay live for a moved instruction. An access of memory counts as two, and as three if its address has an
offset."""

FOLLOWED = 100
"""The maximum number of instructions visited for one value, including sign changes, which have no weight."""


def sink(function: Function, blocks: list[Block], constants: Constants) -> Function:
    """The function with such values moved; the same object if there are none."""
    sinking = Sinking(function, blocks, constants)
    sinking.walk()
    return sinking.finish()


class Sinking:
    """Sinking in one function."""

    def __init__(self, function: Function, blocks: list[Block], constants: Constants) -> None:
        self.function, self.blocks, self.constants = function, blocks, constants
        self.dominators = Dominators(blocks)
        self.edit = Edit(function)
        self.home: dict[int, int] = {}  # the block of each single definition
        self.uses: dict[int, set[int]] = {}  # the blocks that read a register
        self.readers: dict[int, int] = {}  # how often a register is read
        self.at: dict[int, int] = {}  # the position of each single definition
        self.writes: dict[int, dict[int, int]] = {}  # the positions that write it, and their blocks
        self.guarded: set[int] = set()
        self.uncounted: set[int] = set()  # positions of operations that are not instructions in machine code
        self.across = 0  # a bit for each register that is live across blocks
        for i, block in enumerate(blocks):
            self.across |= block.live_out
            for position in range(block.start, block.stop):
                op = function.code[position]
                if algebra(op) in SIGNS:
                    self.uncounted.add(position)
                for index in read(op):
                    self.uses.setdefault(index, set()).add(i)
                    self.readers[index] = self.readers.get(index, 0) + 1
                for index in written_registers(op):
                    self.home[index], self.at[index] = i, position
                    self.writes.setdefault(index, {})[position] = i
                    if op.guard is not None:
                        self.guarded.add(index)
        self.uncounted |= {at for index, at in self.at.items() if index not in self.readers}
        self.copies: dict[int, dict[int, tuple[Reg, Op]]] = {}  # by block and register: what was copied to its end
        self.renamed: dict[int, Reg] = {}  # roots that have moved
        self.settled: set[int] = set()
        self.paths: dict[tuple[int, int], set[int]] = {}

    def walk(self) -> None:
        """From the last instruction to the first."""
        reached = set(self.dominators.order)
        for i in reversed(range(len(self.blocks))):
            block = self.blocks[i]
            if i not in reached:
                continue
            live = block.live_out
            for position in reversed(range(block.start, block.stop)):
                op = self.function.code[position]
                indices = read(op)
                live = live_before(live, indices, definitely_written(op))
                for index in indices:
                    if index not in self.settled:
                        self.settled.add(index)
                        self.settle(index, live)

    def settle(self, index: int, live: int) -> None:
        """Moves a value to the block that dominates its uses, if possible."""
        op = self.arithmetic(index)
        if op is None:
            return
        to = self.place(index)
        if to is None or not self.can_copy(op, index, to, live, set()):
            return
        self.renamed[index] = self.copy(index, op, to, live)

    def place(self, index: int) -> int | None:
        """The block that a value moves to; None if it stays: also where that block would be executed more often, as one
        of a loop is that does not contain the definition."""
        dominators, home = self.dominators, self.home[index]
        found: int | None = None
        for i in self.uses[index]:
            if i not in dominators.immediate or i == home:
                return None
            above = dominators.immediate[i]
            found = above if found is None else dominators.common(found, above)
        if found is None or found == home or not dominators.dominates(home, found):
            return None
        again = self.between(found, home) | {found}
        return None if any(i in again and i != home for i in dominators.predecessors[found]) else found

    def arithmetic(self, index: int) -> Op | None:
        """The only definition of a register, if it is arithmetic that can be repeated elsewhere.

        Not operations that need branches or guards in machine code.
        """
        op = self.constants.definitions.get(index)
        if op is None or not computes(op) or ends_block(op) or (algebra(op) == "quotient" and op.m.full):
            return None
        return op if isinstance(op.operands[0], Reg) and len(list(written_registers(op))) == 1 else None

    def can_copy(self, op: Op, index: int, to: int, live: int, found: set[int]) -> bool:
        """Whether the operands of an instruction are available, or can be copied with it: `found` are the registers of
        those copies."""
        readable = all(self.is_available(each, index, to, live, found) for each in read(op))
        return readable and sum(map(self.cost, found)) < MOST

    def cost(self, index: int) -> int:
        """The weight of a copied instruction."""
        free = algebra(self.constants.definitions[index]) in SIGNS
        return 0 if free else 1 + (self.readers[index] > 1)

    def is_available(self, index: int, of: int, to: int, live: int, found: set[int]) -> bool:
        """Whether a copy at the end of block `to` can read the operands of the instruction that writes register
        `of`."""
        if index in self.constants.everywhere or index in found:
            return True
        if live >> index & 1:
            return self.keeps(index, of, to)
        op = self.arithmetic(index)
        if op is not None:
            found.add(index)
            return len(found) < FOLLOWED and self.can_copy(op, index, to, live, found)
        definition = self.constants.definitions.get(index)
        if definition is not None and algebra(definition) == "quotient":
            return False
        lives = bool(self.across >> index & 1) or self.is_parameter(index) or self.is_far(index, of)
        return lives and self.keeps(index, of, to)

    def is_far(self, index: int, of: int) -> bool:
        """Whether a register is written long before the instruction that writes `of` reads it, in the same block.

        One that is never written is not.
        """
        if index not in self.at:
            return False
        count = 0
        for position in range(self.at[of] - 1, self.at[index], -1):
            if position not in self.uncounted:
                count += length(self.function.code[position])
            if count >= FAR:
                return True
        return False

    def is_parameter(self, index: int) -> bool:
        return self.constants.is_parameter(Reg(index, 32))

    def keeps(self, index: int, of: int, to: int) -> bool:
        """Whether a register has the same value at the end of a later block as where the instruction that writes `of`
        reads it, and by a single definition.

        The result of a subroutine has two, because it is computed on one of two paths.
        """
        op = self.constants.definitions.get(index)
        if op is not None:
            return not (computes(op) and ends_block(op))
        if index in self.guarded or index not in self.writes:
            return False
        home, writes = self.home[of], self.writes[index]
        at_home = [position for position, block in writes.items() if block == home]
        before = {block for block in writes.values() if home in self.between(block, home)}
        single = max(at_home) < self.at[of] if at_home else len(before) == 1
        return single and not any(self.is_on_path(block, home, to) for block in writes.values())

    def is_on_path(self, block: int, home: int, to: int) -> bool:
        """Whether control may pass a block on its way from one block to another, or back to the latter without passing
        the former."""
        if block in self.between(home, to):
            return True
        return block in self.between(to, home) and to in self.between(block, home)

    def between(self, home: int, to: int) -> set[int]:
        """The blocks through which control may pass from the end of one block to the end of another, including the
        latter."""
        key = home, to
        if key not in self.paths:
            found, waiting = {home}, list(self.dominators.successors[home])
            while waiting:
                i = waiting.pop()
                if i not in found:
                    found.add(i)
                    waiting += () if i == to else self.dominators.successors[i]
            self.paths[key] = found - {home}
        return self.paths[key]

    def copy(self, index: int, op: Op, to: int, live: int) -> Reg:
        """Copies an instruction and its operands' arithmetic to the end of a block."""
        copied = self.copies.setdefault(to, {})
        if index in copied:
            return copied[index][0]
        names: dict[int, Reg] = {}
        for each in read(op):
            source = self.arithmetic(each)
            if live >> each & 1 or each in self.constants.everywhere:
                continue
            if each in copied:
                names[each] = copied[each][0]
            elif source is not None:
                names[each] = self.copy(each, source, to, live)
        register = op.operands[0]
        assert isinstance(register, Reg)
        target = temporary(self.edit.registers, register.width)
        made = renamed(op, names)
        made = replace(made, operands=(target, *made.operands[1:]))
        copied[index] = target, made
        return target

    def finish(self) -> Function:
        """The function with all moves."""
        if not self.renamed:
            return self.function
        for position, op in enumerate(self.edit.code):
            if op is not None and any(index in self.renamed for index in read(op)):
                self.edit.code[position] = renamed(op, self.renamed)
        for i, copies in self.copies.items():
            self.insert(self.blocks[i].stop - 1, [op for _, op in copies.values()])
        return self.edit.finish()

    def insert(self, last: int, copies: list[Op]) -> None:
        """The insertion point: before a block's last instruction if that ends it in machine code, else after it."""
        op = self.edit.code[last]
        needed = {index for copy in copies for index in read(copy)}
        after = (
            op is not None
            and control(op) not in ENDS
            and (not ends_block(op) or any(index in needed for index in written_registers(op)))
        )
        if after and op is not None:
            self.edit.insert(last, op)
            self.edit.code[last] = None
        for copy in copies:
            self.edit.insert(last, copy)


def length(op: Op) -> int:
    """The number of instructions of one PTX instruction during ptxas's compilation, before addresses are folded into
    accesses."""
    if not op.form.instruction.access:
        return 1
    return 2 + any(isinstance(operand, Address) and operand.offset != 0 for operand in op.operands)
