"""The costs of the operands that a launch reads, by Table 19 of the manual (6.6): clocks, by state space."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from openptx.control_flow import is_read, is_written, registers
from openptx.isa.costs import COSTS, OF_SPACES
from openptx.program import Address, Imm, Vector

if TYPE_CHECKING:
    from openptx.isa.costs import Cost
    from openptx.profile.lines import Instruction
    from openptx.program import Op, Operand

OF_PARAMETERS = {"frame": "parameter"}
"""By state space, the row for parameters of calls."""
READS = frozenset(("ld", "atom"))
"""Accesses that wait for a result; stores and reductions do not."""
OF_COORDINATES = {"texture": "texture", "surface": "surface"}
"""The rows for instructions that read at coordinates, by their module."""


@dataclass(frozen=True, slots=True)
class OperandCost:
    """Operands of one kind: how often warps read one, and the cost of each read."""

    space: str
    reads: int
    cost: Cost


def operand_costs(instructions: Iterable[Instruction]) -> tuple[OperandCost, ...]:
    """An entry for each row of the table, in its order."""
    found = dict.fromkeys(COSTS, 0)
    for each in instructions:
        if each.counters.warps:
            for space, reads in reads_of(each):
                found[space] += reads
    return tuple(OperandCost(space, reads, COSTS[space]) for space, reads in found.items())


def costliest(each: Instruction) -> OperandCost | None:
    """The costliest operand of an instruction; None if all cost nothing."""
    found = [OperandCost(space, reads, COSTS[space]) for space, reads in reads_of(each) if reads]
    worst = max(found, key=lambda operand: operand.cost.clocks, default=None)
    return worst if worst is not None and worst.cost.clocks else None


def reads_of(each: Instruction) -> Iterator[tuple[str, int]]:
    """Where an instruction reads operands, and how often all warps did."""
    op, warps = each.op, each.counters.warps
    for (space, kind, _), counted in each.counters.memory.items():
        if kind in READS:
            yield space, counted.requests
    if (space := uncounted(op)) is not None:
        yield space, warps
    sources = [operand for i, operand in enumerate(op.operands) if reads_operand(op, i, operand)]
    yield "register", warps * (sum(1 for operand in sources for _ in registers(operand)) + (op.guard is not None))
    yield "immediate", warps * sum(1 for operand in sources for _ in immediates(operand))


def reads_operand(op: Op, i: int, operand: Operand | None) -> bool:
    """Whether an operand is a source; the registers of an address always are."""
    return operand is not None and (isinstance(operand, Address) or is_read(op, i))


def immediates(operand: Operand | None) -> Iterator[Imm]:
    """All immediates in an operand."""
    if isinstance(operand, Imm):
        yield operand
    elif isinstance(operand, (Vector, Address)):
        for part in operand.elements if isinstance(operand, Vector) else operand.parts:
            yield from immediates(part)


def uncounted(op: Op) -> str | None:
    """The row of a read without its own counters: of parameters and constants, and at coordinates."""
    instruction = op.form.instruction
    if instruction.access == "load":
        space = OF_PARAMETERS.get(op.m.space) or OF_SPACES.get(op.m.space)
        return space if space in COSTS else None
    at_coordinates = any(isinstance(operand, Address) and operand.parts for operand in op.operands)
    has_result = any(is_written(op, i) for i in range(len(op.operands)))
    return OF_COORDINATES.get(instruction.module) if at_coordinates and has_result else None
