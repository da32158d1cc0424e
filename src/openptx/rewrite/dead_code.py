"""Dead code: arithmetic whose results are not needed, in any block."""

from __future__ import annotations

from openptx.control_flow import written_registers
from openptx.dataflow import live_before
from openptx.program import Function, Op, Register
from openptx.rewrite.algebra import SIGNS, algebra
from openptx.rewrite.blocks import Block
from openptx.rewrite.edit import Edit
from openptx.rewrite.operands import definitely_written, read

ARITHMETIC = frozenset((
    "comparison_selection", "convert", "elementary_functions", "floating_point", "half_comparison", "half_precision",
    "integer_arithmetic", "integer_bits", "logic_shift", "mixed_precision", "move", "video",
))  # fmt: skip
"""Manual sections whose instructions only compute."""


def find_dead(function: Function) -> frozenset[int]:
    """Positions of instructions that only compute unneeded results. A register is needed as a whole."""
    defining: dict[int, list[int]] = {}
    waiting: list[int] = [r.index for r in function.returns if isinstance(r, Register)]
    dead: set[int] = set()
    for position, op in enumerate(function.code):
        if computes(op):
            dead.add(position)
            for index in written_registers(op):
                defining.setdefault(index, []).append(position)
        else:
            waiting += read(op)
    needed: set[int] = set()
    while waiting:
        index = waiting.pop()
        if index in needed:
            continue
        needed.add(index)
        for position in defining.get(index, ()):
            dead.discard(position)
            waiting += read(function.code[position])
    return frozenset(dead)


def count_readers(function: Function, dead: frozenset[int] | None = None) -> dict[int, int]:
    """How many operands of instructions that are not dead read each register."""
    dead = find_dead(function) if dead is None else dead
    found: dict[int, int] = {}
    for position, op in enumerate(function.code):
        for index in read(op) if position not in dead else ():
            found[index] = found.get(index, 0) + 1
    return found


def find_overwritten(function: Function, blocks: list[Block]) -> frozenset[int]:
    """Positions of instructions that only compute values overwritten before any read, or copy a register to itself."""
    found: set[int] = set()
    for block in blocks:
        live = block.live_out
        for position in reversed(range(block.start, block.stop)):
            op = function.code[position]
            itself = algebra(op) == "copy" and op.operands[0] == op.operands[1]
            if itself or (computes(op) and not any(live >> index & 1 for index in written_registers(op))):
                found.add(position)
            else:
                live = live_before(live, read(op), definitely_written(op))
    return frozenset(found)


def find_unread(function: Function) -> frozenset[int]:
    """Positions of instructions that only compute values which no instruction and no caller reads; of the values that
    only these read, sign changes, which are not instructions of machine code."""
    readers = {r.index: 1 for r in function.returns if isinstance(r, Register)}
    for op in function.code:
        for index in read(op):
            readers[index] = readers.get(index, 0) + 1
    found = {
        position
        for position, op in enumerate(function.code)
        if computes(op) and not any(index in readers for index in written_registers(op))
    }
    for position in reversed(range(len(function.code))):
        op = function.code[position]
        if algebra(op) in SIGNS and computes(op) and not any(readers.get(index) for index in written_registers(op)):
            found.add(position)
        for index in read(op) if position in found else ():
            readers[index] -= 1
    return frozenset(found)


def computes(op: Op) -> bool:
    """Whether the instruction only writes registers."""
    instruction = op.form.instruction
    return (
        instruction.module in ARITHMETIC
        and instruction.control is None
        and instruction.converges is None
        and bool(written_registers(op))
    )


def without(function: Function, dead: frozenset[int]) -> Function:
    """The function without the instructions at these positions."""
    if not dead:
        return function
    edit = Edit(function)
    for position in dead:
        edit.code[position] = None
    return edit.finish()
