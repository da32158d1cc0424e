"""Instructions whose meaning can be recorded, as closures that read registers, compute, and write one register."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from openptx.engines.interp import lane_sets
from openptx.engines.interp.operands import Registers, put, read_width
from openptx.engines.interp.recorded import Evaluate, Given, recorded
from openptx.isa.fidelity import UNSUPPORTED
from openptx.isa.semantics.packing import unpacked
from openptx.program import Imm, Operand, Reg, Sink

if TYPE_CHECKING:
    from openptx.engines.interp.machine import Threads
    from openptx.isa.notation import Modifiers
    from openptx.isa.types import Type
    from openptx.program import Op

    Step = Callable[[Threads, Registers, lane_sets.Lanes], None]

WIDEST = 64
"""Wider registers are pairs of arrays."""


def recorded_step(op: Op) -> Step | None:
    """The instruction without its guard; None unless it computes one register of up to three, and is recorded."""
    mean, uses = arithmetic(op.m)
    if mean is None:
        return None
    given, registers = list[Given](), list[int]()
    results, target, which, signed = 0, None, 0, False
    for use, operand, t in zip(uses, op.operands, op.types, strict=True):
        if use == UNUSED:
            continue
        if use in (WRITTEN, UPDATED):
            if isinstance(operand, Reg):
                if target is not None:
                    return None
                target, which, signed = operand, results, t is not None and t.signed
            elif operand is not None and not isinstance(operand, Sink):
                return None
            results += 1
            if use == WRITTEN:
                continue
        if not read(operand, t, use == IMMEDIATE, given, registers):
            return None
    if target is None or target.width > WIDEST or not 0 < len(registers) < 4:
        return None
    found = recorded(mean, op.m, tuple(given), which, target.width, signed)
    if found is None:
        return None
    if isinstance(found, int):
        return copy(registers[found], target.index)
    return _SHAPES[len(registers) - 1](found, target.index, *registers)


UNUSED, WRITTEN, UPDATED, READ, IMMEDIATE = range(5)
"""What an instruction does with an operand."""


@lru_cache(maxsize=1 << 12)
def arithmetic(m: Modifiers) -> tuple[Callable[..., Any] | None, tuple[int, ...]]:
    """The meaning of a form with these modifiers, and what it does with each operand. No meaning if there is none, and
    for an instruction that is not recorded, since it uses memory or the carry."""
    instruction = m.form.instruction
    if instruction.meaning is None or instruction.access or instruction.carry or instruction.fidelity(m) == UNSUPPORTED:
        return None, ()
    uses = list[int]()
    for template in m.form.operands:
        name, role = template.name, template.role
        if role == "write":
            uses.append(UPDATED if name in instruction.updates else WRITTEN)
        elif role == "immediate" or name in instruction.immediates:
            uses.append(IMMEDIATE)
        else:
            uses.append(UNUSED if role == "sink" else READ)
    return unpacked(instruction.meaning, m), tuple(uses)


def read(operand: Operand | None, t: Type | None, immediate: bool, given: list[Given], registers: list[int]) -> bool:
    """Adds a source to the operands of a recording, and its register to those that are read. False for other kinds."""
    if isinstance(operand, Reg) and operand.width <= WIDEST:
        given.append((operand.width, None, read_width(operand.width, t), operand.negated))
        registers.append(operand.index)
    elif operand is None or isinstance(operand, Sink):
        given.append(None)
    elif isinstance(operand, Imm) and operand.width <= WIDEST:
        given.append(operand.value if immediate else (operand.width, operand.value, operand.width, False))
    else:
        return False
    return True


def copy(i: int, d: int) -> Step:
    def step(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> None:
        regs[d] = put(regs[d], lanes, lane_sets.take(regs[i], lanes), x.n)

    return step


def unary_step(evaluate: Evaluate, d: int, i: int) -> Step:
    def step(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> None:
        a = regs[i]
        if lanes is None:
            regs[d] = evaluate(a)
        else:
            regs[d] = put(regs[d], lanes, evaluate(a if a.size == 1 else a[lanes]), x.n)

    return step


def binary_step(evaluate: Evaluate, d: int, i: int, j: int) -> Step:
    def step(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> None:
        a, b = regs[i], regs[j]
        if lanes is None:
            regs[d] = evaluate(a, b)
        else:
            found = evaluate(a if a.size == 1 else a[lanes], b if b.size == 1 else b[lanes])
            regs[d] = put(regs[d], lanes, found, x.n)

    return step


def ternary_step(evaluate: Evaluate, d: int, i: int, j: int, k: int) -> Step:
    def step(x: Threads, regs: Registers, lanes: lane_sets.Lanes) -> None:
        some = (regs[i], regs[j], regs[k])
        if lanes is None:
            regs[d] = evaluate(*some)
        else:
            regs[d] = put(regs[d], lanes, evaluate(*[a if a.size == 1 else a[lanes] for a in some]), x.n)

    return step


_SHAPES = cast("list[Callable[..., Step]]", [unary_step, binary_step, ternary_step])
