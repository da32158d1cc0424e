"""Barriers of clusters in launches without clusters, whose CTAs are their own clusters: barriers of the CTA.

An arrival with the wait right after it, as `cluster.sync()` is compiled, becomes one. Others stay with the interpreter,
since a warp's frame does not say whether it has arrived.
"""

from __future__ import annotations

from dataclasses import replace

from openptx.control_flow import branch_targets, control
from openptx.engines.native.analysis.call_parts import instruction
from openptx.engines.native.analysis.segments import barrier_number
from openptx.isa.instructions.barrier import barrier
from openptx.isa.instructions.move import mov
from openptx.program import Function, Imm, Op, Register, temporary

NUMBERS = 16


def with_cta_barriers(kernel: Function) -> Function:
    """The kernel with such pairs as barriers of the CTA; itself if it has none, or uses barriers by unknown numbers.

    Positions stay: the barrier is in the place of the arrival, and an instruction without effect in that of the wait.
    """
    pairs = {pc for pc in range(len(kernel.code) - 1) if is_pair(kernel, pc)}
    used = {barrier_number(op) for op in kernel.code if control(op) == "barrier"} if pairs else set[int | None]()
    free = [number for number in range(NUMBERS) if number not in used]
    if not pairs or None in used or not free:
        return kernel
    registers = [*kernel.registers]
    code = [*kernel.code]
    for pc in pairs:
        code[pc], code[pc + 1] = barrier_of_cta(free[-1], code[pc + 1]), without_effect(registers, code[pc + 1])
    return replace(kernel, code=tuple(code), registers=tuple(registers))


def is_pair(kernel: Function, pc: int) -> bool:
    """Whether an instruction arrives at the cluster's barrier, and all lanes that do so wait for it next."""
    two = kernel.code[pc : pc + 2]
    plain = all(control(op) == "cluster-barrier" and op.guard is None for op in two)
    return plain and [str(op.m.mode) for op in two] == ["arrive", "wait"] and pc + 1 not in branch_targets(kernel)


def barrier_of_cta(number: int, op: Op) -> Op:
    made = instruction(barrier, ("sync",), {"a": Imm(number, 32)}, op)
    assert made is not None
    return made


def without_effect(registers: list[Register], op: Op) -> Op:
    made = instruction(mov, ("b32",), {"d": temporary(registers, 32), "a": Imm(0, 32)}, op)
    assert made is not None
    return made
