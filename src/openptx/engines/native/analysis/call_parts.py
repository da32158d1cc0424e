"""The parts of a call that is inlined: a function's instructions as an activation has them, and those that pass
arguments and results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from openptx.control_flow import control
from openptx.engines.native.analysis.activations import Activation
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.isa.instructions.comparison_selection import setp
from openptx.isa.instructions.control_flow import bra
from openptx.isa.instructions.load_store import ld, st
from openptx.isa.instructions.move import mov
from openptx.isa.memory_consistency import strong
from openptx.isa.notation import Instruction
from openptx.isa.types import TYPES
from openptx.program import (
    Address,
    Arguments,
    Function,
    FunctionName,
    Imm,
    Op,
    Operand,
    Prototype,
    Reg,
    Register,
    Symbol,
    Target,
    Targets,
    Variable,
    Vector,
    temporary,
)

HELD = (32, 64)
"""Widths of parameter variables that become registers, as the assembler makes all of them registers. In each thread's
local memory a warp moves one in 10 to 15 ns."""


def in_frame(operand: Operand) -> bool:
    return isinstance(operand, Symbol) and operand.variable.space == "frame"


def moved(operand: Any, activation: Activation) -> Any:
    """An operand of a function as its activation has it: registers by number, variables of the frame by offset, or the
    register that holds one."""
    match operand:
        case Symbol() if in_frame(operand) and operand.variable.offset in activation.values:
            return activation.values[operand.variable.offset]
        case Reg():
            return replace(operand, index=activation.first + operand.index)
        case Symbol() if operand.variable.space in ("frame", "local"):
            variable = replace(operand.variable, offset=activation.base + operand.variable.offset)
            return replace(operand, variable=variable)
        case Address():
            parts = tuple(moved(part, activation) for part in operand.parts)
            return replace(operand, base=moved(operand.base, activation), parts=parts)
        case Vector():
            return Vector(tuple(moved(each, activation) for each in operand.elements))
        case Arguments():
            return Arguments(tuple(moved(each, activation) for each in operand.values))
        case _:
            return operand


def moved_op(op: Op, activation: Activation) -> Op:
    accessed = whole_variable(op)
    held = activation.values.get(accessed.offset) if accessed is not None else None
    if held is not None:
        value = next(moved(o, activation) for o in op.operands if isinstance(o, Reg | Imm))
        to, given = (held, value) if op.form.instruction is st else (value, held)
        made = instruction(mov, (f"b{held.width}",), {"d": to, "a": given}, op)
        assert made is not None
        return replace(made, guard=moved(op.guard, activation))
    if activation.caller is None and control(op) != "call":
        return op
    operands = tuple(moved(operand, activation) for operand in op.operands)
    return replace(op, guard=moved(op.guard, activation), operands=operands)


def instruction(of: Instruction, modifiers: tuple[str, ...], operands: dict[str, Operand], call: Op) -> Op | None:
    """An instruction that does a part of a call, and has its text; None if there is none with these modifiers."""
    for form in of.forms:
        m = form.match(modifiers)
        if m is not None:
            given = tuple(operands.get(template.name) for template in form.operands)
            kinds = tuple(t if o is not None else None for t, o in zip(form.types(m), given, strict=True))
            return Op(form, m, None, given, kinds, call.span, call.text, call.line)
    return None


def branch(guard: Reg | None, goal: int, call: Op) -> Op:
    made = instruction(bra, (), {"tgt": Target(goal)}, call)
    assert made is not None
    return replace(made, guard=guard)


def comparisons(
    registers: list[Register], address: Reg, callee: Function, known: Reg | None, call: Op
) -> tuple[list[Op], Reg, Reg]:
    """Instructions that compare an address with that of a function; whether it is that, and whether it is that or was
    `known` before."""
    if address.width != 64:
        raise UnsupportedByJit("a call by an address of 32 bits that would be inlined")
    function, is_callee, either = temporary(registers, 64), predicate(registers), predicate(registers)
    operands: dict[str, Operand] = {"a": address, "b": function}
    given = ("eq", "u64") if known is None else ("eq", "or", "u64")
    ops = [
        instruction(mov, ("u64",), {"d": function, "a": FunctionName(callee.name)}, call),
        instruction(setp, ("eq", "u64"), {**operands, "p": is_callee}, call),
        instruction(setp, given, {**operands, "p": either, **({"c": known} if known is not None else {})}, call),
    ]
    return [op for op in ops if op is not None], is_callee, either


def predicate(registers: list[Register]) -> Reg:
    """A new predicate."""
    registers.append(Register(f"{len(registers)}", TYPES["pred"], len(registers)))
    return Reg(registers[-1].index, 1)


def with_callees(call: Op, callee: FunctionName | None, prototype: Targets | None) -> Op:
    """A call by address as one of this function, or of those in a list."""

    def changed(operand: Operand | None) -> Operand | None:
        if isinstance(operand, Prototype | Targets):
            return prototype
        return callee if callee is not None and isinstance(operand, Reg) else operand

    return replace(call, guard=None, operands=tuple(map(changed, call.operands)))


def access(of: Instruction, size: int, value: Operand, variable: Symbol, at: int, call: Op) -> Op | None:
    """A load or a store of a part of a parameter variable."""
    operands = {"a": Address(variable, at), "d": value, "b": value}
    made = instruction(of, ("local", f"b{8 * size}"), operands, call)
    return replace(made, m=made.m.with_(space="frame")) if made is not None else None


def whole_variable(op: Op) -> Variable | None:
    """The parameter variable that an instruction loads or stores as one word, from or to a register of its size."""
    if op.form.instruction not in (ld, st) or op.m.space != "frame" or op.m.values.get("vec") is not None:
        return None
    place = next(o for o in op.operands if isinstance(o, Address))
    value = next((o for o in op.operands if isinstance(o, Reg | Imm)), None)
    base = place.base
    if value is None or not isinstance(base, Symbol) or base.offset or place.offset or strong(op.m):
        return None
    width = 8 * base.variable.size
    return base.variable if width in HELD and op.m.type.width == width == value.width else None


def whole_variables(function: Function, calls: frozenset[int]) -> dict[int, int]:
    """The offsets and widths of parameter variables that can be registers: those that all instructions access as one
    word, and no call at other positions than `calls` passes."""
    found: dict[int, int] = {}
    others = set[int]()
    for pc, op in enumerate(function.code):
        variable = whole_variable(op)
        if variable is not None:
            found[variable.offset] = 8 * variable.size
        elif pc not in calls:
            others.update(offsets_in(op.operands))
    return {offset: width for offset, width in found.items() if offset not in others}


def offsets_in(operands: Iterable[Operand | None]) -> Iterator[int]:
    """The offsets of variables of the frame that operands name."""
    for operand in operands:
        match operand:
            case Symbol() if in_frame(operand):
                yield operand.variable.offset
            case Address():
                yield from offsets_in((operand.base, *operand.parts))
            case Vector(elements) | Arguments(elements):
                yield from offsets_in(elements)
            case _:
                pass
