"""Instructions whose meaning can be recorded, as closures that read registers, compute, and write one register."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from openptx.engines.interp import lane_sets
from openptx.engines.interp.operands import Registers, put, read_width
from openptx.engines.interp.recorded import Evaluate, Given, recorded
from openptx.isa.fidelity import UNSUPPORTED
from openptx.isa.semantics.packing import unpacked
from openptx.program import Imm, Operand, Reg, Sink

if TYPE_CHECKING:
    from openptx.engines.interp.machine import Threads
    from openptx.isa.types import Type
    from openptx.program import Op

    Step = Callable[[Threads, Registers, lane_sets.Lanes], None]

WIDEST = 64
"""Wider registers are pairs of arrays."""


def recorded_step(op: Op) -> Step | None:
    """The instruction without its guard; None unless it computes one register of up to three, and is recorded."""
    instruction = op.form.instruction
    if instruction.meaning is None or instruction.access or instruction.carry:
        return None
    given, registers = list[Given](), list[int]()
    results: list[tuple[Operand | None, Type | None]] = []
    for template, operand, t in zip(op.form.operands, op.operands, op.types, strict=True):
        role = template.role
        if role == "sink":
            continue
        if role == "write":
            results.append((operand, t))
            if template.name not in instruction.updates:
                continue
        if not read(operand, t, role == "immediate" or template.name in instruction.immediates, given, registers):
            return None
    written = [i for i, (operand, _) in enumerate(results) if operand is not None and not isinstance(operand, Sink)]
    if len(written) != 1 or not 0 < len(registers) < 4 or instruction.fidelity(op.m) == UNSUPPORTED:
        return None
    target, t = results[written[0]]
    if not isinstance(target, Reg) or target.width > WIDEST:
        return None
    signed = t is not None and t.signed
    found = recorded(unpacked(instruction.meaning, op.m), op.m, tuple(given), written[0], target.width, signed)
    if found is None:
        return None
    if isinstance(found, int):
        return copy(registers[found], target.index)
    return _SHAPES[len(registers) - 1](found, target.index, *registers)


def read(operand: Operand | None, t: Type | None, immediate: bool, given: list[Given], registers: list[int]) -> bool:
    """Adds a source to the operands of a recording, and its register to those that are read. False for other kinds."""
    if operand is None or isinstance(operand, Sink):
        given.append(None)
    elif isinstance(operand, Reg) and operand.width <= WIDEST:
        given.append((operand.width, None, read_width(operand.width, t), operand.negated))
        registers.append(operand.index)
    elif isinstance(operand, Imm) and operand.width <= WIDEST:
        given.append(operand.value if immediate else (operand.width, operand.value, operand.width, False))
    else:
        return False
    return True


def copy(i: int, d: int) -> Step:
    def step(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> None:
        regs[d] = put(regs[d], lanes, lane_sets.take(regs[i], lanes), x.n)

    return step


def one(evaluate: Evaluate, d: int, i: int) -> Step:
    def step(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> None:
        a = regs[i]
        if lanes is None:
            regs[d] = evaluate(a)
        else:
            regs[d] = put(regs[d], lanes, evaluate(a if a.size == 1 else a[lanes]), x.n)

    return step


def two(evaluate: Evaluate, d: int, i: int, j: int) -> Step:
    def step(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> None:
        a, b = regs[i], regs[j]
        if lanes is None:
            regs[d] = evaluate(a, b)
        else:
            found = evaluate(a if a.size == 1 else a[lanes], b if b.size == 1 else b[lanes])
            regs[d] = put(regs[d], lanes, found, x.n)

    return step


def three(evaluate: Evaluate, d: int, i: int, j: int, k: int) -> Step:
    def step(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> None:
        some = (regs[i], regs[j], regs[k])
        if lanes is None:
            regs[d] = evaluate(*some)
        else:
            regs[d] = put(regs[d], lanes, evaluate(*[a if a.size == 1 else a[lanes] for a in some]), x.n)

    return step


_SHAPES = cast("list[Callable[..., Step]]", [one, two, three])
