"""The variable that an address register was computed from: a forward analysis over a function's instructions.

A register holds an address of variable v if it is computed from v's address and from no other pointer. A value loaded
from memory may be anything; added to v's address it is assumed to be an index. Paths are not distinguished: a register
that may hold addresses of two variables belongs to neither.
"""

from __future__ import annotations

from collections.abc import Mapping

from openptx.control_flow import registers, written_registers
from openptx.isa.instructions import addressing, convert, integer_arithmetic, logic_shift, move
from openptx.program import Address, Function, Op, Operand, Reg, Symbol, Variable

SPACES = ("shared", "const", "local")
COPIED = ("dstMem", "srcMem")
NUMBER, UNKNOWN = "number", "unknown"
Origin = str | Variable
"""A variable; NUMBER for a non-pointer; UNKNOWN for a value that may be any pointer."""

MOVES = frozenset((move.mov, addressing.cvta, addressing.cvta_to, addressing.mapa, convert.cvt, logic_shift.and_))
SUMS = frozenset((integer_arithmetic.add, integer_arithmetic.mad, logic_shift.or_, logic_shift.xor))


def join(a: Origin | None, b: Origin) -> Origin:
    return b if a is None or a == b else UNKNOWN


def of_operand(operand: Operand | None, known: Mapping[int, Origin]) -> Origin | None:
    """The origin of a source operand; None if it has not been written yet."""
    if isinstance(operand, Symbol):
        return operand.variable if operand.variable.space in SPACES else UNKNOWN
    if isinstance(operand, Reg):
        return known.get(operand.index)
    return NUMBER if not registers(operand) else UNKNOWN


def transfer(op: Op, known: Mapping[int, Origin]) -> Origin | None:
    """The origin of an instruction's result; None if a source has not been written yet."""
    instruction = op.form.instruction
    if instruction.access or instruction.control:
        return UNKNOWN
    sources = [
        of_operand(operand, known)
        for template, operand in op.operands_by_template()
        if template.role != "write" and operand is not None
    ]
    if any(origin is None for origin in sources):
        return None
    variables = [origin for origin in sources if isinstance(origin, Variable)]
    if not variables:
        return UNKNOWN if UNKNOWN in sources else NUMBER
    if len(variables) > 1:
        return NUMBER if instruction is integer_arithmetic.sub else UNKNOWN
    pointer_first = isinstance(sources[0], Variable)
    if instruction in SUMS:
        multiplied = instruction is integer_arithmetic.mad and not isinstance(sources[-1], Variable)
        return UNKNOWN if multiplied else variables[0]
    if instruction in MOVES or (instruction is integer_arithmetic.sub and pointer_first):
        return variables[0]
    return UNKNOWN


def provenance(function: Function) -> dict[int, Origin]:
    """For each register, the join of the origins of all values that it ever holds."""
    known: dict[int, Origin] = {r.index: UNKNOWN for r in function.parameters if not isinstance(r, Variable)}
    changed = True
    while changed:
        changed = False
        for op in function.code:
            origin = transfer(op, known)
            if origin is None:
                continue
            for register in written_registers(op):
                found = join(known.get(register), origin)
                if found != known.get(register):
                    known[register] = found
                    changed = True
    return known


def copied_variables_of(function: Function) -> dict[Op, dict[str, Variable]]:
    """For each bulk copy, by operand (`dstMem`, `srcMem`), the variable that its address was computed from."""
    known, found = provenance(function), dict["Op", dict[str, Variable]]()
    for op in function.code:
        for template, operand in op.operands_by_template():
            if template.name in COPIED and isinstance(operand, Address):
                origin = of_operand(operand.base, known)
                if isinstance(origin, Variable):
                    found.setdefault(op, {})[template.name] = origin
    return found


def variables_of(function: Function) -> dict[Op, dict[str, Variable]]:
    """For each instruction, by state space, the variable that its address was computed from, if known."""
    known, found = provenance(function), dict["Op", dict[str, Variable]]()
    for op in function.code:
        block: dict[str, list[Origin | None]] = {}
        for template, operand in op.operands_by_template():
            if isinstance(operand, Address):
                space = op.form.space_of(template.name, op.m) or "generic"
                block.setdefault(space, []).append(of_operand(operand.base, known))
        sure = {space: some[0] for space, some in block.items() if len(block.keys() - {"global"}) == len(some) == 1}
        variables = {space: origin for space, origin in sure.items() if isinstance(origin, Variable)}
        if variables:
            found[op] = variables
    return found
