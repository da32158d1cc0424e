"""The registers that an instruction reads and writes (manual 6.2), and the instructions that end a function
(9.7.12)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from openptx.isa.control import JUMPS, LEAVES, calls, mnemonics
from openptx.isa.notation import resolve
from openptx.isa.notation.operand_rules import operand_rule
from openptx.syntax import operands as text
from openptx.syntax.tree import Instruction


@lru_cache(1 << 12)
def writes(opcode: str) -> bool:
    """Whether the first operand of an opcode is a destination; not for a label, whose opcode is empty."""
    if not opcode:
        return False  # `resolve` would search all instructions, and import what declares them: half of a first check
    return calls(opcode) or any(bool(form.operands) and form.operands[0].role == "write" for form, _ in resolve(opcode))


@lru_cache(1 << 12)
def destinations(opcode: str, count: int) -> int:
    """How many of `count` operands, from the first on, are destinations: two for `tcgen05.ld.red`."""
    found = [0, int(writes(opcode))]
    for form, m in resolve(opcode):
        for layout in form.layouts(m):
            if len(layout) == count:
                roles = [form.operands[position].role for position in layout]
                found.append(next((i for i, role in enumerate(roles) if role != "write"), count))
    return max(found)


def assigns(opcode: str) -> bool:
    """Whether a first operand without parentheses is a destination: that of a call is the callee."""
    return writes(opcode) and not calls(opcode)


def ends(mnemonic: str) -> bool:
    """Whether this may be a function's last instruction; a call may be one that never returns."""
    return mnemonic in mnemonics(*JUMPS, *LEAVES, "call")


def names_in(tree: text.Operand) -> Sequence[text.Name]:
    """The names in an operand, without labels of components."""
    match tree:
        case text.Name():
            return (tree,)
        case text.Address():
            parts = tree.base, *tree.parts
        case text.Vector() | text.Arguments():
            parts = tree.elements
        case text.Pair():
            parts = tree.first, tree.second
        case text.Negated() | text.Minus():
            return names_in(tree.operand)
        case text.Selector() | text.Sum():
            return (tree.base,)
        case text.Subscript():
            parts = tree.base, tree.index
        case _:
            return ()
    return [name for part in parts for name in names_in(part)]


def reads_and_writes(instruction: Instruction) -> tuple[list[text.Name], list[text.Name]]:
    """The names, of registers and others, that an instruction reads and writes."""
    opcode, operands, guard = instruction.opcode, instruction.operands, instruction.guard
    first = destinations(opcode, len(operands))
    if not operands or not is_destination(operands[0], instruction):
        first = 0
    writes = [name for operand in operands[:first] for name in names_in(operand)]
    reads = [] if guard is None else [guard.name]
    packed, padded, passed = _exempt(opcode)
    for number, operand in enumerate(operands[first:], first):
        if isinstance(operand, text.Name):
            if number not in passed:
                reads.append(operand)
        elif not isinstance(operand, text.Vector):
            reads += names_in(operand)
        elif not packed:
            for element in operand.elements[: 1 if padded else None]:
                reads += names_in(element)
    return reads, writes


@lru_cache(1 << 12)
def _exempt(opcode: str) -> tuple[bool, bool, Collection[int]]:
    """What may be read without having been written, since compilers do not write registers whose values are never used:
    whether this holds for the elements of lists, whether for all but their first, and for which operands.

    Examples are a half or byte that is packed, the padding of a structure that is shuffled or stored, and the byte that
    represents an empty argument of a call.
    """
    return lists(opcode, "packed"), lists(opcode, "padded"), passed_on(opcode)


@lru_cache(1 << 12)
def lists(opcode: str, phrase: str) -> bool:
    """Whether an operand of the instruction is declared with this phrase (`isa/notation/operand_rules.py`)."""
    return any(
        operand_rule(form.instruction, template.name).says(phrase)
        for form, _ in resolve(opcode)
        for template in form.operands
    )


@lru_cache(1 << 12)
def passed_on(opcode: str) -> frozenset[int]:
    """Operands, counted as written, that are only passed on: to other lanes, as a part of a word, or to a callee."""
    return frozenset(
        layout.index(position)
        for form, m in resolve(opcode)
        for layout in form.layouts(m)
        for position in layout
        if operand_rule(form.instruction, form.operands[position].name).passes_on(m.written)
    )


def is_destination(operand: text.Operand, instruction: Instruction) -> bool:
    """Whether the first operand of an instruction with a destination is that destination."""
    return not isinstance(operand, text.Address) and (
        not calls(instruction.opcode) or isinstance(operand, text.Arguments)
    )
