"""Dead code: arithmetic whose results nothing needs, wherever it stands."""

from __future__ import annotations

from openptx.program import Register
from openptx.rewrite.edit import Edit
from openptx.rewrite.operands import read, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.program import Function, Op

ARITHMETIC = frozenset((
    "comparison_selection", "convert", "elementary_functions", "floating_point", "half_comparison", "half_precision",
    "integer_arithmetic", "integer_bits", "logic_shift", "mixed_precision", "move", "video",
))  # fmt: skip
"""Sections whose instructions do nothing but compute."""


def find_dead(function: Function) -> frozenset[int]:
    """Positions of instructions that only compute what nothing needs. A register is needed as a whole."""
    defining: dict[int, list[int]] = {}
    waiting: list[int] = [r.index for r in function.returns if isinstance(r, Register)]
    dead: set[int] = set()
    for position, op in enumerate(function.code):
        if computes(op):
            dead.add(position)
            for index in written(op):
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


def computes(op: Op) -> bool:
    """Whether the instruction does nothing but write registers."""
    instruction = op.form.instruction
    return (
        instruction.module in ARITHMETIC
        and instruction.control is None
        and instruction.converges is None
        and any(True for _ in written(op))
    )


def without(function: Function, dead: frozenset[int]) -> Function:
    """The function without the instructions at these positions."""
    if not dead:
        return function
    edit = Edit(function)
    for position in dead:
        edit.code[position] = None
    return edit.finish()
