"""Which registers an instruction reads and writes (manual 6.2), and which instructions end a function (9.7.12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from openptx.check.flow.cfg import Step
from openptx.check.names.scopes import Registers, Scope
from openptx.isa.control import JUMPS, LEAVES, calls, mnemonics
from openptx.isa.notation import resolve
from openptx.isa.notation.operand_rules import operand_rule
from openptx.syntax import operands as text
from openptx.syntax.tree import Instruction

_WRITES: dict[str, bool] = {}


def writes(opcode: str) -> bool:
    """Whether the first operand of an opcode is a destination. Memoised."""
    known = _WRITES.get(opcode)
    if known is None:
        known = _WRITES[opcode] = calls(opcode) or any(
            form.operands and form.operands[0].role == "write" for form, _ in resolve(opcode)
        )
    return known


@cache
def destinations(opcode: str, count: int) -> int:
    """How many of `count` operands, from the first on, are destinations: of `tcgen05.ld.red` two."""
    found = [0, int(writes(opcode))]
    for form, m in resolve(opcode):
        for layout in form.layouts(m):
            if len(layout) == count:
                roles = [form.operands[position].role for position in layout]
                found.append(next((i for i, role in enumerate(roles) if role != "write"), count))
    return max(found)


def assigns(opcode: str) -> bool:
    """Whether a first operand without parentheses is a destination: that of a call is what is called."""
    return writes(opcode) and not calls(opcode)


def ends(mnemonic: str) -> bool:
    """Whether this may be a function's last instruction; a call may be one that never returns."""
    return mnemonic in mnemonics(*JUMPS, *LEAVES, "call")


def names_in(tree: text.Operand) -> Iterator[text.Name]:
    """The names in an operand, without labels of components."""
    match tree:
        case text.Name():
            yield tree
        case text.Vector() | text.Arguments():
            for element in tree.elements:
                yield from names_in(element)
        case text.Address():
            yield from names_in(tree.base)
            for part in tree.parts:
                yield from names_in(part)
        case text.Pair():
            yield from names_in(tree.first)
            yield from names_in(tree.second)
        case text.Negated() | text.Minus():
            yield from names_in(tree.operand)
        case text.Selector() | text.Sum():
            yield tree.base
        case text.Subscript():
            yield tree.base
            yield from names_in(tree.index)
        case _:
            return


def traffic(instruction: Instruction, scope: Scope) -> Step:
    """What an instruction reads and writes, each register by the place of its declaration and its name."""
    step = Step(instruction, scope)
    operands = instruction.operands
    first = destinations(instruction.opcode, len(operands))
    if not operands or not is_destination(operands[0], instruction):
        first = 0
    for operand in operands[:first]:
        step.writes.update(key for name in names_in(operand) if (key := _key(name, scope)) is not None)
    guard = instruction.guard
    sources = [
        name
        for number, operand in enumerate(operands[first:], first)
        for part in _read(number, operand, instruction)
        for name in names_in(part)
    ]
    for name in sources if guard is None else [guard.name, *sources]:
        key = _key(name, scope)
        if key is not None:
            step.reads.append((key, name))
    return step


def _read(number: int, operand: text.Operand, instruction: Instruction) -> Sequence[text.Operand]:
    """The parts of an operand that must have been written: compilers leave unwritten what nobody uses after it.

    That is a half or byte that is packed, the padding of a structure that is shuffled or stored, and the byte that
    stands for an empty argument of a call.
    """
    if isinstance(operand, text.Vector):
        if lists(instruction.opcode, "packed"):
            return ()
        return operand.elements[:1] if lists(instruction.opcode, "padded") else (operand,)
    if isinstance(operand, text.Name) and (
        instruction.opcode == "st.param.b8" or number in passed_on(instruction.opcode)
    ):
        return ()
    return (operand,)


@cache
def lists(opcode: str, phrase: str) -> bool:
    """Whether there is something special to lists that an instruction takes."""
    return any(
        operand_rule(form.instruction, template.name).says(phrase)
        for form, _ in resolve(opcode)
        for template in form.operands
    )


@cache
def passed_on(opcode: str) -> frozenset[int]:
    """Which operands, counted as written, are only handed on: to other lanes, or as a part of a word."""
    return frozenset(
        layout.index(position)
        for form, m in resolve(opcode)
        for layout in form.layouts(m)
        for position in layout
        if operand_rule(form.instruction, form.operands[position].name).says("passed on")
    )


def is_destination(operand: text.Operand, instruction: Instruction) -> bool:
    """Whether the first operand of an instruction that writes one is it."""
    return not isinstance(operand, text.Address) and (
        not calls(instruction.mnemonic) or isinstance(operand, text.Arguments)
    )


def _key(name: text.Name, scope: Scope) -> tuple[int, str] | None:
    found = scope.find(name.text)
    return (found[0].span[0], name.text) if found is not None and isinstance(found[0], Registers) else None
