"""Webs: definitions of a register that reach no common reader become separate registers.

ptxas brings a function into static single assignment before all else. Here the definitions that reach a common reader,
and their readers, form a web (Muchnick, "Advanced Compiler Design and Implementation", 16.3.3).
"""

from __future__ import annotations

from dataclasses import replace

from openptx.control_flow import is_read, is_written, written_registers
from openptx.dataflow import numbers_of
from openptx.program import Reg, Register, Vector
from openptx.rewrite.blocks import find_blocks
from openptx.rewrite.operands import read, renamed, renamed_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.program import Function, Op
    from openptx.rewrite.blocks import Block


def separate_webs(function: Function) -> Function:
    """The function with a register for each web; the same object if each register has one."""
    several = find_several(function)
    if not several:
        return function
    return Webs(function, find_blocks(function), several).finish()


def find_several(function: Function) -> int:
    """A bit for each register that several instructions write; excludes parameters and returns."""
    once = several = 0
    for op in function.code:
        for index in written_registers(op):
            several |= once & 1 << index
            once |= 1 << index
    for formal in (*function.parameters, *function.returns):
        if isinstance(formal, Register):
            several &= ~(1 << formal.index)
    return several


class Webs:
    """The webs of one function, for the registers of the bits of `several`. A web is a number; those that meet are
    joined."""

    def __init__(self, function: Function, blocks: list[Block], several: int) -> None:
        self.function, self.blocks = function, blocks
        self.joined: list[int] = []
        self.first = {b.start: {index: self.new() for index in numbers_of(b.live_in & several)} for b in blocks}
        self.read: list[dict[int, int]] = []  # by position: webs of the registers read, by register
        self.written: list[dict[int, int]] = []
        for b in blocks:
            self.walk(b, several)

    def new(self) -> int:
        self.joined.append(len(self.joined))
        return self.joined[-1]

    def find(self, web: int) -> int:
        joined = self.joined
        while joined[web] != web:
            joined[web] = web = joined[joined[web]]
        return web

    def walk(self, block: Block, several: int) -> None:
        """Assigns webs to the reads and writes of a block; at its end they are propagated to its successors."""
        held = dict(self.first[block.start])
        for position in range(block.start, block.stop):
            op = self.function.code[position]
            self.read.append({index: held[index] for index in read(op) if several >> index & 1})
            made: dict[int, int] = {}
            for index in written_registers(op):
                if several >> index & 1:
                    kept = updates(op, index) or op.guard is not None
                    made[index] = held[index] if kept and index in held else self.new()
            held.update(made)
            self.written.append(made)
        for start in block.successors:
            for index, web in self.first[start].items():
                self.joined[self.find(web)] = self.find(held[index])

    def finish(self) -> Function:
        """The function with a register for each web; a register's first web keeps it."""
        names: dict[int, Reg] = {}
        used: set[int] = set()
        registers = list(self.function.registers)

        def name(index: int, web: int) -> Reg:
            web = self.find(web)
            if web not in names:
                old = registers[index]
                number = index
                if index in used:
                    number = len(registers)
                    registers.append(Register(old.name, old.type, number))
                used.add(index)
                names[web] = Reg(number, old.type.width)
            return names[web]

        code: list[Op] = []
        for op, before, after in zip(self.function.code, self.read, self.written, strict=True):
            sources = {index: reg for index, web in before.items() if (reg := name(index, web)).index != index}
            results = {index: reg for index, web in after.items() if (reg := name(index, web)).index != index}
            made = renamed(op, sources) if sources else op
            code.append(with_results(made, results) if results else made)
        if len(registers) == len(self.function.registers):
            return self.function
        return replace(self.function, registers=tuple(registers), code=tuple(code))


def updates(op: Op, index: int) -> bool:
    """Whether an instruction reads a register in an operand that it also writes."""
    places = (i for i in range(len(op.operands)) if is_written(op, i) and is_read(op, i))
    return any(index in numbers(op.operands[i]) for i in places)


def numbers(operand: object) -> list[int]:
    """The registers of a result."""
    elements = operand.elements if isinstance(operand, Vector) else (operand,)
    return [each.index for each in elements if isinstance(each, Reg)]


def with_results(op: Op, names: dict[int, Reg]) -> Op:
    """The instruction with some of the registers that it writes replaced."""
    operands = tuple(
        renamed_in(each, names) if is_written(op, i) and not is_read(op, i) else each
        for i, each in enumerate(op.operands)
    )
    return replace(op, operands=operands)
