"""Constant propagation: registers that hold one immediate wherever they are read, and those that do for a while."""

from __future__ import annotations

from openptx.control_flow import branch_targets, written_registers
from openptx.program import Function, Imm, Op, Operand, Reg, Register
from openptx.rewrite.algebra import algebra
from openptx.rewrite.blocks import Block


class Constants:
    """The values of registers, on a walk through the code: `value` of operands at the current position, `step` past it.

    A register whose only definition copies an immediate holds it everywhere; other facts end with the block.
    `definitions` are those that dominate all reads of their registers, so that these hold one value until it is
    computed again. They are found if `blocks` are given.
    """

    def __init__(self, function: Function, blocks: list[Block] | None = None) -> None:
        single = single_definitions(function)
        self.everywhere = single_constants(function, single)
        undefined = blocks[0].live_in if blocks else -1
        self.definitions = {index: op for index, op in single.items() if not undefined >> index & 1}
        self.leaders = {0, *branch_targets(function), *function.labels.values()}
        self.in_block: dict[int, int] = {}

    def value(self, operand: Operand | None) -> int | None:
        """The bits of an immediate, or of a register that is known to hold one."""
        if isinstance(operand, Imm):
            return operand.value
        if isinstance(operand, Reg):
            found = self.everywhere.get(operand.index)
            return self.in_block.get(operand.index) if found is None else found
        return None

    def is_parameter(self, operand: Operand | None) -> bool:
        """Whether a register holds a parameter of the kernel, or its negation, wherever it is read."""
        while isinstance(operand, Reg):
            op = self.definitions.get(operand.index)
            if op is None or algebra(op) not in ("copy", "negation"):
                return op is not None and op.form.instruction.access == "load" and op.m.space == "param"
            operand = op.operands[1]
        return False

    def enter(self, position: int) -> None:
        """Updates the facts before the instruction at this position is examined."""
        if position in self.leaders:
            self.in_block.clear()

    def step(self, op: Op) -> None:
        """Steps past an instruction."""
        value = self.value(op.operands[1]) if op.guard is None and algebra(op) == "copy" else None
        for index in written_registers(op):
            self.in_block.pop(index, None)
            if value is not None:
                self.in_block[index] = value


def single_definitions(function: Function) -> dict[int, Op]:
    """The registers that are written only by one unguarded instruction."""
    found: dict[int, Op | None] = {}
    for formal in (*function.parameters, *function.returns):
        if isinstance(formal, Register):
            found[formal.index] = None
    for op in function.code:
        for index in written_registers(op):
            found[index] = None if index in found or op.guard is not None else op
    return {index: op for index, op in found.items() if op is not None}


def single_constants(function: Function, definitions: dict[int, Op] | None = None) -> dict[int, int]:
    """The registers with a single definition, which copies an immediate or such a register."""
    definitions = single_definitions(function) if definitions is None else definitions
    found: dict[int, int] = {}
    copies = [op for op in definitions.values() if algebra(op) == "copy"]
    while copies:
        rest: list[Op] = []
        for op in copies:
            to, source = op.operands[0], op.operands[1]
            if not isinstance(to, Reg):
                continue
            if isinstance(source, Imm):
                found[to.index] = source.value
            elif isinstance(source, Reg) and source.index in found:
                found[to.index] = found[source.index]
            elif isinstance(source, Reg):
                rest.append(op)
        if len(rest) == len(copies):
            break
        copies = rest
    return found
